"""Which node a pod goes to, and the scheduler's words when there is none. Pure.

Source: kubernetes/kubernetes pkg/scheduler/framework (types.go FitError, preemption texts), 1.36.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.world.shapes import gpus_of, matches

NO_GPU = "Insufficient nvidia.com/gpu"
TAINTED = "node(s) had untolerated taint(s)"
NOT_SELECTED = "node(s) didn't match Pod's node affinity/selector"
CORDONED = "node(s) were unschedulable"


@dataclass(frozen=True, slots=True)
class Room:
    """One node as the scheduler sees it. like: pods of the same owner that it holds already."""

    node: Mapping[str, Any]
    gpus_total: int
    gpus_free: int
    has_image: bool
    like: int

    @property
    def name(self) -> str:
        return str(self.node["metadata"]["name"])


def refusal(pod: Mapping[str, Any], room: Room) -> str | None:
    """Why this node will not do; None when it will."""
    spec, node = pod["spec"], room.node
    if node["spec"].get("unschedulable"):
        return CORDONED
    if not _tolerates(spec.get("tolerations", ()), node["spec"].get("taints", ())):
        return TAINTED
    if not matches(spec.get("nodeSelector", {}), node["metadata"]["labels"]):
        return NOT_SELECTED
    return NO_GPU if gpus_of(pod) > room.gpus_free else None


def choose(pod: Mapping[str, Any], rooms: Sequence[Room]) -> tuple[str | None, str]:
    """The node's name and "", or None and the message."""
    refusals = {room.name: refusal(pod, room) for room in rooms}
    fitting = [room for room in rooms if refusals[room.name] is None]
    if fitting:
        return max(fitting, key=lambda room: _score(pod, room)).name, ""
    reasons = [reason for reason in refusals.values() if reason]
    busy = [room for room in rooms if refusals[room.name] == NO_GPU]
    preemptible = sum(room.gpus_total >= gpus_of(pod) for room in busy)
    return None, unschedulable_message(reasons, preemptible)


def unschedulable_message(reasons: Sequence[str], preemptible: int) -> str:
    """reasons: one a node. preemptible: nodes that would do if other pods left them."""
    total = len(reasons)
    listed = ", ".join(f"{count} {reason}" for reason, count in sorted(Counter(reasons).items()))
    helpless = total - preemptible
    words = []
    if preemptible:
        words.append(f"{preemptible} No preemption victims found for incoming pod")
    if helpless:
        words.append(f"{helpless} Preemption is not helpful for scheduling")
    return (
        f"0/{total} nodes are available: {listed}. no new claims to deallocate, "
        f"preemption: 0/{total} nodes are available: {', '.join(words)}."
    )


def _score(pod: Mapping[str, Any], room: Room) -> tuple[int, bool, int, str]:
    """Spread replicas of one revision, then prefer the image, then the node with most room.

    Pods without GPUs keep off the nodes that have them.
    """
    free = room.gpus_free if gpus_of(pod) else -room.gpus_total
    return -room.like, room.has_image, free, room.name


def _tolerates(
    tolerations: Sequence[Mapping[str, Any]], taints: Sequence[Mapping[str, Any]]
) -> bool:
    return all(
        any(_covers(toleration, taint) for toleration in tolerations)
        for taint in taints
        if taint["effect"] in ("NoSchedule", "NoExecute")
    )


def _covers(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("key") not in (None, taint["key"]):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(toleration.get("value") == taint.get("value"))
