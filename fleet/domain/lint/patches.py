"""Patches to copy: what a person would apply, with the command in a comment. Nothing here is
applied by us."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fleet.domain.lint.records import Effect
from fleet.domain.lint.settings import Settings
from fleet.domain.lint.text import yaml_of
from fleet.domain.records.keys import Mode, ModelKind

Body = Mapping[str, Any]
Op = Mapping[str, Any]
_RESOURCES = {
    ModelKind.INFERENCE_SERVICE.value: "inferenceservices.serving.kserve.io",
    ModelKind.LLM_INFERENCE_SERVICE.value: "llminferenceservices.serving.kserve.io",
}
# Names that Kubernetes accepts: others, from a file, never reach a command line.
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
KNATIVE_NAMESPACE = "knative-serving"
# Sources: kserve config/runtimes (8080), config/llmisvcconfig (8000).
PORTS = {Mode.LLM: 8000}
PORT = 8080


def merge(settings: Settings, body: Body) -> str:
    """A merge patch of the model's own object; "" where its name is none."""
    return _patch(settings, "merge", body)


def operations(settings: Settings, ops: Sequence[Op]) -> str:
    """A JSON patch of the model's own object, for what stands in lists."""
    return _patch(settings, "json", ops) if ops else ""


def _patch(settings: Settings, type_: str, content: object) -> str:
    ref = settings.ref
    resource = _RESOURCES.get(ref.kind)
    if resource is None or not _is_named(settings):
        return ""
    command = f"kubectl -n {ref.namespace} patch {resource} {ref.name} --type {type_}"
    return f"# {command} --patch-file patch.yaml\n{yaml_of(content)}"


def config_map(name: str, data: Mapping[str, str], *, namespace: str = KNATIVE_NAMESPACE) -> str:
    """A merge patch of a ConfigMap of the cluster's."""
    if not _NAME.fullmatch(namespace):
        return ""
    command = f"kubectl -n {namespace} patch configmap {name} --type merge"
    return f"# {command} --patch-file patch.yaml\n{yaml_of({'data': data})}"


def manifest(settings: Settings, body: Body) -> str:
    """A whole object beside the model, to be created; "" where the model's name is none."""
    return f"# kubectl apply -f -\n{yaml_of(body)}" if _is_named(settings) else ""


def _is_named(settings: Settings) -> bool:
    ref = settings.ref
    return bool(_NAME.fullmatch(ref.namespace) and _NAME.fullmatch(ref.name))


def several(*blocks: str) -> str:
    """Blocks to apply one after the other; "" if one of them cannot be made."""
    return "\n---\n".join(block.rstrip("\n") for block in blocks) + "\n" if all(blocks) else ""


def annotations(settings: Settings, values: Mapping[str, str | None]) -> str:
    """Of the object itself; None removes one."""
    return merge(settings, {"metadata": {"annotations": values}})


def predictor(settings: Settings, values: Body) -> str:
    """Fields of spec.predictor."""
    return merge(settings, {"spec": {"predictor": values}})


def container(settings: Settings, values: Mapping[str, Body]) -> str:
    """Mappings below fields of the server's container, such as a probe's: where the field is
    written, its other keys stay."""
    place = settings.server.place
    if place.pointer and not place.name:
        key = place.pointer.rpartition("/")[2]
        return predictor(settings, {key: values})
    if place.pointer:
        return operations(settings, [_named(settings), *_field_ops(settings, values)])
    if settings.mode is Mode.LLM and "containers" not in settings.has:
        return merge(settings, {"spec": {"template": {"containers": [{"name": "main", **values}]}}})
    return ""


def _field_ops(settings: Settings, values: Mapping[str, Body]) -> list[Op]:
    place = settings.server.place
    found: list[Op] = []
    for name, keys in values.items():
        path = f"{place.pointer}/{name}"
        if name not in place.has:
            found.append(_set(path, keys))
            continue
        for key, value in keys.items():
            found.append(_set(f"{path}/{key}", value))
    return found


def _set(path: str, value: Any) -> Op:
    """None removes it."""
    if value is None:
        return {"op": "remove", "path": path}
    return {"op": "add", "path": path, "value": value}


def _named(settings: Settings) -> Op:
    """Refuses the patch if the list has changed since."""
    place = settings.server.place
    return {"op": "test", "path": f"{place.pointer}/name", "value": place.name}


def appended(settings: Settings, entries: Mapping[str, Body]) -> list[Op]:
    """Operations that add one entry to lists of the server's container, such as env."""
    place = settings.server.place
    if not place.pointer:
        return []
    guard = [_named(settings)] if place.name else []
    return [*guard, *(_append(place.pointer, key, e, place.has) for key, e in entries.items())]


def pod_appended(settings: Settings, entries: Mapping[str, Body]) -> list[Op]:
    """Operations that add one entry to lists of the pod, such as volumes."""
    llm = settings.mode is Mode.LLM
    above = "/spec/template" if llm else "/spec/predictor"
    ops = [_append(above, key, entry, settings.has) for key, entry in entries.items()]
    # Without a template of its own it has the presets', which go by the container's name.
    return (
        [_set(above, {"containers": [{"name": "main"}]}), *ops] if llm and not settings.has else ops
    )


def _append(above: str, key: str, entry: Body, has: frozenset[str]) -> Op:
    if key in has:
        return {"op": "add", "path": f"{above}/{key}/-", "value": entry}
    return {"op": "add", "path": f"{above}/{key}", "value": [entry]}


def port_of(settings: Settings) -> int:
    """Where the server listens: as declared, as a probe says, or by KServe's own convention."""
    probes = (settings.probes.readiness, settings.probes.startup, settings.probes.liveness)
    asked = (int(each.value.port) for each in probes if each.value and each.value.port.isdecimal())
    return settings.server.port or next(asked, PORTS.get(settings.mode, PORT))


def template_effect(settings: Settings) -> Effect:
    """What a change of the pod's template does. Source: knative/serving
    pkg/reconciler/configuration; kserve reconcilers/deployment."""
    return Effect.NEW_REVISION if settings.mode is Mode.KNATIVE else Effect.ROLLS_PODS


def template_gpus(settings: Settings) -> int | None:
    """Further GPUs while old and new pods run beside each other; None = not known."""
    gpus, least = settings.rollout.gpus, settings.scaling.min.value
    if gpus is None:
        return None
    if settings.mode is Mode.KNATIVE:
        return gpus * max(least or 0, 1)
    surge = settings.rollout.max_surge.value
    return None if surge is None else gpus * surge
