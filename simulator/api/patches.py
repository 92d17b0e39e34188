"""Merge patch, JSON patch and strategic merge patch, each as a pure function."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.api.selectors import bad_request
from simulator.store.errors import StatusError
from simulator.store.json_values import JsonObject, copied

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

# Merge keys of built-in lists. Source: patchStrategy tags of the Kubernetes API types.
_MERGE_KEYS: Mapping[str, str] = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "ports": "containerPort",
    "imagePullSecrets": "name",
    "conditions": "type",
    "ownerReferences": "uid",
    "addresses": "type",
}
_MERGED_SETS = frozenset({"finalizers"})


def decoded_patch(data: bytes) -> Any:
    """The body of a patch. 400 when it is not JSON."""
    try:
        return json.loads(data)
    except ValueError as problem:
        at_end = isinstance(problem, json.JSONDecodeError) and problem.pos >= len(data.rstrip())
        said = "unexpected end of JSON input" if at_end or not data.strip() else str(problem)
        raise bad_request(f"error decoding patch: {said}") from None


def merged(target: Any, patch: Any) -> Any:
    """RFC 7386: null removes, maps merge, all else replaces."""
    if not isinstance(patch, dict):
        return copied(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def json_patched(target: Any, operations: Any) -> Any:
    """RFC 6902. Any operation that fails is a 422 that does not say why."""
    if not isinstance(operations, list):
        raise bad_request("error decoding patch: json: cannot unmarshal object into patch")
    result = copied(target)
    for operation in operations:
        try:
            result = _operated(result, operation)
        except (KeyError, IndexError, ValueError, TypeError):
            message = "the server rejected our request due to an error in our request"
            raise StatusError(422, "Invalid", message, details={}) from None
    return result


def _operated(target: Any, operation: Mapping[str, Any]) -> Any:
    kind, path = operation["op"], _pointer(operation["path"])
    if kind == "test":
        if _at(target, path) != operation.get("value"):
            raise ValueError(path)
    elif kind == "remove":
        _remove(target, path)
    elif kind == "replace":
        _at(target, path)
        target = _set(target, path, copied(operation["value"]), insert=False)
    elif kind == "add":
        target = _set(target, path, copied(operation["value"]), insert=True)
    elif kind in ("copy", "move"):
        source = _pointer(operation["from"])
        value = copied(_at(target, source))
        if kind == "move":
            _remove(target, source)
        target = _set(target, path, value, insert=True)
    else:
        raise ValueError(kind)
    return target


def _pointer(text: str) -> list[str]:
    if text and not text.startswith("/"):
        raise ValueError(text)
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _at(target: Any, path: Sequence[str]) -> Any:
    for key in path:
        target = target[int(key)] if isinstance(target, list) else target[key]
    return target


def _remove(target: Any, path: Sequence[str]) -> None:
    parent = _at(target, path[:-1])
    del parent[int(path[-1]) if isinstance(parent, list) else path[-1]]


def _set(target: Any, path: Sequence[str], value: Any, *, insert: bool) -> Any:
    if not path:
        return value
    parent, key = _at(target, path[:-1]), path[-1]
    if isinstance(parent, dict):
        parent[key] = value
    elif key == "-":
        parent.append(value)
    elif insert:
        if not 0 <= int(key) <= len(parent):
            raise IndexError(key)
        parent.insert(int(key), value)
    else:
        parent[int(key)] = value
    return target


def strategically_merged(target: JsonObject, patch: JsonObject) -> JsonObject:
    """A strategic merge patch of a built-in object."""
    if patch.get("$patch") == "replace":
        return {key: copied(value) for key, value in patch.items() if key != "$patch"}
    result = dict(target)
    for key, value in patch.items():
        if key.startswith("$"):
            _directive(result, key, value)
        elif value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            held = result.get(key)
            result[key] = strategically_merged(held if isinstance(held, dict) else {}, value)
            if value.get("$patch") == "delete":
                del result[key]
        elif isinstance(value, list):
            result[key] = _merged_list(key, result.get(key) or [], value)
        else:
            result[key] = value
    return result


def _directive(result: JsonObject, key: str, value: Any) -> None:
    """$deleteFromPrimitiveList/x takes values away; orders and retained keys change nothing."""
    name, _, field = key.partition("/")
    if name == "$deleteFromPrimitiveList" and isinstance(result.get(field), list):
        result[field] = [each for each in result[field] if each not in value]


def _merged_list(key: str, held: list[Any], patch: list[Any]) -> list[Any]:
    if key in _MERGED_SETS:
        return [*held, *(each for each in patch if each not in held)]
    merge_key = _MERGE_KEYS.get(key)
    if merge_key is None or not all(isinstance(each, dict) for each in patch):
        return [copied(each) for each in patch]
    if any(each.get("$patch") == "replace" for each in patch):
        return [copied(each) for each in patch if each.get("$patch") != "replace"]
    result = list(held)
    for each in patch:
        _merge_item(result, each, merge_key)
    return result


def _merge_item(items: list[Any], patch: JsonObject, merge_key: str) -> None:
    name = patch.get(merge_key)
    at = next((index for index, each in enumerate(items) if each.get(merge_key) == name), None)
    if patch.get("$patch") == "delete":
        if at is not None:
            del items[at]
    elif at is None:
        items.append(copied(patch))
    else:
        items[at] = strategically_merged(items[at], patch)
