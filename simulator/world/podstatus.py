"""What a kubelet knows of one pod, and the status it makes of that.

Source: kubernetes/kubernetes pkg/kubelet/status/generate.go and kubelet_pods.go; shapes as seen on
1.36.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.world.programs import LogLines, Program, up_to
from simulator.world.shapes import stamp


def image_id(image: str) -> str:
    """By digest, as container runtimes tell it."""
    digest = hashlib.sha256(image.encode()).hexdigest()
    return f"{image.rpartition(':')[0]}@sha256:{digest}"


@dataclass(slots=True)
class Run:
    """One run of a container that began."""

    program: Program
    number: int
    started_at: datetime
    ended_at: datetime | None = None
    exit_code: int = 0
    reason: str = "Completed"
    message: str = ""
    answering: bool = False
    written: LogLines = field(default_factory=list)

    def log(self, now: datetime) -> LogLines:
        began = up_to(self.program.lines(self.started_at), self.ended_at or now)
        return [*began, *self.written]


@dataclass(slots=True)
class ContainerState:
    """One container of a pod. waiting: reason and message while it does not run.

    run: the newest run, ended or not; last: the run before it.
    """

    name: str
    image: str
    init: bool
    sidecar: bool = False
    waiting: tuple[str, str] = ("PodInitializing", "")
    run: Run | None = None
    last: Run | None = None
    restarts: int = 0
    started: bool = False
    ready: bool = False
    shows_waiting: bool = True

    @property
    def running(self) -> Run | None:
        run = self.run
        return run if run is not None and run.ended_at is None else None

    @property
    def finished(self) -> bool:
        """An init container that did its work; one that stays has, once it runs."""
        if self.sidecar:
            return self.running is not None
        return self.run is not None and self.run.ended_at is not None and not self.run.exit_code

    def as_json(self, pod_uid: str) -> JsonObject:
        state, last = self._states(pod_uid)
        status: JsonObject = {
            "name": self.name,
            "state": state,
            "lastState": last,
            "ready": self.ready,
            "restartCount": self.restarts,
            "image": self.image,
            "imageID": "" if self.run is None else image_id(self.image),
        }
        if self.run is not None:
            status["containerID"] = self._container_id(pod_uid, self.run)
        return status | {"started": self.started}

    def _states(self, pod_uid: str) -> tuple[JsonObject, JsonObject]:
        run = self.running
        if run is not None:
            return {"running": {"startedAt": stamp(run.started_at)}}, self._ended(
                self.last, pod_uid
            )
        if self.run is not None and not self.shows_waiting:
            return self._ended(self.run, pod_uid), self._ended(self.last, pod_uid)
        reason, message = self.waiting
        words = {"reason": reason} | ({"message": message} if message else {})
        return {"waiting": words}, self._ended(self.run, pod_uid)

    def _ended(self, run: Run | None, pod_uid: str) -> JsonObject:
        if run is None or run.ended_at is None:
            return {}
        ended: JsonObject = {"exitCode": run.exit_code, "reason": run.reason}
        if run.message:
            ended["message"] = run.message
        ended |= {
            "startedAt": stamp(run.started_at),
            "finishedAt": stamp(run.ended_at),
            "containerID": self._container_id(pod_uid, run),
        }
        return {"terminated": ended}

    def _container_id(self, pod_uid: str, run: Run) -> str:
        suffix = f"i{run.number}" if self.init else f"{self.name}-{run.number}"
        return f"containerd://{pod_uid}-{suffix}"


@dataclass(slots=True)
class PodState:
    """One pod on its node. since: condition -> moment of its last change of status.

    attempts: starts again, in place, after it had been ready.
    """

    uid: str
    key: tuple[str, str]
    node: str
    host_ip: str
    began: datetime
    containers: list[ContainerState]
    pod_ip: str = ""
    sandbox_up: bool = False
    stopping: bool = False
    was_ready: bool = False
    attempts: int = 0
    since: dict[str, tuple[str, datetime]] = field(default_factory=dict)

    @property
    def init(self) -> list[ContainerState]:
        return [each for each in self.containers if each.init]

    @property
    def app(self) -> list[ContainerState]:
        return [each for each in self.containers if not each.init]

    @property
    def ready(self) -> bool:
        return all(each.ready for each in self._staying) and not self.stopping

    @property
    def _staying(self) -> list[ContainerState]:
        """Containers that the pod's readiness depends on: native sidecars too."""
        return [each for each in self.containers if not each.init or each.sidecar]

    def container(self, name: str) -> ContainerState:
        return next(each for each in self.containers if each.name == name)

    @property
    def server(self) -> ContainerState:
        """The container that serves: the first one."""
        return self.app[0]

    @property
    def answering(self) -> bool:
        run = self.server.running
        return run is not None and run.answering

    def as_json(self, old: Mapping[str, Any], now: datetime) -> JsonObject:
        """The pod's status; the scheduler's condition is kept."""
        status: JsonObject = {
            "observedGeneration": 1,
            "phase": self._phase(),
            "conditions": [*self._conditions(now), *_kept(old)],
            "hostIP": self.host_ip,
            "hostIPs": [{"ip": self.host_ip}],
        }
        if self.pod_ip:
            status |= {"podIP": self.pod_ip, "podIPs": [{"ip": self.pod_ip}]}
        status["startTime"] = stamp(self.began)
        if self.init:
            status["initContainerStatuses"] = [each.as_json(self.uid) for each in self.init]
        status["containerStatuses"] = [each.as_json(self.uid) for each in self.app]
        return status | {"qosClass": old.get("qosClass", "Burstable")}

    def _phase(self) -> str:
        began = any(each.run is not None for each in self.app)
        return "Running" if began else "Pending"

    def _conditions(self, now: datetime) -> list[JsonObject]:
        initialised = all(each.finished for each in self.init)
        missing = [each.name for each in self.init if not each.finished]
        unready = [each.name for each in self._staying if not each.ready]
        not_ready = _words("ContainersNotReady", "containers with unready status", unready)
        not_done = _words("ContainersNotInitialized", "containers with incomplete status", missing)
        return [
            self._condition("PodReadyToStartContainers", self.sandbox_up, {}, now),
            self._condition("Initialized", initialised, not_done, now),
            self._condition("Ready", not unready, not_ready, now),
            self._condition("ContainersReady", not unready, not_ready, now),
        ]

    def _condition(
        self, kind: str, holds: bool, words: Mapping[str, str], now: datetime
    ) -> JsonObject:
        value = "True" if holds else "False"
        if self.since.get(kind, ("", now))[0] != value:
            self.since[kind] = (value, now)
        entry: JsonObject = {
            "type": kind,
            "observedGeneration": 1,
            "status": value,
            "lastProbeTime": None,
            "lastTransitionTime": stamp(self.since[kind][1]),
        }
        return entry if holds else {**entry, **words}


def _words(reason: str, text: str, names: Sequence[str]) -> dict[str, str]:
    return {"reason": reason, "message": f"{text}: [{' '.join(names)}]"}


def _kept(old: Mapping[str, Any]) -> list[JsonObject]:
    return [each for each in old.get("conditions", ()) if each["type"] == "PodScheduled"]
