"""The scheduler: counts free GPUs, binds pods, says why it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import NODES, PODS
from simulator.store.versions import StoreEvent
from simulator.world.cluster import Cluster, Controller
from simulator.world.nodes import Nodes, allocatable_gpus
from simulator.world.placing import Room, choose
from simulator.world.shapes import condition, gpus_of, owner_uid, stamp

# Pods that did not fit are tried again at least this often.
# Source: kubernetes/kubernetes pkg/scheduler/backend/queue, podMaxInUnschedulablePodsDuration.
FLUSH_S = 300.0
MANAGER = "kube-scheduler"


class Scheduler(Controller):
    latency_s = 0.008

    def __init__(self, cluster: Cluster, nodes: Nodes) -> None:
        super().__init__(cluster)
        self.nodes = nodes
        self._waiting: set[tuple[str, str]] = set()
        cluster.on(PODS, self._pod_changed)
        cluster.on(NODES, self._node_changed)

    def _pod_changed(self, event: StoreEvent) -> None:
        meta = event.object["metadata"]
        key = (meta["namespace"], meta["name"])
        if event.type == "DELETED":
            self._waiting.discard(key)
            self._try_waiting()
        elif event.type == "ADDED" and not event.object["spec"].get("nodeName"):
            self.queue(*key)

    def _node_changed(self, event: StoreEvent) -> None:
        grown = event.previous is None or (
            event.previous["status"]["allocatable"] != event.object["status"]["allocatable"]
            or event.previous["spec"] != event.object["spec"]
        )
        if grown:
            self._try_waiting()

    def _try_waiting(self) -> None:
        for key in sorted(self._waiting):
            self.queue(*key, after_s=0.15)

    def reconcile(self, namespace: str, name: str) -> None:
        pod = self.cluster.store.get(PODS, namespace, name)
        if pod is None or pod["spec"].get("nodeName") or "deletionTimestamp" in pod["metadata"]:
            self._waiting.discard((namespace, name))
            return
        node, message = choose(pod, self._rooms(pod))
        if node is None:
            self._refuse(pod, message)
        else:
            self._bind(pod, node)

    def _rooms(self, pod: JsonObject) -> list[Room]:
        bound = [
            each
            for each in self.cluster.store.list(PODS)
            if each["spec"].get("nodeName") and each["status"].get("phase") not in _OVER
        ]
        return [self._room(pod, node, bound) for node in self.cluster.store.list(NODES)]

    def _room(self, pod: JsonObject, node: JsonObject, bound: list[JsonObject]) -> Room:
        name = node["metadata"]["name"]
        held = [each for each in bound if each["spec"]["nodeName"] == name]
        total = allocatable_gpus(node)
        images = self.nodes.images[name].present if name in self.nodes.images else set()
        return Room(
            node=node,
            gpus_total=total,
            gpus_free=total - sum(gpus_of(each) for each in held),
            has_image=pod["spec"]["containers"][0]["image"] in images,
            like=sum(owner_uid(each) == owner_uid(pod) for each in held),
        )

    def _refuse(self, pod: JsonObject, message: str) -> None:
        key = (pod["metadata"]["namespace"], pod["metadata"]["name"])
        self._waiting.add(key)
        self._note_failure(pod, "Unschedulable")
        entry: JsonObject = {
            "type": "PodScheduled",
            "observedGeneration": 1,
            "status": "False",
            "lastProbeTime": None,
            "lastTransitionTime": stamp(self.cluster.now()),
            "reason": "Unschedulable",
            "message": message,
        }
        self._write_condition(key, entry)
        self.cluster.recorder.scheduler_event(
            pod, "FailedScheduling", message, kind="Warning", action="Scheduling"
        )
        self.queue(*key, after_s=FLUSH_S)

    def _write_condition(self, key: tuple[str, str], entry: JsonObject) -> None:
        def edit(status: JsonObject) -> None:
            old = condition({"status": status}, "PodScheduled")
            if old and old["status"] == entry["status"]:
                entry["lastTransitionTime"] = old["lastTransitionTime"]
            others = [
                each for each in status.get("conditions", []) if each["type"] != entry["type"]
            ]
            status["conditions"] = [*others, entry]

        self.cluster.change_status(PODS, key, edit, manager=MANAGER)

    def _bind(self, pod: JsonObject, node: str) -> None:
        meta = pod["metadata"]
        key = (meta["namespace"], meta["name"])
        self._waiting.discard(key)
        text = f"Successfully assigned {key[0]}/{key[1]} to {node}"
        self.cluster.recorder.scheduler_event(
            pod, "Scheduled", text, kind="Normal", action="Binding"
        )
        self._mark_truth(pod, node)
        now = stamp(self.cluster.now())

        def edit(obj: JsonObject) -> None:
            obj["spec"]["nodeName"] = node
            obj["status"]["conditions"] = [
                {
                    "type": "PodScheduled",
                    "status": "True",
                    "lastProbeTime": None,
                    "lastTransitionTime": now,
                }
            ]

        self.cluster.change(PODS, key, edit, manager=MANAGER, subresource="binding")

    def _mark_truth(self, pod: Mapping[str, Any], node: str) -> None:
        uid = pod["metadata"]["uid"]
        self.cluster.truth.mark(uid, "node_chosen", self.cluster.now())
        start = self.cluster.truth.of(uid)
        if start is not None:
            start.node = node
        self._note_failure(pod, None)

    def _note_failure(self, pod: Mapping[str, Any], failure: str | None) -> None:
        start = self.cluster.truth.of(pod["metadata"]["uid"])
        if start is not None:
            start.failure = failure


_OVER = ("Succeeded", "Failed")
