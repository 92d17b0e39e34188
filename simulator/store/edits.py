"""What becomes of an edit before it is stored: pure steps from one version to the next."""

from __future__ import annotations

from datetime import datetime

from simulator.store.errors import Invalid
from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import Resource
from simulator.store.versions import Version, decoded, encoded

DEFAULT_GRACE_S = 30
_NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_FIXED = ("uid", "name", "namespace", "creationTimestamp", "resourceVersion", "generation")


def timestamp(moment: datetime) -> str:
    """Whole seconds, cut, as metadata holds them. moment: in UTC."""
    return f"{moment.isoformat()[:19]}Z"


def newborn(resource: Resource, obj: JsonObject, *, uid: str, created: str) -> JsonObject:
    """A copy of obj with what the API server fills in at creation, but for managedFields."""
    new: JsonObject = {"apiVersion": resource.api_version, "kind": resource.kind} | copied(obj)
    metadata = new.setdefault("metadata", {})
    metadata |= {"uid": uid, "creationTimestamp": created}
    for given in ("resourceVersion", "managedFields", "generation"):
        metadata.pop(given, None)
    if resource.counts_generations:
        metadata["generation"] = 1
    if not metadata.get("name"):
        metadata["name"] = metadata.get("generateName", "") + name_suffix(uid)
    return new


def name_suffix(uid: str) -> str:
    """Five letters as the API server puts behind generateName, drawn from the uid."""
    number = int.from_bytes(uid.encode()[-16:])
    base = len(_NAME_LETTERS)
    return "".join(_NAME_LETTERS[number // base**place % base] for place in range(2, 7))


def draft_of(version: Version) -> JsonObject:
    """A copy to edit; managedFields, half of many objects, stay the stored ones.

    Made by way of JSON, which is far quicker than walking.
    """
    obj, metadata = version.object, version.object["metadata"]
    bare = {key: value for key, value in metadata.items() if key != "managedFields"}
    draft: JsonObject = decoded(encoded(obj | {"metadata": bare}))
    if "managedFields" in metadata:
        draft["metadata"]["managedFields"] = metadata["managedFields"]
    return draft


def settled(
    resource: Resource, draft: JsonObject, old: JsonObject, *, subresource: str | None
) -> JsonObject:
    """The draft with what a writer cannot change put back. Invalid: another uid."""
    metadata, before = draft["metadata"], old["metadata"]
    if metadata.get("uid", before["uid"]) != before["uid"]:
        text = f'Invalid value: "{metadata["uid"]}": field is immutable'
        cause = ("metadata.uid", "FieldValueInvalid", text)
        raise Invalid(resource.group, resource.kind, before["name"], causes=[cause, cause])
    if subresource == "status":
        entries = metadata.get("managedFields", [])
        return old | {
            "metadata": before | {"managedFields": entries},
            "status": draft.get("status", {}),
        }
    draft["metadata"] = metadata | {key: before[key] for key in _FIXED if key in before}
    if subresource == "main" and "status" in resource.subresources:
        draft.pop("status", None)
        return draft | ({"status": old["status"]} if "status" in old else {})
    return draft


def with_generation(resource: Resource, new: JsonObject, old: JsonObject) -> JsonObject:
    """new, one generation up when anything but metadata and status is another object."""
    moved = any(
        new.get(key) is not old.get(key)
        for key in new.keys() | old.keys()
        if key not in ("metadata", "status")
    )
    if not (moved and resource.counts_generations):
        return new
    generation = old["metadata"].get("generation", 0) + 1
    return with_metadata(new, {"generation": generation})


def with_metadata(obj: JsonObject, values: JsonObject) -> JsonObject:
    return obj | {"metadata": obj["metadata"] | values}


def deletion_marks(obj: JsonObject, *, now: datetime, grace_s: int) -> JsonObject:
    """The metadata of an object whose deletion has begun; now is the end of its grace."""
    marks: JsonObject = {
        "deletionTimestamp": timestamp(now),
        "deletionGracePeriodSeconds": grace_s,
    }
    if "generation" in obj["metadata"]:
        marks["generation"] = obj["metadata"]["generation"] + 1
    return marks


def released(obj: JsonObject) -> bool:
    """Whether an object being deleted has lost its last finalizer (pods wait for the kubelet)."""
    metadata = obj["metadata"]
    if "deletionTimestamp" not in metadata or metadata.get("deletionGracePeriodSeconds"):
        return False
    return not metadata.get("finalizers")
