"""Knative Route: which revision gets what share, and that the ingress knows.

Source: knative/serving pkg/reconciler/route and labeler, route_lifecycle.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import CONFIGURATIONS, REVISIONS, ROUTES
from simulator.world.cluster import Cluster, Controller
from simulator.world.knative import names
from simulator.world.recorder import Source
from simulator.world.shapes import condition, condition_status, set_condition, stamp

SOURCE = Source("route-controller")
# From the Ingress to its readiness, as a gateway needs to take a new route.
INGRESS_S = 1.5
FINALIZER = "routes.serving.knative.dev"
NO_TLS = {"reason": "TLSNotEnabled", "message": "external-domain-tls is not enabled"}
NO_INGRESS = {
    "reason": "IngressNotConfigured",
    "message": "Ingress has not yet been reconciled.",
}


class Routes(Controller):
    latency_s = 0.06

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._with_ingress: set[str] = set()
        self.follow_own(ROUTES)
        self.follow(CONFIGURATIONS, lambda each: str(each["metadata"]["name"]))

    def reconcile(self, namespace: str, name: str) -> None:
        route = self.cluster.store.get(ROUTES, namespace, name)
        configuration = self.cluster.store.get(CONFIGURATIONS, namespace, name)
        if route is None:
            return
        if "deletionTimestamp" in route["metadata"]:
            self._release(route)
            return
        self._finalizer(route)
        traffic = self._traffic(route, configuration)
        if traffic is None:
            self._tell_waiting(route, configuration)
            return
        if route["metadata"]["uid"] not in self._with_ingress:
            self._make_ingress(route)
        self._tell(route, traffic)
        self._label(route, traffic, configuration)

    def _finalizer(self, route: JsonObject) -> None:
        if FINALIZER in route["metadata"].get("finalizers", ()):
            return

        def edit(obj: JsonObject) -> None:
            obj["metadata"]["finalizers"] = [FINALIZER]

        self.cluster.change(ROUTES, _key(route), edit, manager=names.MANAGER)
        text = f'Updated "{route["metadata"]["name"]}" finalizers'
        self.cluster.recorder.event(route, "FinalizerUpdate", text, source=SOURCE)

    def _release(self, route: JsonObject) -> None:
        def edit(obj: JsonObject) -> None:
            obj["metadata"].pop("finalizers", None)

        self._with_ingress.discard(route["metadata"]["uid"])
        self.cluster.change(ROUTES, _key(route), edit, manager=names.MANAGER)

    def _traffic(
        self, route: Mapping[str, Any], configuration: Mapping[str, Any] | None
    ) -> list[JsonObject] | None:
        """The effective split; None while a target is missing."""
        latest = (configuration or {}).get("status", {}).get("latestReadyRevisionName")
        targets: list[JsonObject] = []
        for wish in route["spec"]["traffic"]:
            name = wish.get("revisionName") or latest
            if not name:
                return None
            target = {"percent": wish.get("percent", 100), "revisionName": name}
            if "revisionName" not in wish:
                target["latestRevision"] = True
            if "tag" in wish:
                target["tag"] = wish["tag"]
            targets.append(target)
        return targets

    def _tell_waiting(self, route: JsonObject, configuration: Mapping[str, Any] | None) -> None:
        name, now = route["metadata"]["name"], self.cluster.now()
        failed = configuration is not None and condition_status(configuration, "Ready") == "False"
        text = (
            f'Configuration "{name}" does not have any ready Revision.'
            if failed
            else f'Configuration "{name}" is waiting for a Revision to become ready.'
        )
        words = {"reason": "RevisionMissing", "message": text}
        value = "False" if failed else "Unknown"

        def edit(status: JsonObject) -> None:
            set_condition(status, "AllTrafficAssigned", value, now=now, **words)
            set_condition(status, "CertificateProvisioned", "Unknown", now=now)
            set_condition(status, "IngressReady", "Unknown", now=now, **NO_INGRESS)
            set_condition(status, "Ready", value, now=now, **words)
            self._addresses(status, route)
            status.pop("address", None)

        self.cluster.change_status(ROUTES, _key(route), edit, manager=names.MANAGER)

    def _make_ingress(self, route: JsonObject) -> None:
        name, uid = route["metadata"]["name"], route["metadata"]["uid"]
        self._with_ingress.add(uid)
        for noun in ("placeholder service", "Ingress"):
            text = f'Created {noun} "{name}"'
            self.cluster.recorder.event(route, "Created", text, source=SOURCE)
        self.cluster.timeline.after(INGRESS_S, lambda: self._ingress_ready(_key(route)))

    def _ingress_ready(self, key: tuple[str, str]) -> None:
        now = self.cluster.now()

        def edit(status: JsonObject) -> None:
            set_condition(status, "IngressReady", "True", now=now)
            if condition_status({"status": status}, "AllTrafficAssigned") == "True":
                set_condition(status, "Ready", "True", now=now)

        self.cluster.change_status(ROUTES, key, edit, manager=names.MANAGER)

    def _tell(self, route: JsonObject, traffic: list[JsonObject]) -> None:
        now = self.cluster.now()

        def edit(status: JsonObject) -> None:
            set_condition(status, "AllTrafficAssigned", "True", now=now)
            set_condition(status, "CertificateProvisioned", "True", now=now, **NO_TLS)
            if condition({"status": status}, "IngressReady") is None:
                set_condition(status, "IngressReady", "Unknown", now=now, **NO_INGRESS)
            if condition_status({"status": status}, "IngressReady") == "True":
                set_condition(status, "Ready", "True", now=now)
            else:
                set_condition(status, "Ready", "Unknown", now=now, **NO_INGRESS)
            self._addresses(status, route)
            status["traffic"] = traffic

        self.cluster.change_status(ROUTES, _key(route), edit, manager=names.MANAGER)

    def _addresses(self, status: JsonObject, route: Mapping[str, Any]) -> None:
        namespace, name = _key(route)
        status["url"] = f"http://{name}.{namespace}.{self.cluster.settings.domain}"
        status["address"] = {"url": f"http://{name}.{namespace}.svc.cluster.local"}
        status["observedGeneration"] = route["metadata"]["generation"]

    def _label(
        self,
        route: JsonObject,
        traffic: Sequence[JsonObject],
        configuration: Mapping[str, Any] | None,
    ) -> None:
        """The labeler: a revision that is routed, or the newest, is active; others are reserve."""
        namespace, name = _key(route)
        if configuration is not None:
            self._note_route(configuration, name)
        status = (configuration or {}).get("status", {})
        used = {each["revisionName"] for each in traffic} | {
            status.get("latestCreatedRevisionName")
        }
        for revision in self.cluster.store.list(REVISIONS, namespace):
            if revision["metadata"]["labels"].get(names.CONFIGURATION) == name:
                state = "active" if revision["metadata"]["name"] in used else "reserve"
                self._set_state(revision, state)

    def _note_route(self, configuration: Mapping[str, Any], name: str) -> None:
        if configuration["metadata"].get("annotations", {}).get(names.ROUTES) == name:
            return

        def edit(obj: JsonObject) -> None:
            obj["metadata"].setdefault("annotations", {})[names.ROUTES] = name

        self.cluster.change(CONFIGURATIONS, _key(configuration), edit, manager=names.MANAGER)

    def _set_state(self, revision: JsonObject, state: str) -> None:
        if revision["metadata"]["labels"][names.ROUTING_STATE] == state:
            return

        def edit(obj: JsonObject) -> None:
            obj["metadata"]["labels"][names.ROUTING_STATE] = state
            obj["metadata"]["annotations"][names.ROUTING_MODIFIED] = stamp(self.cluster.now())
            if state == "reserve":
                obj["metadata"]["annotations"].pop(names.ROUTES, None)

        self.cluster.change(REVISIONS, _key(revision), edit, manager=names.MANAGER)


def _key(obj: Mapping[str, Any]) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]
