"""What really happened, kept outside the cluster: one record per finished start."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

# In the order that a start passes them. node_asked: a node is on its way for this pod.
# full_pull_started: only where the server's image was not on the node yet.
BOUNDARIES = (
    "demanded",
    "pod_created",
    "node_asked",
    "node_chosen",
    "sandbox_up",
    "fetch_started",
    "fetch_ended",
    "pull_started",
    "full_pull_started",
    "pull_ended",
    "container_started",
    "engine_answers",
    "ready",
    "routed",
    "first_answer",
)


# What every pod of a group has to pass; the server answers in its leader alone.
BY_ALL = (
    "node_chosen",
    "sandbox_up",
    "fetch_started",
    "fetch_ended",
    "container_started",
    "ready",
)


@dataclass(slots=True)
class Start:
    """One replica's attempt; marks: boundary -> moment, the first time it was passed.

    attempt: 0 for the pod's first start, n for its nth one after having been ready. pods: how many
    become ready as one; a group has passed a boundary when its last pod has.

    start_mode: cold, cached-image, cached-weights or cached-both; unknown for a start that ended
    before its image counted. outcome: None while it runs.
    """

    cluster: str
    model: str
    namespace: str
    pod: str
    pod_uid: str
    attempt: int = 0
    pods: int = 1
    trigger: str = "unknown"
    start_mode: str = "unknown"
    node: str | None = None
    restarts: int = 0
    outcome: str | None = None
    failure: str | None = None
    marks: dict[str, datetime] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        marks = {name: self.marks[name] for name in BOUNDARIES if name in self.marks}
        return {
            "cluster": self.cluster,
            "model": self.model,
            "namespace": self.namespace,
            "pod": self.pod,
            "pod_uid": self.pod_uid,
            "attempt": self.attempt,
            "trigger": self.trigger,
            "start_mode": self.start_mode,
            "node": self.node,
            "restarts": self.restarts,
            "outcome": self.outcome,
            "failure": self.failure,
            "boundaries": {
                name: f"{moment:%Y-%m-%dT%H:%M:%S.%fZ}" for name, moment in marks.items()
            },
        }


def _nobody(start: Start) -> None:
    """Where starts go that nobody keeps."""


@dataclass(slots=True)
class TruthLog:
    """Starts that run, by pod uid; finished ones are given to keep."""

    keep: Callable[[Start], None] = _nobody
    running: dict[str, Start] = field(default_factory=dict)
    _leaders: dict[str, str] = field(default_factory=dict)
    _passed: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def begin(self, start: Start) -> None:
        self.running[start.pod_uid] = start

    def join(self, pod_uid: str, leader_uid: str) -> None:
        """This pod is of the group of that leader: no start of its own."""
        self._leaders[pod_uid] = leader_uid

    def mark(self, pod_uid: str, boundary: str, moment: datetime) -> None:
        """Notes a boundary the first time it is passed, of a group by its last pod."""
        leader = self._leaders.get(pod_uid, pod_uid)
        start = self.running.get(leader)
        if start is None or (leader != pod_uid and boundary not in BY_ALL):
            return
        if start.pods > 1 and boundary in BY_ALL:
            passed = self._passed.setdefault((leader, boundary), set())
            passed.add(pod_uid)
            if len(passed) < start.pods:
                return
        start.marks.setdefault(boundary, moment)
        if boundary == "container_started" and "engine_answers" in start.marks:
            # A group loads until its last pod runs, whatever its leader says before.
            start.marks["engine_answers"] = max(start.marks["engine_answers"], moment)

    def of(self, pod_uid: str) -> Start | None:
        return self.running.get(pod_uid)

    def leader_of(self, pod_uid: str) -> str:
        """Of the pod's group; the pod itself where it is in none."""
        return self._leaders.get(pod_uid, pod_uid)

    def leave(self, pod_uid: str) -> None:
        """A pod of a group is gone."""
        self._leaders.pop(pod_uid, None)

    def forget(self, pod_uid: str) -> None:
        """The start is of no interest: no model server."""
        self.running.pop(pod_uid, None)

    def end(self, pod_uid: str, outcome: str) -> None:
        """The start is over; a ready one stays ready whatever comes later."""
        start = self.running.pop(pod_uid, None)
        if start is None:
            return
        start.outcome = outcome
        for boundary in BY_ALL:
            self._passed.pop((pod_uid, boundary), None)
        if "pull_ended" not in start.marks and not start.attempt:
            start.start_mode = "unknown"
        self.keep(start)


def line(start: Start) -> str:
    return json.dumps(start.as_json(), separators=(",", ":"))
