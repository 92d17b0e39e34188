"""InferenceService in Knative mode: one Knative Service, mirrored status.

Source: kserve/kserve reconcilers/knative/ksvc_reconciler.go, SetAutoScalingAnnotations.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from simulator.store.json_values import JsonObject, copied
from simulator.store.resources import INFERENCESERVICES, KNATIVE_SERVICES
from simulator.world.cluster import Cluster
from simulator.world.knative import names as knative
from simulator.world.kserve import names
from simulator.world.kserve.containers import predictor_pod, template_annotations, template_labels
from simulator.world.shapes import condition, copy_condition, owner, set_condition


def ensure_service(
    cluster: Cluster, isvc: JsonObject, runtime: Mapping[str, Any] | None
) -> JsonObject | None:
    """The Knative Service as the InferenceService wants it now."""
    template = service_template(
        isvc, runtime, default_timeout_s=cluster.settings.revision_timeout_s
    )
    traffic = _traffic(isvc)
    key = (isvc["metadata"]["namespace"], f"{isvc['metadata']['name']}-predictor")
    found = cluster.store.get(KNATIVE_SERVICES, *key)
    if found is not None and found["spec"] == {"template": template, "traffic": traffic}:
        return found
    if found is None:
        return cluster.ensure(
            KNATIVE_SERVICES, _service(isvc, key, template, traffic), manager=names.MANAGER
        )

    def edit(obj: JsonObject) -> None:
        obj["spec"]["template"] = template
        obj["spec"]["traffic"] = traffic

    return cluster.change(KNATIVE_SERVICES, key, edit, manager=names.MANAGER)


def _service(
    isvc: JsonObject, key: tuple[str, str], template: JsonObject, traffic: list[JsonObject]
) -> JsonObject:
    return {
        "metadata": {
            "name": key[1],
            "namespace": key[0],
            "labels": template_labels(isvc),
            "annotations": {
                knative.CREATOR: "knative-controllers",
                knative.MODIFIER: "knative-controllers",
            },
            "ownerReferences": [owner(INFERENCESERVICES, isvc)],
        },
        "spec": {"template": template, "traffic": traffic},
    }


def service_template(
    isvc: Mapping[str, Any], runtime: Mapping[str, Any] | None, *, default_timeout_s: int
) -> JsonObject:
    """Any change here makes a new Revision."""
    predictor = isvc["spec"]["predictor"]
    annotations = template_annotations(isvc, runtime) | _scaling(predictor)
    spec = predictor_pod(isvc, runtime) | {
        "containerConcurrency": predictor.get("containerConcurrency", 0),
        "timeoutSeconds": predictor.get("timeout", default_timeout_s),
        "enableServiceLinks": False,
    }
    if "timeout" in predictor:
        spec["responseStartTimeoutSeconds"] = predictor["timeout"]
    return {"metadata": {"annotations": annotations, "labels": template_labels(isvc)}, "spec": spec}


def _scaling(predictor: Mapping[str, Any]) -> dict[str, str]:
    """minReplicas always wins; nil is written as 1."""
    annotations = {
        knative.CLASS: "kpa.autoscaling.knative.dev",
        knative.MIN_SCALE: str(predictor.get("minReplicas", 1)),
    }
    if predictor.get("maxReplicas"):
        annotations[knative.MAX_SCALE] = str(predictor["maxReplicas"])
    if "scaleTarget" in predictor:
        annotations[knative.TARGET] = str(predictor["scaleTarget"])
    if "scaleMetric" in predictor:
        annotations[knative.METRIC] = str(predictor["scaleMetric"])
    return annotations


def _traffic(isvc: Mapping[str, Any]) -> list[JsonObject]:
    """A canary splits between the newest revision and the one rolled out before it."""
    percent = isvc["spec"]["predictor"].get("canaryTrafficPercent")
    component = isvc.get("status", {}).get("components", {}).get("predictor", {})
    previous = component.get("latestRolledoutRevision")
    if percent is None or percent == 100 or not previous:
        return [{"latestRevision": True, "percent": 100}]
    return [
        {"latestRevision": True, "percent": percent},
        {"revisionName": previous, "percent": 100 - percent, "tag": "prev"},
    ]


def write_status(status: JsonObject, service: JsonObject, *, now: datetime) -> None:
    """Mirrors the Knative Service: its three conditions, traffic, revisions and addresses."""
    ready = condition(service, "Ready")
    copy_condition(status, "PredictorReady", ready, now=now)
    routes, configurations = (
        condition(service, kind) for kind in ("RoutesReady", "ConfigurationsReady")
    )
    if ready is not None:
        copy_condition(status, "PredictorRouteReady", routes, now=now, severity="Info")
        copy_condition(
            status, "PredictorConfigurationReady", configurations, now=now, severity="Info"
        )
    _roll_up(status, "RoutesReady", "PredictorRouteReady", routes, now=now)
    _roll_up(
        status, "LatestDeploymentReady", "PredictorConfigurationReady", configurations, now=now
    )
    _write_component(status, service)
    _write_ready(status, service, ready, now=now)


def _roll_up(
    status: JsonObject, kind: str, child: str, source: JsonObject | None, *, now: datetime
) -> None:
    value = str(source["status"]) if source else "Unknown"
    reason = "" if value == "True" else f"{child} not ready"
    set_condition(status, kind, value, now=now, reason=reason, severity="Info")


def _write_component(status: JsonObject, service: JsonObject) -> None:
    found = service.get("status", {})
    predictor: JsonObject = status.setdefault("components", {}).setdefault("predictor", {})
    for name, source in (
        ("latestCreatedRevision", "latestCreatedRevisionName"),
        ("latestReadyRevision", "latestReadyRevisionName"),
    ):
        if source in found:
            predictor[name] = found[source]
    traffic = found.get("traffic")
    if traffic:
        predictor["traffic"] = copied(traffic)
        newest = next((each for each in traffic if each.get("latestRevision")), traffic[0])
        if newest.get("percent") == 100:
            _roll_out(predictor, newest["revisionName"])
    if found:
        status["observedGeneration"] = found.get("observedGeneration", 1)


def _roll_out(predictor: JsonObject, name: str) -> None:
    before = predictor.get("latestRolledoutRevision")
    if before and before != name:
        predictor["previousRolledoutRevision"] = before
    predictor["latestRolledoutRevision"] = name


def _write_ready(
    status: JsonObject, service: JsonObject, ready: JsonObject | None, *, now: datetime
) -> None:
    """Ready is PredictorReady and IngressReady, nothing else."""
    if ready is not None and ready["status"] == "True":
        set_condition(status, "IngressReady", "True", now=now)
        found = service["status"]
        addresses = {key: copied(found[key]) for key in ("url", "address") if key in found}
        status |= addresses
        status["components"]["predictor"] |= addresses
    elif condition({"status": status}, "IngressReady") is None:
        set_condition(status, "IngressReady", "Unknown", now=now)
    copy_condition(status, "Ready", ready, now=now)
