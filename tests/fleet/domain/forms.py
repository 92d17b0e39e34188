"""A replica of any form, as API objects: the recorded world around it, pods and Events made up by
what a kubelet does. Everything passes through the parser, as a watch's messages do."""

import copy
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from fleet.adapters.kubernetes.parse.stream import Recording
from fleet.domain.coldstart.start import ColdStart, Phase
from fleet.management.commands.measure import starts_in
from tests.fleet.domain.streams import Line, lines, named

LWS = "leaderworkerset.sigs.k8s.io/"
Json = dict[str, Any]
VLLM = "docker.io/vllm/vllm-openai:v0.11.0"
OCI = "registry.example.com/models/qwen:v1"
NO_INIT: Json = {"initContainers": []}
PVC = {"name": "kserve-pvc-source", "persistentVolumeClaim": {"claimName": "c"}}


def pulled(image: str, took: str, waited: str) -> str:
    """As kubelets from 1.30 on word it."""
    return (
        f'Successfully pulled image "{image}" in {took} ({waited} including waiting). '
        "Image size: 9876543210 bytes."
    )


def present(image: str) -> str:
    """As kubelets from 1.35 on word it."""
    return f'Container image "{image}" already present on machine and can be accessed by the pod'


@dataclass
class Form:
    """Writes messages of the watch at its clock. The first pod of a recording is the pattern; what
    came before it (model, workload, its wish) is kept as recorded.

    left_out: resources whose recorded messages are not wanted.
    """

    number: str = "11"
    written: list[Line] = field(default_factory=list)
    pods: dict[str, Json] = field(default_factory=dict)
    version: int = 900_000
    now: datetime = field(init=False)
    pattern: Json = field(init=False)

    def __post_init__(self) -> None:
        recorded = lines(named(self.number))
        at = next(n for n, line in enumerate(recorded) if _is_birth(line))
        self.pattern = recorded[at]["object"]
        self.now = datetime.fromisoformat(recorded[at]["t"]) + timedelta(seconds=0.01)
        born = self.now.isoformat()
        around = [line for line in recorded if line["resource"] not in {"pods", "events"}]
        self.written = [line for line in around if line["t"][:23] < born[:23]]

    def wait(self, seconds: float) -> "Form":
        """Let time pass."""
        self.now += timedelta(seconds=seconds)
        return self

    @property
    def stamp(self) -> str:
        """Now, as Kubernetes writes it: whole seconds, cut."""
        return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def main(self) -> str:
        """Name of the model's container."""
        return "main" if self.number == "11" else "kserve-container"

    def pod(self, uid: str = "pod-1", *, metadata: Json | None = None, **spec: Any) -> None:
        """A pod is made; `containers` of the spec are changed by name, other parts are replaced."""
        made = copy.deepcopy(self.pattern)
        made["metadata"] |= {"uid": uid, "name": uid, "creationTimestamp": self.stamp}
        for key, value in (metadata or {}).items():
            made["metadata"][key] = {**made["metadata"].get(key, {}), **value}
        containers = spec.pop("containers", {})
        made["spec"] = {**made["spec"], "nodeName": "", **spec}
        for container in made["spec"]["containers"]:
            container |= containers.get(container["name"], {})
        made["status"] = {"phase": "Pending"}
        self.pods[uid] = made
        self._send("pods", "ADDED", made)

    def bind(self, uid: str = "pod-1", *, node: str = "gpu-a-1") -> None:
        """The scheduler found a node."""
        self.pods[uid]["spec"]["nodeName"] = node
        self._condition(uid, "PodScheduled", "True")

    def unschedulable(self, uid: str = "pod-1") -> None:
        """It found none."""
        self._condition(uid, "PodScheduled", "False", reason="Unschedulable")

    def init(self, name: str, uid: str = "pod-1", **state: Any) -> None:
        """An init container's state: running=True, or exit_code."""
        self._container(uid, "initContainerStatuses", name, state)

    def run(self, uid: str = "pod-1", **state: Any) -> None:
        """The model's container runs since now."""
        self._container(uid, "containerStatuses", self.main, {"running": True, **state})

    def ready(self, uid: str = "pod-1") -> None:
        """All of the pod is ready."""
        self._container(uid, "containerStatuses", self.main, {"ready": True, "started": True})
        self._condition(uid, "Ready", "True")

    def event(self, reason: str, message: str, *, of: str = "", uid: str = "pod-1") -> None:
        """A kubelet's Event, of a container ("init:x" for an init container), or of the pod."""
        kind, _, name = of.rpartition(":")
        path = f"spec.{'initC' if kind else 'c'}ontainers{{{name}}}" if of else ""
        about = {"kind": "Pod", "name": uid, "uid": uid, "fieldPath": path}
        meta = {"name": f"e{self.version}", "uid": f"e{self.version}", "namespace": "llm-b"}
        self._send("events", "ADDED", {
            "metadata": meta | {"creationTimestamp": self.stamp},
            "involvedObject": about, "reason": reason, "message": message, "count": 1,
            "source": {"component": "kubelet"},
            "firstTimestamp": self.stamp, "lastTimestamp": self.stamp,
        })  # fmt: skip

    def node(self, name: str, *, labels: Json | None = None) -> None:
        """A node is made."""
        meta = {"name": name, "uid": f"node-{name}", "creationTimestamp": self.stamp}
        self._send("nodes", "ADDED", {"metadata": meta | {"labels": labels or {}}})

    def starts(self) -> dict[str, ColdStart]:
        """What is measured of all that was written."""
        texts = [json.dumps(line).encode() for line in self.written]
        recording = Recording()
        found = starts_in(recording, texts, cluster="demo")
        assert recording.odd == []
        return {start.replica_uid: start for start in found}

    def start(self, uid: str = "pod-1") -> ColdStart:
        """One start."""
        return self.starts()[uid]

    def _condition(self, uid: str, type_: str, status: str, *, reason: str = "") -> None:
        conditions = self.pods[uid]["status"].setdefault("conditions", [])
        conditions[:] = [item for item in conditions if item["type"] != type_]
        conditions.append(
            {"type": type_, "status": status, "reason": reason, "lastTransitionTime": self.stamp}
        )
        self._send("pods", "MODIFIED", self.pods[uid])

    def _container(self, uid: str, part: str, name: str, change: Json) -> None:
        statuses = self.pods[uid]["status"].setdefault(part, [])
        known = next((item for item in statuses if item["name"] == name), None)
        if known is None:
            known = {"name": name, "ready": False, "restartCount": 0, "state": {}}
            statuses.append(known)
        if change.pop("running", False):
            known["state"] = {"running": {"startedAt": self.stamp}}
        if (code := change.pop("exit_code", None)) is not None:
            began = known["state"].get("running", {}).get("startedAt", self.stamp)
            ended = {"exitCode": code, "startedAt": began, "finishedAt": self.stamp}
            known["state"] = {"terminated": ended}
        known |= change
        self._send("pods", "MODIFIED", self.pods[uid])

    def _send(self, resource: str, type_: str, item: Json) -> None:
        self.version += 1
        item["metadata"]["resourceVersion"] = str(self.version)
        t = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.written.append(
            {"t": t, "resource": resource, "type": type_, "object": copy.deepcopy(item)}
        )


