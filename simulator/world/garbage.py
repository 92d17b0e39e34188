"""The garbage collector: what is owned goes with its owner."""

from __future__ import annotations

from simulator.store.resources import PODS, Resource
from simulator.store.versions import StoreEvent
from simulator.world.cluster import Cluster
from simulator.world.shapes import owner_uid

LATENCY_S = 0.05


class GarbageCollector:
    """Deletes the children of a deleted object, a moment later."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.owning: tuple[Resource, ...] = tuple(
            each for each in cluster.store.resources if each.namespaced and each.group
        )
        for resource in self.owning:
            cluster.on(resource, self._changed)

    def _changed(self, event: StoreEvent) -> None:
        if event.type == "DELETED":
            uid, namespace = event.object["metadata"]["uid"], event.object["metadata"]["namespace"]
            self.cluster.timeline.after(LATENCY_S, lambda: self._collect(uid, namespace))

    def _collect(self, uid: str, namespace: str) -> None:
        for resource in (*self.owning, PODS):
            for child in self.cluster.store.list(resource, namespace):
                if owner_uid(child) == uid:
                    key = (namespace, child["metadata"]["name"])
                    self.cluster.remove(resource, key, graceful=resource is PODS)
