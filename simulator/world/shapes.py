"""Small parts that objects of a cluster are made of: times, owners, conditions, hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import Resource
from simulator.world.draws import SUFFIX_LETTERS


def stamp(moment: datetime) -> str:
    """metav1.Time: whole seconds, cut. moment: in UTC."""
    return f"{moment.isoformat()[:19]}Z"


def micro_stamp(moment: datetime) -> str:
    """metav1.MicroTime."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment_of(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def go_duration(seconds: float) -> str:
    """As Go prints a duration cut to milliseconds: 890ms, 4.1s, 1m2.345s, 1h0m5s."""
    millis = int(seconds * 1000)
    if millis < 1000:
        return f"{millis}ms"
    whole, rest = divmod(millis, 1000)
    hours, whole = divmod(whole, 3600)
    minutes, whole = divmod(whole, 60)
    text = f"{whole}.{rest:03d}".rstrip("0").rstrip(".") + "s"
    if hours:
        return f"{hours}h{minutes}m{text}"
    return f"{minutes}m{text}" if minutes else text


def owner(resource: Resource, obj: Mapping[str, Any]) -> JsonObject:
    """The ownerReference of a controller."""
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": obj["metadata"]["name"],
        "uid": obj["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def owner_uid(obj: Mapping[str, Any]) -> str | None:
    """uid of the controlling owner."""
    for reference in obj["metadata"].get("ownerReferences", ()):
        if reference.get("controller"):
            return str(reference["uid"])
    return None


def readiness_moved(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> bool:
    """Whether a pod came, became ready or unready, or began to go."""
    if before is None:
        return True
    leaving = {"deletionTimestamp" in each["metadata"] for each in (before, after)}
    ready = {condition_status(each, "Ready") for each in (before, after)}
    return len(ready) > 1 or len(leaving) > 1


def owner_name(obj: Mapping[str, Any], kind: str) -> str | None:
    for reference in obj["metadata"].get("ownerReferences", ()):
        if reference.get("kind") == kind:
            return str(reference["name"])
    return None


def condition(obj: Mapping[str, Any], kind: str) -> JsonObject | None:
    for entry in obj.get("status", {}).get("conditions", ()):
        if entry["type"] == kind:
            found: JsonObject = entry
            return found
    return None


def condition_status(obj: Mapping[str, Any], kind: str) -> str:
    """True, False, or Unknown (also when there is no such condition)."""
    entry = condition(obj, kind)
    return str(entry["status"]) if entry else "Unknown"


def set_condition(
    status: JsonObject, kind: str, value: str, *, now: datetime, **words: str
) -> None:
    """Writes a condition as Knative and KServe do: sorted by type, words only when not empty.

    words: reason, message, severity. lastTransitionTime moves with the value only.
    """
    entries: list[JsonObject] = status.setdefault("conditions", [])
    entry: JsonObject = {"type": kind, "status": value, "lastTransitionTime": stamp(now)}
    entry |= {name: text for name, text in words.items() if text}
    for index, old in enumerate(entries):
        if old["type"] == kind:
            if old["status"] == value:
                entry["lastTransitionTime"] = old["lastTransitionTime"]
            entries[index] = entry
            return
    entries.append(entry)
    entries.sort(key=lambda each: str(each["type"]))


def copy_condition(
    status: JsonObject, kind: str, source: JsonObject | None, *, now: datetime, severity: str = ""
) -> None:
    """Mirrors another object's condition under a name of its own; nothing known is Unknown."""
    found = source or {"status": "Unknown"}
    set_condition(
        status,
        kind,
        str(found["status"]),
        now=now,
        reason=str(found.get("reason", "")),
        message=str(found.get("message", "")),
        severity=severity,
    )


def template_hash(template: Mapping[str, Any], length: int = 10) -> str:
    """The pod-template-hash of a template: stable, and of the letters that Kubernetes uses."""
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).digest()
    return "".join(SUFFIX_LETTERS[byte % len(SUFFIX_LETTERS)] for byte in digest[:length])


def matches(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in selector.items())


def gpus_of(pod: Mapping[str, Any]) -> int:
    """GPUs that a pod's containers ask for."""
    limits = (each.get("resources", {}).get("limits", {}) for each in pod["spec"]["containers"])
    return sum(int(limit.get("nvidia.com/gpu", 0)) for limit in limits)


def without_empty(counts: Mapping[str, int], *, kept: Sequence[str] = ()) -> JsonObject:
    """Counts as Go marshals them with omitempty: zeros are left out, but for those kept."""
    return {name: count for name, count in counts.items() if count or name in kept}
