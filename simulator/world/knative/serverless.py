"""ServerlessService: whether a revision has endpoints, and that the activator stands before them.

Source: knative/serving pkg/reconciler/serverlessservice, pkg/reconciler/autoscaling/kpa. With the
default target burst capacity and few pods the activator never leaves the path: the mode is Proxy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import PODAUTOSCALERS, PODS, SERVERLESSSERVICES
from simulator.store.versions import StoreEvent
from simulator.world.cluster import Cluster, Controller
from simulator.world.knative import names
from simulator.world.knative.podautoscalers import ready_pods
from simulator.world.shapes import owner, readiness_moved, set_condition

ACTIVATORS = 3
BACKED = {
    "severity": "Info",
    "reason": "ActivatorEndpointsPopulated",
    "message": "Revision is backed by Activator",
}
NO_BACKENDS = {"reason": "NoHealthyBackends", "message": names.NOT_BACKED}


class ServerlessServices(Controller):
    latency_s = 0.025

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.follow_own(PODAUTOSCALERS)
        cluster.on(PODS, self._pod_changed)

    def _pod_changed(self, event: StoreEvent) -> None:
        meta = event.object["metadata"]
        name = meta.get("labels", {}).get(names.REVISION)
        gone = event.type == "DELETED"
        if name is not None and (gone or readiness_moved(event.previous, event.object)):
            self.queue(meta["namespace"], name)

    def reconcile(self, namespace: str, name: str) -> None:
        autoscaler = self.cluster.store.get(PODAUTOSCALERS, namespace, name)
        if autoscaler is None:
            return
        found = self.cluster.store.get(SERVERLESSSERVICES, namespace, name)
        if found is None:
            wanted = _service(autoscaler)
            self.cluster.ensure(SERVERLESSSERVICES, wanted, manager=names.AUTOSCALER)
            self.queue(namespace, name, after_s=0.2)
            return
        self._switch(found, autoscaler)
        self._tell(found)
        if "numActivators" not in found["spec"]:
            self.cluster.timeline.after(0.08, lambda: self._count_activators((namespace, name)))

    def _switch(self, found: JsonObject, autoscaler: JsonObject) -> None:
        """Without burst capacity the activator stands in the path only while there is no pod."""
        annotations = autoscaler["metadata"].get("annotations", {})
        key = (found["metadata"]["namespace"], found["metadata"]["name"])
        direct = annotations.get(names.BURST_CAPACITY) == "0" and ready_pods(self.cluster, key)
        mode = "Serve" if direct else "Proxy"

        def edit(obj: JsonObject) -> None:
            obj["spec"]["mode"] = mode

        if found["spec"]["mode"] != mode:
            self.cluster.change(SERVERLESSSERVICES, key, edit, manager=names.AUTOSCALER)

    def _tell(self, found: JsonObject) -> None:
        key = (found["metadata"]["namespace"], found["metadata"]["name"])
        ready, now = ready_pods(self.cluster, key), self.cluster.now()

        def edit(status: JsonObject) -> None:
            set_condition(status, "ActivatorEndpointsPopulated", "True", now=now, **BACKED)
            for kind in ("EndpointsPopulated", "Ready"):
                if ready:
                    set_condition(status, kind, "True", now=now)
                else:
                    set_condition(status, kind, "Unknown", now=now, **NO_BACKENDS)
            status["observedGeneration"] = found["metadata"]["generation"]
            status["privateServiceName"] = f"{key[1]}-private"
            status["serviceName"] = key[1]

        self.cluster.change_status(SERVERLESSSERVICES, key, edit, manager=names.MANAGER)

    def _count_activators(self, key: tuple[str, str]) -> None:
        def edit(obj: JsonObject) -> None:
            obj["spec"]["numActivators"] = ACTIVATORS

        self.cluster.change(SERVERLESSSERVICES, key, edit, manager=names.AUTOSCALER)
        self.queue(*key)


def _service(autoscaler: Mapping[str, Any]) -> JsonObject:
    meta = autoscaler["metadata"]
    return {
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "labels": dict(meta["labels"]),
            "annotations": dict(meta["annotations"]),
            "ownerReferences": [owner(PODAUTOSCALERS, autoscaler)],
        },
        "spec": {
            "mode": "Proxy",
            "protocolType": "http1",
            "objectRef": dict(autoscaler["spec"]["scaleTargetRef"]),
        },
    }
