"""The cluster autoscaler: brings a node when a pod waits for one of its pool, takes idle ones away.

Source: kubernetes/autoscaler cluster-autoscaler (TriggeredScaleUp on the pod, scan interval 10 s,
scale-down after ten unneeded minutes). A new node has no image.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import NODES, PODS
from simulator.store.versions import StoreEvent
from simulator.world.cluster import Cluster
from simulator.world.nodes import NodePlan, Nodes
from simulator.world.recorder import Source
from simulator.world.shapes import condition

SOURCE = Source("cluster-autoscaler")
SCAN_S = 8.0
# From the request to a node that is Ready, as clouds take for a GPU machine.
JOIN_S = 75.0
UNNEEDED_S = 600.0


@dataclass(frozen=True, slots=True)
class Pool:
    """plan: of each of its nodes; the name gets a number."""

    plan: NodePlan
    most: int = 1


class NodePools:
    """Pools that begin empty."""

    def __init__(self, cluster: Cluster, nodes: Nodes, pools: Mapping[str, Pool]) -> None:
        self.cluster = cluster
        self.nodes = nodes
        self.pools = pools
        self._made = 0
        self._coming: dict[str, int] = {}
        cluster.on(PODS, self._pod_changed)

    def _pod_changed(self, event: StoreEvent) -> None:
        pod = event.object
        pool = pod["spec"].get("nodeSelector", {}).get("pool")
        if pool not in self.pools:
            return
        scheduled = condition(pod, "PodScheduled")
        if event.type == "DELETED":
            node = pod["spec"].get("nodeName")
            if node:
                self.cluster.timeline.after(UNNEEDED_S, lambda: self._remove_idle(node))
        elif scheduled is not None and scheduled["status"] == "False":
            self._bring(pool, pod)

    def _bring(self, pool: str, pod: JsonObject) -> None:
        size = len(self._nodes_of(pool)) + self._coming.get(pool, 0)
        if size >= self.pools[pool].most:
            return
        self._coming[pool] = self._coming.get(pool, 0) + 1
        most = self.pools[pool].most
        text = f"pod triggered scale-up: [{{{pool}-pool {size}->{size + 1} (max: {most})}}]"
        self.cluster.timeline.after(SCAN_S, lambda: self._say(pod, text))
        takes = self.cluster.draws.around(f"node/{pool}", JOIN_S)
        self.cluster.timeline.after(SCAN_S + takes, lambda: self._join(pool))

    def _say(self, pod: JsonObject, text: str) -> None:
        self.cluster.recorder.event(pod, "TriggeredScaleUp", text, source=SOURCE)
        self.cluster.truth.mark(pod["metadata"]["uid"], "node_asked", self.cluster.now())

    def _join(self, pool: str) -> None:
        self._coming[pool] -= 1
        self._made += 1
        plan = self.pools[pool].plan
        self.nodes.add(replace(plan, name=f"{plan.name}-{self._made}"))

    def _remove_idle(self, node: str) -> None:
        used = any(
            each["spec"].get("nodeName") == node and each["spec"].get("nodeSelector")
            for each in self.cluster.store.list(PODS)
        )
        if not used:
            self.nodes.remove(node)

    def _nodes_of(self, pool: str) -> list[Mapping[str, Any]]:
        return [
            node
            for node in self.cluster.store.list(NODES)
            if node["metadata"]["labels"].get("pool") == pool
        ]
