"""Nodes: what they hold, which images they have, and their heartbeats."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import NODES
from simulator.world.cluster import Cluster
from simulator.world.shapes import stamp
from simulator.world.stages import image_bytes, pull_seconds

# A kubelet with unchanged status writes it every five minutes.
# Source: kubernetes/kubernetes pkg/kubelet/apis/config/v1beta1, nodeStatusReportFrequency.
HEARTBEAT_S = 300.0
# What the pull of an image costs that another pod has just pulled.
SECOND_PULL_S = 0.3

PullDone = Callable[[float, float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePlan:
    """One node. gpus: GPUs it has. pool: label pool. taint: key=value of a NoSchedule taint."""

    name: str
    gpus: int
    pool: str = ""
    product: str = "NVIDIA-H100-80GB-HBM3"
    taint: str = ""
    images: tuple[str, ...] = ()


@dataclass(slots=True)
class _Pull:
    image: str
    asked_at: float
    done: PullDone


@dataclass(slots=True)
class NodeImages:
    """The images of one node; one pull at a time, as the kubelet does by default."""

    cluster: Cluster
    node: str
    present: set[str]
    _queue: deque[_Pull] = field(default_factory=deque)
    _busy: bool = False

    def pull(self, image: str, done: PullDone) -> None:
        """Calls done(seconds of the pull, seconds with the waiting before it), in real seconds."""
        self._queue.append(_Pull(image, self.cluster.now().timestamp(), done))
        if not self._busy:
            self._next()

    def _next(self) -> None:
        self._busy = bool(self._queue)
        if not self._queue:
            return
        waiting = self._queue.popleft()
        known = waiting.image in self.present
        seconds = SECOND_PULL_S if known else pull_seconds(waiting.image, self.cluster.draws)
        self.cluster.timeline.after(seconds, lambda: self._pulled(waiting, seconds))

    def _pulled(self, pull: _Pull, seconds: float) -> None:
        self.present.add(pull.image)
        spent = self.cluster.now().timestamp() - pull.asked_at
        pull.done(seconds / self.cluster.timeline.speed, spent)
        self._next()


class Nodes:
    """All nodes of one cluster. quiet: heartbeats that change nothing else are left out.

    withdrawn: images that their registry has no more.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.quiet = False
        self.withdrawn: set[str] = set()
        self.images: dict[str, NodeImages] = {}
        self._joined = 0

    def add(self, plan: NodePlan) -> None:
        """A new node joins, Ready at once."""
        self._joined += 1
        number = self._joined
        self.images[plan.name] = NodeImages(self.cluster, plan.name, set(plan.images))
        node = _node_object(plan, number, now=stamp(self.cluster.now()))
        self.cluster.ensure(NODES, node, manager="kubelet")
        self._write(plan.name)
        self._beat(plan.name)

    def remove(self, node: str) -> None:
        """A node leaves; what it had is gone."""
        self.images.pop(node, None)
        self.cluster.remove(NODES, ("", node))

    def cordon(self, node: str, *, unschedulable: bool) -> None:
        def edit(obj: JsonObject) -> None:
            obj["spec"].pop("unschedulable", None)
            if unschedulable:
                obj["spec"]["unschedulable"] = True

        self.cluster.change(NODES, ("", node), edit, manager="kubectl-cordon")

    def image_changed(self, node: str) -> None:
        """The kubelet reports a changed image list within some seconds."""
        self.cluster.timeline.after(8.0, lambda: self._write(node))

    def address(self, node: str) -> str:
        found = self.cluster.store.get(NODES, None, node)
        return str(found["status"]["addresses"][0]["address"]) if found else ""

    def _beat(self, node: str) -> None:
        def beat() -> None:
            if node not in self.images:
                return
            if not self.quiet:
                self._write(node)
            self._beat(node)

        self.cluster.timeline.after_real(HEARTBEAT_S, beat)

    def _write(self, node: str) -> None:
        if node not in self.images:
            return
        now, present = stamp(self.cluster.now()), self.images[node].present

        def edit(status: JsonObject) -> None:
            for entry in status["conditions"]:
                entry["lastHeartbeatTime"] = now
            status["images"] = [
                {"names": [image], "sizeBytes": image_bytes(image)} for image in sorted(present)
            ]

        self.cluster.change_status(NODES, ("", node), edit, manager="kubelet")


_GOOD = (
    (
        "MemoryPressure",
        "False",
        "KubeletHasSufficientMemory",
        "kubelet has sufficient memory available",
    ),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


def _node_object(plan: NodePlan, number: int, *, now: str) -> JsonObject:
    spec: JsonObject = {}
    if plan.taint:
        key, _, value = plan.taint.partition("=")
        spec["taints"] = [{"key": key, "value": value, "effect": "NoSchedule"}]
    return {
        "metadata": {"name": plan.name, "labels": _labels(plan)},
        "spec": spec,
        "status": _node_status(plan, number, now=now),
    }


def _labels(plan: NodePlan) -> dict[str, str]:
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": plan.name,
        "kubernetes.io/os": "linux",
    }
    if plan.gpus:
        labels["nvidia.com/gpu.count"] = str(plan.gpus)
        labels["nvidia.com/gpu.product"] = plan.product
    if plan.pool:
        labels["pool"] = plan.pool
    return labels


def _node_status(plan: NodePlan, number: int, *, now: str) -> JsonObject:
    capacity = {"cpu": "64", "ephemeral-storage": "1Ti", "memory": "512Gi", "pods": "110"}
    if plan.gpus:
        capacity["nvidia.com/gpu"] = str(plan.gpus)
    return {
        "capacity": dict(capacity),
        "allocatable": dict(capacity),
        "conditions": [
            {
                "type": kind,
                "status": value,
                "lastHeartbeatTime": now,
                "lastTransitionTime": now,
                "reason": reason,
                "message": message,
            }
            for kind, value, reason, message in _GOOD
        ],
        "addresses": [
            {"type": "InternalIP", "address": f"10.244.101.{number}"},
            {"type": "Hostname", "address": plan.name},
        ],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": {
            "machineID": plan.name,
            "systemUUID": plan.name,
            "bootID": plan.name,
            "kernelVersion": "6.1.0",
            "osImage": "linux",
            "containerRuntimeVersion": "containerd://2.0.0",
            "kubeletVersion": "v1.36.2",
            "kubeProxyVersion": "",
            "operatingSystem": "linux",
            "architecture": "amd64",
        },
    }


def allocatable_gpus(node: Mapping[str, Any]) -> int:
    return int(node["status"]["allocatable"].get("nvidia.com/gpu", 0))
