"""InferenceService in Standard mode: a Deployment, and an HPA where the class asks for one.

Source: kserve/kserve reconcilers/{deployment,autoscaler,hpa,raw}; status by PropagateRawStatus.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import DEPLOYMENTS, HPAS, INFERENCESERVICES
from simulator.world.cluster import Cluster, Settings
from simulator.world.kserve import names
from simulator.world.kserve.containers import predictor_pod, template_annotations, template_labels
from simulator.world.shapes import condition, owner, set_condition

TCP_PROBE = {
    "tcpSocket": {"port": 8080},
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
}


def ensure_objects(
    cluster: Cluster, isvc: JsonObject, runtime: Mapping[str, Any] | None
) -> JsonObject | None:
    """Deployment and HPA as the InferenceService wants them; the Deployment is returned."""
    wanted = _deployment(isvc, runtime)
    key = (wanted["metadata"]["namespace"], wanted["metadata"]["name"])
    scaled_by_hpa = _class(isvc) == "hpa"
    if cluster.store.get(DEPLOYMENTS, *key) is None:
        deployment = cluster.ensure(DEPLOYMENTS, wanted, manager=names.MANAGER)
    else:
        deployment = cluster.change(
            DEPLOYMENTS, key, lambda obj: _update(obj, wanted, isvc), manager=names.MANAGER
        )
    if scaled_by_hpa:
        _ensure_hpa(cluster, isvc, key)
    else:
        cluster.remove(HPAS, key)
    return deployment


def _update(obj: JsonObject, wanted: JsonObject, isvc: Mapping[str, Any]) -> None:
    """Replicas are KServe's own only without an autoscaler."""
    obj["spec"]["template"] = wanted["spec"]["template"]
    if _class(isvc) == "none":
        obj["spec"]["replicas"] = wanted["spec"]["replicas"]


def _class(isvc: Mapping[str, Any]) -> str:
    found = isvc["metadata"].get("annotations", {}).get(names.AUTOSCALER_CLASS)
    return str(found or "hpa")


def _floor(isvc: Mapping[str, Any]) -> int:
    """An HPA cannot go below 1, and says nothing about it."""
    wanted = int(isvc["spec"]["predictor"].get("minReplicas", 1))
    return max(1, wanted) if _class(isvc) == "hpa" else wanted


def _deployment(isvc: JsonObject, runtime: Mapping[str, Any] | None) -> JsonObject:
    meta = isvc["metadata"]
    name = f"{meta['name']}-predictor"
    labels = template_labels(isvc) | {"app": f"isvc.{name}"}
    pod = predictor_pod(isvc, runtime) | {
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "schedulerName": "default-scheduler",
        "securityContext": {},
    }
    server = pod["containers"][0]
    server.setdefault("readinessProbe", copied(TCP_PROBE))
    server.setdefault("ports", [{"containerPort": 8080, "protocol": "TCP"}])
    server["terminationMessagePolicy"] = "File"
    predictor = isvc["spec"]["predictor"]
    rolling = {"maxUnavailable": "25%", "maxSurge": "25%"}
    strategy = predictor.get("deploymentStrategy") or {
        "type": "RollingUpdate",
        "rollingUpdate": rolling,
    }
    annotations = template_annotations(isvc, runtime)
    return {
        "metadata": {
            "name": name,
            "namespace": meta["namespace"],
            "labels": dict(labels),
            "annotations": dict(annotations),
            "ownerReferences": [owner(INFERENCESERVICES, isvc)],
        },
        "spec": {
            "replicas": _floor(isvc),
            "selector": {"matchLabels": {"app": f"isvc.{name}"}},
            "template": {"metadata": {"labels": labels, "annotations": annotations}, "spec": pod},
            "strategy": copied(strategy),
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
        },
        "status": {},
    }


def _ensure_hpa(cluster: Cluster, isvc: JsonObject, key: tuple[str, str]) -> None:
    floor = _floor(isvc)
    ceiling = max(floor, int(isvc["spec"]["predictor"].get("maxReplicas", 0)))
    if cluster.store.get(HPAS, *key) is None:
        cluster.ensure(HPAS, _hpa(isvc, key, floor, ceiling), manager=names.MANAGER)
        return

    def edit(obj: JsonObject) -> None:
        obj["spec"]["minReplicas"] = floor
        obj["spec"]["maxReplicas"] = ceiling

    cluster.change(HPAS, key, edit, manager=names.MANAGER)


def _hpa(isvc: JsonObject, key: tuple[str, str], floor: int, ceiling: int) -> JsonObject:
    target = {"type": "Utilization", "averageUtilization": 80}
    return {
        "metadata": {
            "name": key[1],
            "namespace": key[0],
            "labels": template_labels(isvc),
            "ownerReferences": [owner(INFERENCESERVICES, isvc)],
        },
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": key[1]},
            "minReplicas": floor,
            "maxReplicas": ceiling,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
        },
        "status": {"currentReplicas": 0, "desiredReplicas": floor},
    }


def remove_objects(cluster: Cluster, namespace: str, name: str) -> None:
    key = (namespace, f"{name}-predictor")
    cluster.remove(HPAS, key)
    cluster.remove(DEPLOYMENTS, key)


def write_status(
    status: JsonObject,
    isvc: Mapping[str, Any],
    deployment: JsonObject,
    settings: Settings,
    *,
    now: datetime,
) -> None:
    """PredictorReady from the Deployment's conditions; the last that matches wins."""
    value, reason, message = predictor_ready(deployment)
    words = {"reason": reason, "message": message}
    set_condition(status, "PredictorReady", value, now=now, **words)
    name, namespace = isvc["metadata"]["name"], isvc["metadata"]["namespace"]
    if value == "True":
        status["url"] = f"http://{name}-{namespace}.{settings.domain}"
        status["address"] = {"url": f"http://{name}-predictor.{namespace}.svc.cluster.local"}
        set_condition(status, "IngressReady", "True", now=now)
    elif condition({"status": status}, "IngressReady") is None:
        text = {"reason": "Predictor ingress not created"}
        set_condition(status, "IngressReady", "False", now=now, **text)
    predictor: JsonObject = status.setdefault("components", {}).setdefault("predictor", {})
    if "url" in status:
        predictor["url"] = f"http://{name}-predictor-{namespace}.{settings.domain}"
    ingress = condition({"status": status}, "IngressReady")
    ready = value == "True" and ingress is not None and ingress["status"] == "True"
    if ready:
        set_condition(status, "Ready", "True", now=now)
    else:
        set_condition(status, "Ready", "False" if value == "True" else value, now=now, **words)


def predictor_ready(deployment: Mapping[str, Any]) -> tuple[str, str, str]:
    """True, False or Unknown with reason and message."""
    available, progressing = (condition(deployment, kind) for kind in ("Available", "Progressing"))
    serves = available is not None and available["status"] == "True"
    verdict = ("True", "", "") if serves else ("Unknown", "", "")
    if progressing is not None:
        done = progressing["reason"] == "NewReplicaSetAvailable"
        if progressing["status"] == "False":
            return ("False", str(progressing["reason"]), str(progressing["message"]))
        if not done and not serves:
            verdict = ("Unknown", str(progressing["reason"]), str(progressing["message"]))
    if available is not None and available["status"] == "False":
        return ("False", str(available["reason"]), str(available["message"]))
    return verdict
