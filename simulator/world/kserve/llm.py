"""LLMInferenceService: its workloads, scaled without a rollout, and what it says of them.

Source: kserve/kserve pkg/controller/v1alpha2/llmisvc (workload_single_node.go, scaling.go).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import (
    DEPLOYMENTS,
    LEADERWORKERSETS,
    LLMINFERENCESERVICES,
    Resource,
)
from simulator.world.cluster import Cluster, Controller
from simulator.world.kserve import names
from simulator.world.kserve.llm_workloads import static_replicas, workloads
from simulator.world.recorder import Source
from simulator.world.shapes import condition, condition_status, owner_name, set_condition

SOURCE = Source("LLMInferenceServiceController")
FINALIZER = "serving.kserve.io/llmisvc-finalizer"
PARTS = ("MainWorkloadReady", "WorkloadsReady")


class LLMInferenceServices(Controller):
    latency_s = 0.045

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.follow_own(LLMINFERENCESERVICES)
        self.follow(DEPLOYMENTS, lambda child: owner_name(child, "LLMInferenceService"))
        self.groups = LEADERWORKERSETS in cluster.store.resources
        if self.groups:
            self.follow(LEADERWORKERSETS, lambda child: owner_name(child, "LLMInferenceService"))

    def reconcile(self, namespace: str, name: str) -> None:
        service = self.cluster.store.get(LLMINFERENCESERVICES, namespace, name)
        if service is None:
            return
        if "deletionTimestamp" in service["metadata"]:
            self._finalizers(service, [])
            return
        self._finalizers(service, [FINALIZER])
        if names.is_stopped(service):
            self._stop(service)
            return
        wanted = workloads(service, version=self.cluster.settings.kserve)
        found = [self._ensure(service, resource, obj) for resource, obj in wanted]
        if found[0] is not None:
            self._tell(service, found[0])

    def _finalizers(self, service: JsonObject, wanted: list[str]) -> None:
        def edit(obj: JsonObject) -> None:
            obj["metadata"]["finalizers"] = list(wanted)

        if service["metadata"].get("finalizers", []) != wanted:
            self.cluster.change(LLMINFERENCESERVICES, _key(service), edit, manager=names.MANAGER)

    def _ensure(
        self, service: JsonObject, resource: Resource, wanted: JsonObject
    ) -> JsonObject | None:
        key = _key(wanted)
        found = self.cluster.store.get(resource, *key)
        if found is None:
            made = self.cluster.ensure(resource, wanted, manager=names.MANAGER)
            for what in (
                f"Secret {key[0]}/{key[1]}-self-signed-certs",
                f"{resource.kind} {'/'.join(key)}",
            ):
                self._say(service, "Created", f"Created v1.{what}")
            return made
        kept = static_replicas(service) is None and not key[1].endswith("-prefill")

        def edit(obj: JsonObject) -> None:
            for field in ("template", "leaderWorkerTemplate"):
                if field in wanted["spec"]:
                    obj["spec"][field] = copied(wanted["spec"][field])
            if not kept:
                obj["spec"]["replicas"] = wanted["spec"]["replicas"]

        changed = self.cluster.change(resource, key, edit, manager=names.MANAGER)
        if changed is not None and changed["spec"] != found["spec"]:
            self._say(service, "Updated", f"Updated v1.{resource.kind} {key[0]}/{key[1]}")
        return changed

    def _say(self, service: JsonObject, reason: str, text: str, *, kind: str = "Normal") -> None:
        self.cluster.recorder.event(service, reason, text, source=SOURCE, kind=kind)

    def _tell(self, service: JsonObject, deployment: JsonObject) -> None:
        namespace, name = _key(service)
        before, now = condition_status(service, "Ready"), self.cluster.now()
        available = condition(deployment, "Available") or {"status": "Unknown"}
        words = {word: str(available.get(word, "")) for word in ("reason", "message")}
        if available["status"] == "True":
            words = {}

        def edit(status: JsonObject) -> None:
            value = available["status"]
            set_condition(status, PARTS[0], value, now=now, severity="Info", **words)
            set_condition(status, PARTS[1], value, now=now, **words)
            set_condition(status, "Ready", value, now=now, **words)
            for kind in ("PresetsCombined", "RouterReady"):
                set_condition(status, kind, "True", now=now)
            status["observedGeneration"] = service["metadata"]["generation"]
            status["url"] = (
                f"http://inference-gateway.{self.cluster.settings.domain}/{namespace}/{name}"
            )
            status["addresses"] = [{"url": f"http://{name}-kserve-workload-svc.{namespace}.svc"}]
            status["workloads"] = _told_workloads(deployment, name)

        self.cluster.change_status(LLMINFERENCESERVICES, _key(service), edit, manager=names.MANAGER)
        self._say_ready(service, before, str(available["status"]))
        if deployment.get("status", {}).get("unavailableReplicas"):
            text = f"Updated v1.Secret {namespace}/{name}-kserve-self-signed-certs"
            self._say(service, "Updated", text)

    def _say_ready(self, service: JsonObject, before: str, after: str) -> None:
        name = service["metadata"]["name"]
        if after == "True" and before != "True":
            text = f"LLMInferenceService [{name}] is Ready"
            self._say(service, "LLMInferenceServiceReady", text)
        elif after == "False" and before == "True":
            text = f"LLMInferenceService [{name}] is no longer Ready because of: {', '.join(PARTS)}"
            self._say(service, "LLMInferenceServiceNotReady", text, kind="Warning")

    def _stop(self, service: JsonObject) -> None:
        namespace, name = _key(service)
        for end in ("", "-prefill"):
            self.cluster.remove(DEPLOYMENTS, (namespace, f"{name}-kserve{end}"))
        if self.groups:
            self.cluster.remove(LEADERWORKERSETS, (namespace, f"{name}-kserve-mn"))
        now = self.cluster.now()

        def edit(status: JsonObject) -> None:
            for kind in ("Ready", "RouterReady", *PARTS):
                set_condition(status, kind, "False", now=now, reason="Stopped")
            status.pop("workloads", None)

        self.cluster.change_status(LLMINFERENCESERVICES, _key(service), edit, manager=names.MANAGER)


def _told_workloads(deployment: Mapping[str, Any], name: str) -> JsonObject:
    counts = deployment.get("status", {})
    ready = counts.get("availableReplicas", counts.get("readyReplicas", 0))
    group, _, _ = deployment["apiVersion"].partition("/")
    primary = {"apiGroup": group, "kind": deployment["kind"]}
    primary |= {"name": deployment["metadata"]["name"]}
    return {
        "primary": primary | {"readyReplicas": ready},
        "service": {"kind": "Service", "name": f"{name}-kserve-workload-svc"},
    }


def _key(obj: Mapping[str, Any]) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]
