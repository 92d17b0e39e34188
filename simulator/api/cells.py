"""Columns and rows of built-in kinds. Source: kubernetes pkg/printers/internalversion."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from simulator.api.ages import age
from simulator.api.pod_cells import NONE, Cells, pod_cells
from simulator.store.json_values import JsonObject

# Column names; "+" in front: shown with -o wide only (priority 1).
Names = tuple[str, ...]


def _age(obj: JsonObject, now: datetime) -> str:
    return age(obj["metadata"].get("creationTimestamp"), now=now)


def _name_and_age(obj: JsonObject, now: datetime) -> list[Any]:
    return [obj["metadata"]["name"], _age(obj, now)]


def _node_cells(node: JsonObject, now: datetime) -> list[Any]:
    status = node.get("status", {})
    ready = {each["type"]: each["status"] for each in status.get("conditions") or []}.get("Ready")
    words = ["Ready" if ready == "True" else "NotReady" if ready else "Unknown"]
    if node.get("spec", {}).get("unschedulable"):
        words.append("SchedulingDisabled")
    prefix = "node-role.kubernetes.io/"
    labels = node["metadata"].get("labels") or {}
    roles = sorted(key[len(prefix) :] for key in labels if key.startswith(prefix))
    info = status.get("nodeInfo") or {}
    addresses = {each["type"]: each["address"] for each in status.get("addresses") or []}
    return [
        node["metadata"]["name"],
        ",".join(words),
        ",".join(roles) or NONE,
        _age(node, now),
        info.get("kubeletVersion", ""),
        addresses.get("InternalIP", NONE),
        addresses.get("ExternalIP", NONE),
        info.get("osImage", "<unknown>"),
        info.get("kernelVersion", "<unknown>"),
        info.get("containerRuntimeVersion", "<unknown>"),
    ]


def _event_cells(event: JsonObject, now: datetime) -> list[Any]:
    involved = event.get("involvedObject", {})
    source = event.get("source") or {}
    series = event.get("series") or {}
    first = event.get("firstTimestamp") or event.get("eventTime")
    last = series.get("lastObservedTime") or event.get("lastTimestamp") or first
    component = source.get("component") or event.get("reportingComponent") or ""
    return [
        age(last, now=now),
        event.get("type", ""),
        event.get("reason", ""),
        f"{involved.get('kind', '').lower()}/{involved.get('name', '')}",
        involved.get("fieldPath", ""),
        ", ".join(part for part in (component, source.get("host", "")) if part),
        event.get("message", "").strip(),
        age(first, now=now),
        series.get("count") or event.get("count") or 1,
        event["metadata"]["name"],
    ]


def _namespace_cells(namespace: JsonObject, now: datetime) -> list[Any]:
    phase = namespace.get("status", {}).get("phase", "Active")
    return [namespace["metadata"]["name"], phase, _age(namespace, now)]


def _template_cells(obj: JsonObject) -> list[Any]:
    spec = obj.get("spec", {})
    containers = spec.get("template", {}).get("spec", {}).get("containers") or []
    labels = (spec.get("selector") or {}).get("matchLabels") or {}
    return [
        ",".join(each["name"] for each in containers),
        ",".join(each.get("image", "") for each in containers),
        ",".join(f"{key}={value}" for key, value in sorted(labels.items())) or NONE,
    ]


def _deployment_cells(deployment: JsonObject, now: datetime) -> list[Any]:
    status = deployment.get("status", {})
    wanted = deployment.get("spec", {}).get("replicas", 1)
    return [
        deployment["metadata"]["name"],
        f"{status.get('readyReplicas', 0)}/{wanted}",
        status.get("updatedReplicas", 0),
        status.get("availableReplicas", 0),
        _age(deployment, now),
        *_template_cells(deployment),
    ]


def _replicaset_cells(replicaset: JsonObject, now: datetime) -> list[Any]:
    status = replicaset.get("status", {})
    return [
        replicaset["metadata"]["name"],
        replicaset.get("spec", {}).get("replicas", 1),
        status.get("replicas", 0),
        status.get("readyReplicas", 0),
        _age(replicaset, now),
        *_template_cells(replicaset),
    ]


def _hpa_cells(hpa: JsonObject, now: datetime) -> list[Any]:
    spec = hpa.get("spec", {})
    target = spec.get("scaleTargetRef", {})
    return [
        hpa["metadata"]["name"],
        f"{target.get('kind', '')}/{target.get('name', '')}",
        "<unknown>",
        str(spec.get("minReplicas", "<unset>")),
        spec.get("maxReplicas", 0),
        hpa.get("status", {}).get("currentReplicas", 0),
        _age(hpa, now),
    ]


def _service_cells(service: JsonObject, now: datetime) -> list[Any]:
    spec = service.get("spec", {})
    ports = [f"{each['port']}/{each.get('protocol', 'TCP')}" for each in spec.get("ports") or []]
    selector = spec.get("selector") or {}
    return [
        service["metadata"]["name"],
        spec.get("type", "ClusterIP"),
        spec.get("clusterIP") or NONE,
        spec.get("externalName") or NONE,
        ",".join(ports) or NONE,
        _age(service, now),
        ",".join(f"{key}={value}" for key, value in sorted(selector.items())) or NONE,
    ]


def _data_cells(obj: JsonObject, now: datetime) -> list[Any]:
    return [obj["metadata"]["name"], len(obj.get("data") or {}), _age(obj, now)]


_TEMPLATE: Names = ("+Containers", "+Images", "+Selector")
_PODS: Names = ("Name", "Ready", "Status", "Restarts", "Age")
_PODS_WIDE: Names = ("+IP", "+Node", "+Nominated Node", "+Readiness Gates")
_NODES: Names = ("Name", "Status", "Roles", "Age", "Version", "+Internal-IP", "+External-IP")
_NODES_WIDE: Names = ("+OS-Image", "+Kernel-Version", "+Container-Runtime")
_EVENTS: Names = ("Last Seen", "Type", "Reason", "Object", "+Subobject", "+Source", "Message")
_EVENTS_WIDE: Names = ("+First Seen", "+Count", "+Name")
_DEPLOYMENTS: Names = ("Name", "Ready", "Up-to-date", "Available", "Age")
_REPLICASETS: Names = ("Name", "Desired", "Current", "Ready", "Age")
_HPAS: Names = ("Name", "Reference", "Targets", "MinPods", "MaxPods", "Replicas", "Age")
_SERVICES: Names = ("Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "+Selector")

NAME_AND_AGE: tuple[Names, Cells] = (("Name", "Age"), _name_and_age)
BUILT_IN_TABLES: Mapping[str, tuple[Names, Cells]] = {
    "pods": (_PODS + _PODS_WIDE, pod_cells),
    "nodes": (_NODES + _NODES_WIDE, _node_cells),
    "events": (_EVENTS + _EVENTS_WIDE, _event_cells),
    "namespaces": (("Name", "Status", "Age"), _namespace_cells),
    "deployments": (_DEPLOYMENTS + _TEMPLATE, _deployment_cells),
    "replicasets": (_REPLICASETS + _TEMPLATE, _replicaset_cells),
    "horizontalpodautoscalers": (_HPAS, _hpa_cells),
    "services": (_SERVICES, _service_cells),
    "configmaps": (("Name", "Data", "Age"), _data_cells),
}
