"""The scale subresource: an autoscaling/v1 Scale over spec.replicas."""

from __future__ import annotations

from aiohttp import web

from simulator.api.call import Call, json_response
from simulator.api.patches import JSON_PATCH, decoded_patch, json_patched, merged
from simulator.api.writing import patch_language
from simulator.store.errors import Invalid, NotFound
from simulator.store.json_values import JsonObject


def scale_of(obj: JsonObject) -> JsonObject:
    """The Scale of a Deployment, ReplicaSet or StatefulSet."""
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    metadata = obj["metadata"]
    labels = (obj.get("spec", {}).get("selector") or {}).get("matchLabels") or {}
    status: JsonObject = {"replicas": obj.get("status", {}).get("replicas", 0)}
    if labels:
        status["selector"] = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {key: metadata[key] for key in kept if key in metadata},
        "spec": {"replicas": obj.get("spec", {}).get("replicas", 1)},
        "status": status,
    }


def get_scale(call: Call) -> web.Response:
    return json_response(scale_of(_scaled(call)))


def _scaled(call: Call) -> JsonObject:
    """The object whose scale is meant. A kind without scale answers as if it were missing."""
    obj = call.store.get(call.served.stored, call.namespace, call.target.name)
    if obj is None or "scale" not in call.served.shown.subresources:
        raise NotFound(call.served.shown, call.target.name)
    return obj


async def set_scale(call: Call) -> web.Response:
    """PATCH or PUT of a Scale; the status still shows the old number."""
    patching = call.request.method == "PATCH"
    dry_run = call.dry_run("PatchOptions" if patching else "UpdateOptions")
    before = scale_of(_scaled(call))
    if patching:
        change = json_patched if patch_language(call) == JSON_PATCH else merged
        scale = change(before, decoded_patch(await call.request.read()))
    else:
        scale = await call.body()
    replicas = scale.get("spec", {}).get("replicas", 0)
    if not isinstance(replicas, int) or replicas < 0:
        text = f"Invalid value: {replicas}: must be greater than or equal to 0"
        cause = ("spec.replicas", "FieldValueInvalid", text)
        raise Invalid("autoscaling", "Scale", call.target.name, causes=[cause])

    def edit(draft: JsonObject) -> None:
        draft.setdefault("spec", {})["replicas"] = replicas

    asked_version = scale.get("metadata", {}).get("resourceVersion")
    changed = call.store.change(
        call.served.stored,
        call.namespace,
        call.target.name,
        edit,
        manager=call.manager,
        subresource="scale",
        dry_run=dry_run,
        expect_version=asked_version,
    )
    return json_response(scale_of(changed))
