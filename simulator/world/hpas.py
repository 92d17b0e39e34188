"""The horizontal autoscaler: keeps a Deployment between its bounds.

Source: kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go. There is no load behind
it: only floor and ceiling move a Deployment.
"""

from __future__ import annotations

from simulator.store.json_values import JsonObject
from simulator.store.resources import DEPLOYMENTS, HPAS
from simulator.world.cluster import Cluster, Controller
from simulator.world.recorder import Source
from simulator.world.shapes import stamp

SOURCE = Source("horizontal-pod-autoscaler")
# Source: kube-controller-manager --horizontal-pod-autoscaler-sync-period is 15 s; a change of the
# spec is looked at within it.
SYNC_S = 2.5


class HorizontalPodAutoscalers(Controller):
    latency_s = SYNC_S

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.follow_own(HPAS)
        self.follow(DEPLOYMENTS, lambda deployment: str(deployment["metadata"]["name"]))

    def reconcile(self, namespace: str, name: str) -> None:
        key = (namespace, name)
        hpa = self.cluster.store.get(HPAS, *key)
        deployment = self.cluster.store.get(DEPLOYMENTS, *key)
        if hpa is None or deployment is None:
            return
        current = int(deployment["spec"]["replicas"])
        low, high = int(hpa["spec"]["minReplicas"]), int(hpa["spec"]["maxReplicas"])
        wanted = min(max(current, low), high)
        if wanted != current:
            self._scale(
                hpa,
                key,
                wanted,
                limit="below Spec.MinReplicas" if wanted > current else "above Spec.MaxReplicas",
            )
        self._tell(key, int(deployment.get("status", {}).get("replicas", 0)), wanted)

    def _scale(self, hpa: JsonObject, key: tuple[str, str], size: int, *, limit: str) -> None:
        def edit(obj: JsonObject) -> None:
            obj["spec"]["replicas"] = size

        self.cluster.change(DEPLOYMENTS, key, edit)
        text = f"New size: {size}; reason: Current number of replicas {limit}"
        self.cluster.recorder.event(hpa, "SuccessfulRescale", text, source=SOURCE)

    def _tell(self, key: tuple[str, str], current: int, wanted: int) -> None:
        now = stamp(self.cluster.now())

        def edit(status: JsonObject) -> None:
            if status.get("desiredReplicas") != wanted and current:
                status["lastScaleTime"] = now
            status["currentReplicas"], status["desiredReplicas"] = current, wanted

        self.cluster.change_status(HPAS, key, edit, manager="kube-controller-manager")