def _is_birth(line: Line) -> bool:
    labels = line["object"].get("metadata", {}).get("labels") or {}
    serves = "serving" not in labels.get("app.kubernetes.io/component", "")
    return line["resource"] == "pods" and line["type"] == "ADDED" and serves


def laid(start: ColdStart) -> dict[str, float]:
    """Seconds by phase; of a phase that comes twice, the sum."""
    found: dict[str, float] = {}
    for span in start.phases:
        found[span.phase.value] = found.get(span.phase.value, 0.0) + span.seconds
    return found


def is_about(start: ColdStart, **expected: float) -> None:
    """Phases as expected to whole cut seconds, none beside them, and they add up."""
    found = laid(start)
    wanted = {name.replace("_", "-"): seconds for name, seconds in expected.items()}
    told = {name: seconds for name, seconds in found.items() if name in wanted or seconds > 1.1}
    assert told == pytest.approx(wanted, abs=1.1)
    before_route = [s.seconds for s in start.phases if s.phase is not Phase.ROUTE]
    assert sum(before_route) == pytest.approx(start.total_s, abs=0.05)
    assert start.unexplained_s == 0


def server(form: Form, *, pull_s: float = 0, load_s: float = 30, uid: str = "pod-1") -> None:
    """The model server's image, pulled or there; its run; Ready."""
    if pull_s:
        form.event("Pulling", f'Pulling image "{VLLM}"', of=form.main, uid=uid)
        took = f"{pull_s:.0f}s"
        form.wait(pull_s).event("Pulled", pulled(VLLM, took, took), of=form.main, uid=uid)
    else:
        form.event("Pulled", present(VLLM), of=form.main, uid=uid)
    form.event("Started", "Container started", of=form.main, uid=uid)
    form.run(uid)
    form.wait(load_s).ready(uid)


def bound(form: Form, after_s: float = 1, uid: str = "pod-1") -> None:
    """Waiting for a node."""
    form.wait(after_s).bind(uid)


def fetching(form: Form, seconds: float, uid: str = "pod-1") -> None:
    """The storage-initializer's work."""
    form.event("Started", "Container started", of="init:storage-initializer", uid=uid)
    form.init("storage-initializer", uid, running=True)
    form.wait(seconds).init("storage-initializer", uid, exit_code=0)
