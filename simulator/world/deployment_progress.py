"""How far a Deployment is, from the counts of its ReplicaSets. Pure.

Source: kubernetes/kubernetes pkg/controller/deployment (sync.go, progress.go).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.world.rollout import Bounds
from simulator.world.shapes import stamp


def counts_of(
    sets: Sequence[Mapping[str, Any]], current: Mapping[str, Any], bounds: Bounds
) -> dict[str, int]:
    def total(name: str) -> int:
        return sum(int(each.get("status", {}).get(name, 0)) for each in sets)

    available = total("availableReplicas")
    wanted = max(bounds.replicas, sum(int(each["spec"]["replicas"]) for each in sets))
    return {
        "replicas": total("replicas"),
        "updatedReplicas": int(current.get("status", {}).get("replicas", 0)),
        "readyReplicas": total("readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, wanted - available),
        "terminatingReplicas": total("terminatingReplicas"),
    }


def has_progressed(old: Mapping[str, Any], counts: Mapping[str, int]) -> bool:
    """More updated or available pods than before, or fewer old ones.

    Source: pkg/controller/deployment/util, DeploymentProgressing.
    """
    old_left = int(old.get("replicas", 0)) - int(old.get("updatedReplicas", 0))
    return (
        counts["updatedReplicas"] > int(old.get("updatedReplicas", 0))
        or counts["replicas"] - counts["updatedReplicas"] < old_left
        or counts["readyReplicas"] > int(old.get("readyReplicas", 0))
        or counts["availableReplicas"] > int(old.get("availableReplicas", 0))
    )


def is_complete(counts: Mapping[str, int], bounds: Bounds) -> bool:
    wanted = bounds.replicas
    return (
        counts["updatedReplicas"] == wanted
        and counts["replicas"] == wanted
        and counts["availableReplicas"] == wanted
    )


def write_condition(
    status: JsonObject, kind: str, value: str, words: tuple[str, str], *, now: datetime
) -> None:
    """Writes a condition; words are reason and message; lastUpdateTime moves with the reason."""
    entries: list[JsonObject] = status.setdefault("conditions", [])
    reason, message = words
    new: JsonObject = {
        "type": kind,
        "status": value,
        "lastUpdateTime": stamp(now),
        "lastTransitionTime": stamp(now),
        "reason": reason,
        "message": message,
    }
    for index, old in enumerate(entries):
        if old["type"] != kind:
            continue
        if old["status"] == value:
            new["lastTransitionTime"] = old["lastTransitionTime"]
            moves = reason != old["reason"] or reason == "ReplicaSetUpdated"
            new["lastUpdateTime"] = stamp(now) if moves else old["lastUpdateTime"]
        entries[index] = new
        return
    entries.append(new)
