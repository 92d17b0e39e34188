"""Knative Service: makes its Configuration and Route, mirrors their conditions.

Source: knative/serving pkg/reconciler/service, pkg/apis/serving/v1/service_lifecycle.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import CONFIGURATIONS, KNATIVE_SERVICES, ROUTES
from simulator.world.cluster import Cluster, Controller
from simulator.world.knative import names
from simulator.world.recorder import Source
from simulator.world.shapes import condition, copy_condition, owner, owner_name, set_condition

SOURCE = Source("service-controller")
OUT_OF_DATE = "is still working to reflect the latest desired specification."


class Services(Controller):
    latency_s = 0.09

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.follow_own(KNATIVE_SERVICES)
        for resource in (CONFIGURATIONS, ROUTES):
            self.follow(resource, lambda child: owner_name(child, "Service"))

    def reconcile(self, namespace: str, name: str) -> None:
        service = self.cluster.store.get(KNATIVE_SERVICES, namespace, name)
        if service is None or "deletionTimestamp" in service["metadata"]:
            return
        configuration = self._configuration(service)
        route = self._route(service)
        if configuration is None or route is None:
            return
        self._tell(service, configuration, route)

    def _configuration(self, service: JsonObject) -> JsonObject | None:
        key = (service["metadata"]["namespace"], service["metadata"]["name"])
        found = self.cluster.store.get(CONFIGURATIONS, *key)
        template = service["spec"]["template"]
        if found is not None and found["spec"]["template"] == template:
            return found
        if found is not None:

            def edit(obj: JsonObject) -> None:
                obj["spec"]["template"] = copied(template)

            return self.cluster.change(CONFIGURATIONS, key, edit, manager=names.MANAGER)
        meta = self._child(service)
        meta["labels"][names.SERVICE_UID] = service["metadata"]["uid"]
        spec = {"template": copied(template)}
        made = self.cluster.ensure(
            CONFIGURATIONS, {"metadata": meta, "spec": spec}, manager=names.MANAGER
        )
        self._say_created(service, "Configuration")
        return made

    def _route(self, service: JsonObject) -> JsonObject | None:
        key = (service["metadata"]["namespace"], service["metadata"]["name"])
        found = self.cluster.store.get(ROUTES, *key)
        traffic = [
            dict(each) | ({"configurationName": key[1]} if "revisionName" not in each else {})
            for each in service["spec"].get("traffic", [{"latestRevision": True, "percent": 100}])
        ]
        if found is not None and found["spec"]["traffic"] == traffic:
            return found
        if found is not None:

            def edit(obj: JsonObject) -> None:
                obj["spec"]["traffic"] = traffic

            return self.cluster.change(ROUTES, key, edit, manager=names.MANAGER)
        made = self.cluster.ensure(
            ROUTES,
            {"metadata": self._child(service), "spec": {"traffic": traffic}},
            manager=names.MANAGER,
        )
        self._say_created(service, "Route")
        return made

    def _child(self, service: Mapping[str, Any]) -> JsonObject:
        meta = service["metadata"]
        return {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "labels": dict(meta.get("labels", {})) | {names.SERVICE: meta["name"]},
            "annotations": dict(meta.get("annotations", {})),
            "ownerReferences": [owner(KNATIVE_SERVICES, service)],
        }

    def _say_created(self, service: JsonObject, kind: str) -> None:
        text = f'Created {kind} "{service["metadata"]["name"]}"'
        self.cluster.recorder.event(service, "Created", text, source=SOURCE)

    def _tell(self, service: JsonObject, configuration: JsonObject, route: JsonObject) -> None:
        now = self.cluster.now()

        def edit(status: JsonObject) -> None:
            _mirror(status, "ConfigurationsReady", "Configuration", configuration, now=now)
            _mirror(status, "RoutesReady", "Route", route, now=now)
            _sum_up(status, now=now)
            status["observedGeneration"] = service["metadata"]["generation"]
            for field in ("latestCreatedRevisionName", "latestReadyRevisionName"):
                _copy(status, field, configuration)
            for field in ("url", "address", "traffic"):
                _copy(status, field, route)

        key = (service["metadata"]["namespace"], service["metadata"]["name"])
        self.cluster.change_status(KNATIVE_SERVICES, key, edit, manager=names.MANAGER)


def _mirror(
    status: JsonObject, kind: str, noun: str, child: Mapping[str, Any], *, now: Any
) -> None:
    ready = condition(child, "Ready")
    observed = child.get("status", {}).get("observedGeneration")
    if ready is None or observed != child["metadata"]["generation"]:
        text = f"The {noun} {OUT_OF_DATE}"
        set_condition(status, kind, "Unknown", now=now, reason="OutOfDate", message=text)
        return
    copy_condition(status, kind, ready, now=now)


def _sum_up(status: JsonObject, *, now: Any) -> None:
    """Ready: False before Unknown before True; the route's words first."""
    kinds = ("RoutesReady", "ConfigurationsReady")
    found = [each for kind in kinds if (each := condition({"status": status}, kind))]
    for value in ("False", "Unknown"):
        worst = next((each for each in found if each["status"] == value), None)
        if worst is not None:
            copy_condition(status, "Ready", worst, now=now)
            return
    set_condition(status, "Ready", "True", now=now)


def _copy(status: JsonObject, field: str, child: Mapping[str, Any]) -> None:
    value = child.get("status", {}).get(field)
    if value is not None:
        status[field] = copied(value)
