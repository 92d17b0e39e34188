"""Small bundles by hand, in the shapes of the API: moments are seconds before NOW."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
Json = dict[str, Any]


def at(ago_s: float) -> str:
    """RFC 3339 of so many seconds before NOW."""
    return (NOW - timedelta(seconds=ago_s)).isoformat().replace("+00:00", "Z")


def condition(
    type_: str, status: str = "True", reason: str = "", message: str = "", *, ago: float = 600
) -> Json:
    return {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": at(ago),
    }


def running(ago: float) -> Json:
    return {"running": {"startedAt": at(ago)}}


def waiting(reason: str, message: str = "") -> Json:
    return {"waiting": {"reason": reason, "message": message}}


def ended(
    code: int, reason: str = "Error", *, ran: float = 60, ago: float = 30, message: str = ""
) -> Json:
    return {
        "terminated": {
            "exitCode": code,
            "reason": reason,
            "message": message,
            "startedAt": at(ago + ran),
            "finishedAt": at(ago),
        }
    }


def status(
    name: str,
    state: Json,
    *,
    ready: bool = False,
    restarts: int = 0,
    last: Json | None = None,
) -> Json:
    found: Json = {"name": name, "ready": ready, "restartCount": restarts, "state": state}
    return found | ({"lastState": last} if last else {})


def probe(path: str = "/health", port: int | str = 8080, **numbers: Any) -> Json:
    return {"httpGet": {"path": path, "port": port}, **numbers}


def pod(
    name: str = "chat-predictor-6c8d9f7b5-aaaaa",
    *,
    created: float = 3600,
    ready: float | None = None,
    node: str = "gpu-1",
    refused: str = "",
    spec: Json | None = None,
    containers: Sequence[Json] = (),
    statuses: Sequence[Json] = (),
    inits: Sequence[Json] = (),
    labels: Mapping[str, str] | None = None,
    conditions: Sequence[Json] = (),
    **meta_or_status: Any,
) -> Json:
    """ready: since when, None if it is not. refused: what the scheduler says, "" once placed."""
    placed = condition("PodScheduled", ago=created - 1)
    if refused:
        placed = condition("PodScheduled", "False", "Unschedulable", refused, ago=created - 1)
    is_ready = condition("Ready", ago=ready) if ready is not None else condition("Ready", "False")
    phase = "Running" if node and not refused else "Pending"
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "chat",
            "labels": dict(labels or {"serving.kserve.io/inferenceservice": "chat"}),
            "creationTimestamp": at(created),
            **meta_or_status.pop("meta", {}),
        },
        "spec": {
            "containers": list(containers),
            **({} if refused else {"nodeName": node}),
            **(spec or {}),
        },
        "status": {
            "phase": meta_or_status.pop("phase", phase),
            "conditions": [placed, is_ready, *conditions],
            **({"containerStatuses": list(statuses)} if statuses else {}),
            **({"initContainerStatuses": list(inits)} if inits else {}),
            **meta_or_status,
        },
    }


def main(name: str = "kserve-container", **spec: Any) -> Json:
    return {"name": name, "resources": {"limits": {"nvidia.com/gpu": "1"}}, **spec}


def event(
    reason: str,
    message: str,
    *,
    ago: float = 30,
    first: float | None = None,
    count: int = 1,
    about: str = "Pod/chat-predictor-6c8d9f7b5-aaaaa",
    container: str = "",
    source: str = "kubelet",
) -> Json:
    kind, _, name = about.partition("/")
    field = {"fieldPath": f"spec.containers{{{container}}}"} if container else {}
    return {
        "reason": reason,
        "message": message,
        "involvedObject": {"kind": kind, "name": name, "namespace": "chat", **field},
        "source": {"component": source},
        "firstTimestamp": at(first if first is not None else ago),
        "lastTimestamp": at(ago),
        "count": count,
    }


def sample(name: str, value: float, *, ago: float = 10, **labels: str) -> Json:
    return {"name": name, "labels": labels, "value": value, "t": at(ago)}


def isvc(
    *conditions: Json,
    mode: str = "Standard",
    spec: Json | None = None,
    status: Json | None = None,
    annotations: Mapping[str, str] | None = None,
) -> Json:
    return {
        "kind": "InferenceService",
        "metadata": {
            "name": "chat",
            "namespace": "chat",
            "creationTimestamp": at(86_400),
            "annotations": {"serving.kserve.io/deploymentMode": mode, **(annotations or {})},
        },
        "spec": {"predictor": {"model": {"storageUri": "s3://models/chat"}, **(spec or {})}},
        "status": {"conditions": list(conditions), "deploymentMode": mode, **(status or {})},
    }


def knative(
    kind: str,
    *conditions: Json,
    spec: Json | None = None,
    status: Json | None = None,
    annotations: Mapping[str, str] | None = None,
    created: float = 86_400,
    name: str = "chat-predictor-00001",
) -> Json:
    """A Revision or a PodAutoscaler."""
    return {
        "kind": kind,
        "metadata": {
            "name": name,
            "namespace": "chat",
            "creationTimestamp": at(created),
            "annotations": {
                f"autoscaling.knative.dev/{k}": v for k, v in (annotations or {}).items()
            },
        },
        "spec": spec or {},
        "status": {"conditions": list(conditions), **(status or {})},
    }


def bundle(**parts: Any) -> Json:
    """observed_at is NOW unless it is given."""
    config = {"observed_at": at(0), **parts.pop("config", {})}
    return {**parts, "config": config}
