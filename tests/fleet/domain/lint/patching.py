"""Applies the patches of findings to objects, as kubectl would."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import Any

import yaml

COMMAND = re.compile(r"kubectl -n (\S+) patch (\S+) (\S+) --type (merge|json)")
RESOURCES = {
    "inferenceservices.serving.kserve.io": "InferenceService",
    "llminferenceservices.serving.kserve.io": "LLMInferenceService",
    "configmap": "ConfigMap",
}


def applied(objects: Sequence[Any], patch: str) -> list[Any]:
    """The objects after the patch; a ConfigMap that was not given is made."""
    result = copy.deepcopy(list(objects))
    for block in patch.split("\n---\n"):
        content = yaml.safe_load(block)
        command = COMMAND.search(block)
        if command is None:
            assert "kubectl apply" in block
            result.append(content)
            continue
        namespace, resource, name, how = command.groups()
        target = _target(result, RESOURCES[resource], namespace, name)
        if how == "merge":
            merge(target, content)
        else:
            for op in content:
                operate(target, op)
    return result


def _target(objects: list[Any], kind: str, namespace: str, name: str) -> Any:
    for each in objects:
        meta = each["metadata"]
        if (each["kind"], meta["name"]) == (kind, name):
            assert meta.get("namespace", "default") == namespace
            return each
    assert kind == "ConfigMap"
    made = {"kind": kind, "metadata": {"name": name, "namespace": namespace}}
    objects.append(made)
    return made


def merge(target: dict[str, Any], patch: dict[str, Any]) -> None:
    """A JSON merge patch (RFC 7386)."""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            if not isinstance(target.get(key), dict):
                target[key] = {}
            merge(target[key], value)
        else:
            target[key] = value


def operate(target: Any, op: dict[str, Any]) -> None:
    """One operation of a JSON patch (RFC 6902)."""
    *above, last = op["path"].split("/")[1:]
    for key in above:
        target = target[int(key)] if isinstance(target, list) else target[key]
    if isinstance(target, list):
        _operate_list(target, last, op)
    elif op["op"] == "test":
        assert target[last] == op["value"], op
    elif op["op"] == "remove":
        del target[last]
    else:
        assert op["op"] == "add" or last in target, op
        target[last] = op["value"]


def _operate_list(target: list[Any], last: str, op: dict[str, Any]) -> None:
    if op["op"] == "test":
        assert target[int(last)] == op["value"], op
    elif op["op"] == "remove":
        del target[int(last)]
    else:
        target.insert(len(target) if last == "-" else int(last), op["value"])
