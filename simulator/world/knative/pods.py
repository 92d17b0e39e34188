"""The Deployment that a Revision asks for: the user's container beside queue-proxy.

Source: knative/serving pkg/reconciler/revision/resources (deploy.go, queue.go, meta.go).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import REVISIONS
from simulator.world.cluster import Settings
from simulator.world.knative import names
from simulator.world.shapes import owner, template_hash

QUEUE_IMAGE = "gcr.io/knative-releases/knative.dev/serving/cmd/queue"
_NOT_COPIED = (names.ROUTING_STATE, names.ROUTING_MODIFIED, names.ROUTES)


def deployment_name(revision: Mapping[str, Any]) -> str:
    return f"{revision['metadata']['name']}-deployment"


def deployment(revision: Mapping[str, Any], settings: Settings, *, replicas: int) -> JsonObject:
    """The Deployment as the Revision controller creates it."""
    meta = revision["metadata"]
    labels, annotations = child_labels(revision), deployment_annotations(revision, settings)
    template = pod_template(revision, settings)
    if settings.knative is not None and settings.knative >= (1, 22):
        labels["serving.knative.dev/deployment-hash"] = template_hash(template, 6)
    return {
        "metadata": {
            "name": deployment_name(revision),
            "namespace": meta["namespace"],
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [owner(REVISIONS, revision)],
        },
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {names.REVISION_UID: meta["uid"]}},
            "template": template,
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxUnavailable": 0, "maxSurge": "25%"},
            },
            "revisionHistoryLimit": 0,
            "progressDeadlineSeconds": progress_deadline(revision, settings),
        },
        "status": {},
    }


def progress_deadline(revision: Mapping[str, Any], settings: Settings) -> int:
    text = revision["metadata"].get("annotations", {}).get(names.PROGRESS_DEADLINE, "")
    return names.seconds_of(text, settings.progress_deadline_s)


def child_labels(revision: Mapping[str, Any]) -> dict[str, str]:
    """Labels of Deployment, PodAutoscaler and pods."""
    meta = revision["metadata"]
    kept = {key: text for key, text in meta["labels"].items() if key not in _NOT_COPIED}
    return kept | {
        "app": meta["name"],
        names.REVISION: meta["name"],
        names.REVISION_UID: meta["uid"],
    }


def deployment_annotations(revision: Mapping[str, Any], settings: Settings) -> dict[str, str]:
    """Without autoscaling annotations from 1.21 on; before, they were copied."""
    found = revision["metadata"].get("annotations", {})
    return {
        key: text
        for key, text in found.items()
        if key not in _NOT_COPIED
        and not (settings.syncs_annotations and key.startswith(names.AUTOSCALING))
    }


def pod_template(revision: Mapping[str, Any], settings: Settings) -> JsonObject:
    spec = revision["spec"]
    server = _server(revision)
    annotations = deployment_annotations(revision, settings)
    annotations["kubectl.kubernetes.io/default-container"] = server["name"]
    pod: JsonObject = {
        "volumes": copied(spec.get("volumes", [])),
        "containers": [server, _queue_proxy(revision, settings)],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": spec.get("timeoutSeconds", 300),
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "enableServiceLinks": False,
    }
    for field in ("nodeSelector", "tolerations", "initContainers"):
        if field in spec:
            pod[field] = copied(spec[field])
    return {"metadata": {"labels": child_labels(revision), "annotations": annotations}, "spec": pod}


def _server(revision: Mapping[str, Any]) -> JsonObject:
    meta = revision["metadata"]
    container: JsonObject = copied(revision["spec"]["containers"][0])
    container.pop("readinessProbe", None)
    port = server_port(container)
    container["ports"] = [{"name": "user-port", "containerPort": port, "protocol": "TCP"}]
    container["env"] = [
        *container.get("env", []),
        {"name": "PORT", "value": str(port)},
        {"name": "K_REVISION", "value": meta["name"]},
        {"name": "K_CONFIGURATION", "value": meta["labels"][names.CONFIGURATION]},
        {"name": "K_SERVICE", "value": meta["labels"][names.SERVICE]},
    ]
    drain = {"path": "/wait-for-drain", "port": 8022, "scheme": "HTTP"}
    container["lifecycle"] = {"preStop": {"httpGet": drain}}
    container["terminationMessagePath"] = "/dev/termination-log"
    container["terminationMessagePolicy"] = "FallbackToLogsOnError"
    container["imagePullPolicy"] = "IfNotPresent"
    return container


def server_port(container: Mapping[str, Any]) -> int:
    ports = container.get("ports")
    return int(ports[0]["containerPort"]) if ports else 8080


_QUEUE_PORTS = (
    ("http-autometric", 9090),
    ("http-usermetric", 9091),
    ("queue-port", 8012),
    ("https-port", 8112),
)


def _queue_proxy(revision: Mapping[str, Any], settings: Settings) -> JsonObject:
    user = revision["spec"]["containers"][0].get("readinessProbe", {})
    major, minor = settings.knative or (1, 21)
    return {
        "name": "queue-proxy",
        "image": f"{QUEUE_IMAGE}:v{major}.{minor}.0",
        "ports": [
            {"name": name, "containerPort": port, "protocol": "TCP"} for name, port in _QUEUE_PORTS
        ],
        "env": _queue_env(revision, user),
        "resources": {"requests": {"cpu": "25m"}},
        "readinessProbe": {
            "httpGet": {
                "path": "/",
                "port": 8012,
                "scheme": "HTTP",
                "httpHeaders": [{"name": "K-Network-Probe", "value": "queue"}],
            },
            "timeoutSeconds": user.get("timeoutSeconds", 1),
            "periodSeconds": user.get("periodSeconds", 10),
            "successThreshold": 1,
            "failureThreshold": user.get("failureThreshold", 3),
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }


def _queue_env(revision: Mapping[str, Any], probe: Mapping[str, Any]) -> list[JsonObject]:
    meta, spec = revision["metadata"], revision["spec"]
    values = {
        "SERVING_NAMESPACE": meta["namespace"],
        "SERVING_SERVICE": meta["labels"][names.SERVICE],
        "SERVING_CONFIGURATION": meta["labels"][names.CONFIGURATION],
        "SERVING_REVISION": meta["name"],
        "QUEUE_SERVING_PORT": "8012",
        "CONTAINER_CONCURRENCY": str(spec.get("containerConcurrency", 0)),
        "REVISION_TIMEOUT_SECONDS": str(spec.get("timeoutSeconds", 300)),
        "USER_PORT": str(server_port(spec["containers"][0])),
        "SYSTEM_NAMESPACE": "knative-serving",
        "SERVING_READINESS_PROBE": json.dumps(probe, separators=(",", ":")),
    }
    return [{"name": name, "value": value} for name, value in values.items()]
