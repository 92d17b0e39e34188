"""LLMInferenceService: one Deployment {name}-kserve, scaled without a rollout.

Source: kserve/kserve pkg/controller/v1alpha2/llmisvc (workload_single_node.go, scaling.go).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import DEPLOYMENTS, LLMINFERENCESERVICES
from simulator.world.cluster import Cluster, Controller
from simulator.world.kserve import names
from simulator.world.kserve.podwebhook import add_initializer
from simulator.world.recorder import Source
from simulator.world.shapes import condition, condition_status, owner, owner_name, set_condition

SOURCE = Source("LLMInferenceServiceController")
FINALIZER = "serving.kserve.io/llmisvc-finalizer"
PARTS = ("MainWorkloadReady", "WorkloadsReady")


class LLMInferenceServices(Controller):
    latency_s = 0.045

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.follow_own(LLMINFERENCESERVICES)
        self.follow(DEPLOYMENTS, lambda child: owner_name(child, "LLMInferenceService"))

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
        deployment = self._deployment(service)
        if deployment is not None:
            self._tell(service, deployment)

    def _finalizers(self, service: JsonObject, wanted: list[str]) -> None:
        def edit(obj: JsonObject) -> None:
            obj["metadata"]["finalizers"] = list(wanted)

        if service["metadata"].get("finalizers", []) != wanted:
            self.cluster.change(LLMINFERENCESERVICES, _key(service), edit, manager=names.MANAGER)

    def _deployment(self, service: JsonObject) -> JsonObject | None:
        version = self.cluster.settings.kserve
        wanted = workload(service, version=version)
        key = (wanted["metadata"]["namespace"], wanted["metadata"]["name"])
        found = self.cluster.store.get(DEPLOYMENTS, *key)
        if found is None:
            made = self.cluster.ensure(DEPLOYMENTS, wanted, manager=names.MANAGER)
            for what in (
                f"Secret {key[0]}/{key[1]}-self-signed-certs",
                f"Deployment {'/'.join(key)}",
            ):
                self._say(service, "Created", f"Created v1.{what}")
            return made
        replicas = static_replicas(service)

        def edit(obj: JsonObject) -> None:
            obj["spec"]["template"] = copied(wanted["spec"]["template"])
            if replicas is not None:
                obj["spec"]["replicas"] = replicas

        changed = self.cluster.change(DEPLOYMENTS, key, edit, manager=names.MANAGER)
        if changed is not None and changed["spec"] != found["spec"]:
            self._say(service, "Updated", f"Updated v1.Deployment {key[0]}/{key[1]}")
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
            status["workloads"] = _workloads(deployment, name)

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
        self.cluster.remove(DEPLOYMENTS, (namespace, f"{name}-kserve"))
        now = self.cluster.now()

        def edit(status: JsonObject) -> None:
            for kind in ("Ready", "RouterReady", *PARTS):
                set_condition(status, kind, "False", now=now, reason="Stopped")
            status.pop("workloads", None)

        self.cluster.change_status(LLMINFERENCESERVICES, _key(service), edit, manager=names.MANAGER)


def static_replicas(service: Mapping[str, Any]) -> int | None:
    """spec.replicas; None leaves the Deployment's own (or scaling's floor) alone."""
    if "replicas" in service["spec"]:
        return int(service["spec"]["replicas"])
    scaling = service["spec"].get("scaling")
    return int(scaling.get("minReplicas", 1)) if scaling else None


def workload(service: Mapping[str, Any], *, version: str) -> JsonObject:
    """The Deployment of a service that runs on single nodes, roles not split."""
    meta, spec = service["metadata"], service["spec"]
    labels = {
        "app.kubernetes.io/component": "llminferenceservice-workload",
        "app.kubernetes.io/name": meta["name"],
        "app.kubernetes.io/part-of": "llminferenceservice",
        "kserve.io/component": "workload",
        "llm-d.ai/role": "both",
    }
    replicas = static_replicas(service)
    return {
        "metadata": {
            "name": f"{meta['name']}-kserve",
            "namespace": meta["namespace"],
            "labels": dict(labels),
            "ownerReferences": [owner(LLMINFERENCESERVICES, service)],
        },
        "spec": {
            "replicas": 1 if replicas is None else replicas,
            "selector": {"matchLabels": dict(labels)},
            "template": {
                "metadata": {"labels": dict(labels)},
                "spec": _pod(spec, meta["namespace"], version=version),
            },
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
            },
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
        },
        "status": {},
    }


def _pod(spec: Mapping[str, Any], namespace: str, *, version: str) -> JsonObject:
    template = spec.get("template", {})
    container: JsonObject = copied(template["containers"][0])
    model = spec["model"]
    served = f'"{model["name"]}" "publishers/{namespace}/models/{model["name"]}"'
    command = f"exec vllm serve {names.MOUNT} --served-model-name {served} --port 8000"
    container |= {"command": ["/bin/bash", "-c", command, "--"]}
    container.setdefault("ports", [{"containerPort": 8000, "protocol": "TCP"}])
    container |= _probes() | {"lifecycle": {"preStop": {"exec": {"command": ["/bin/sleep", "15"]}}}}
    container["terminationMessagePolicy"] = "FallbackToLogsOnError"
    pod: JsonObject = {
        "containers": [container],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 60,
        "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "volumes": [{"name": "dshm", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}],
    }
    for field in ("nodeSelector", "tolerations"):
        if field in template:
            pod[field] = copied(template[field])
    if str(model.get("uri", "")).startswith(("hf://", "s3://")):
        add_initializer(pod, model["uri"], version=version)
    return pod


def _probes() -> JsonObject:
    """Source: kserve/kserve config/llmisvcconfig/config-llm-template.yaml."""
    health = {"path": "/health", "port": 8000, "scheme": "HTTP"}

    def probe(period_s: int, failures: int) -> JsonObject:
        return {
            "httpGet": dict(health),
            "timeoutSeconds": 1,
            "periodSeconds": period_s,
            "successThreshold": 1,
            "failureThreshold": failures,
        }

    return {
        "startupProbe": probe(10, 60),
        "readinessProbe": probe(1, 2),
        "livenessProbe": probe(10, 10),
    }


def _workloads(deployment: Mapping[str, Any], name: str) -> JsonObject:
    ready = deployment.get("status", {}).get("availableReplicas", 0)
    primary = {"apiGroup": "apps", "kind": "Deployment", "name": f"{name}-kserve"}
    return {
        "primary": primary | {"readyReplicas": ready},
        "service": {"kind": "Service", "name": f"{name}-kserve-workload-svc"},
    }


def _key(obj: Mapping[str, Any]) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]
