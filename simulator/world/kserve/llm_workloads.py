"""What an LLMInferenceService runs: Deployments, or LeaderWorkerSets for many nodes. Pure.

Source: kserve/kserve pkg/controller/v1alpha2/llmisvc (workload_single_node.go,
workload_multi_node.go, scaling.go), config/llmisvcconfig.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import (
    DEPLOYMENTS,
    LEADERWORKERSETS,
    LLMINFERENCESERVICES,
    Resource,
)
from simulator.world.kserve import names
from simulator.world.kserve.podwebhook import add_initializer
from simulator.world.shapes import owner

SIDECAR_IMAGE = "ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0"
COMPONENT = "app.kubernetes.io/component"
WORKLOAD = "llminferenceservice-workload"


def workloads(service: Mapping[str, Any], *, version: str) -> Iterator[tuple[Resource, JsonObject]]:
    """The one that answers, then the one that only reads prompts, where there is one."""
    spec, prefill = service["spec"], service["spec"].get("prefill")
    role = "decode" if prefill else "both"
    template = _template(service, spec, role=role, version=version)
    name = f"{service['metadata']['name']}-kserve"
    if "worker" in spec:
        yield LEADERWORKERSETS, _group(service, f"{name}-mn", template, version=version)
    else:
        yield DEPLOYMENTS, _deployment(service, name, template, replicas=static_replicas(service))
    if prefill:
        made = _template(service, spec | prefill, role="prefill", version=version)
        replicas = int(prefill.get("replicas", 1))
        yield DEPLOYMENTS, _deployment(service, f"{name}-prefill", made, replicas=replicas)


def static_replicas(service: Mapping[str, Any]) -> int | None:
    """spec.replicas; None leaves the Deployment's own (or scaling's floor) alone."""
    if "replicas" in service["spec"]:
        return int(service["spec"]["replicas"])
    scaling = service["spec"].get("scaling")
    return int(scaling.get("minReplicas", 1)) if scaling else None


def _labels(service: Mapping[str, Any], component: str, role: str) -> dict[str, str]:
    return {
        COMPONENT: component,
        "app.kubernetes.io/name": service["metadata"]["name"],
        "app.kubernetes.io/part-of": "llminferenceservice",
        "kserve.io/component": "workload",
        "llm-d.ai/role": role,
    }


def _template(
    service: Mapping[str, Any], spec: Mapping[str, Any], *, role: str, version: str
) -> JsonObject:
    component = f"{WORKLOAD}-prefill" if role == "prefill" else WORKLOAD
    pod = _pod(spec, service["metadata"]["namespace"], version=version, routed=role == "decode")
    return {"metadata": {"labels": _labels(service, component, role)}, "spec": pod}


def _meta(service: Mapping[str, Any], name: str, template: JsonObject) -> JsonObject:
    return {
        "name": name,
        "namespace": service["metadata"]["namespace"],
        "labels": dict(template["metadata"]["labels"]),
        "ownerReferences": [owner(LLMINFERENCESERVICES, service)],
    }


def _deployment(
    service: Mapping[str, Any], name: str, template: JsonObject, *, replicas: int | None
) -> JsonObject:
    return {
        "metadata": _meta(service, name, template),
        "spec": {
            "replicas": 1 if replicas is None else replicas,
            "selector": {"matchLabels": dict(template["metadata"]["labels"])},
            "template": template,
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
            },
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
        },
        "status": {},
    }


def _group(
    service: Mapping[str, Any], name: str, template: JsonObject, *, version: str
) -> JsonObject:
    """A LeaderWorkerSet: each replica is a leader, which answers, and workers beside it.

    Source: kserve/kserve config/llmisvcconfig/config-llm-worker-data-parallel.yaml: workers have
    no probes.
    """
    spec = service["spec"]
    role = template["metadata"]["labels"]["llm-d.ai/role"]
    worker = _pod(
        spec | {"template": spec["worker"]},
        service["metadata"]["namespace"],
        version=version,
        routed=False,
    )
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        worker["containers"][0].pop(probe, None)
    leader = copied(template)
    leader["metadata"]["labels"][COMPONENT] = f"{WORKLOAD}-leader"
    labels = _labels(service, f"{WORKLOAD}-worker", role)
    replicas = static_replicas(service)
    return {
        "metadata": _meta(service, name, template),
        "spec": {
            "replicas": 1 if replicas is None else replicas,
            "rolloutStrategy": {"type": "RollingUpdate"},
            "startupPolicy": "LeaderCreated",
            "leaderWorkerTemplate": {
                "size": int(spec["parallelism"]["data"]) // int(spec["parallelism"]["dataLocal"]),
                "restartPolicy": "RecreateGroupOnPodRestart",
                "leaderTemplate": leader,
                "workerTemplate": {"metadata": {"labels": labels}, "spec": worker},
            },
        },
        "status": {},
    }


def _pod(spec: Mapping[str, Any], namespace: str, *, version: str, routed: bool) -> JsonObject:
    """routed: with the sidecar that sends the reading of prompts elsewhere."""
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
    if routed:
        pod["initContainers"] = [_routing_sidecar()]
    if str(model.get("uri", "")).startswith(("hf://", "s3://")):
        add_initializer(pod, model["uri"], version=version)
    return pod


def _routing_sidecar() -> JsonObject:
    """A native sidecar: an init container that stays.

    Source: kserve/kserve config/llmisvcconfig/config-llm-decode-template.yaml.
    """
    check = {"path": "/health", "port": 8000, "scheme": "HTTP"}
    probe = {"httpGet": check, "initialDelaySeconds": 10, "periodSeconds": 10, "timeoutSeconds": 10}
    return {
        "name": "llm-d-routing-sidecar",
        "image": SIDECAR_IMAGE,
        "restartPolicy": "Always",
        "ports": [{"containerPort": 8000, "protocol": "TCP"}],
        "readinessProbe": probe | {"successThreshold": 1, "failureThreshold": 10},
        "livenessProbe": probe | {"successThreshold": 1, "failureThreshold": 3},
    }


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
