"""Deployments, ReplicaSets, LeaderWorkerSets, nodes, namespaces and Events."""

import re

from fleet.adapters.kubernetes.parse.common import (
    AUTOSCALING,
    KNATIVE,
    bounded,
    component_of,
    conditions_of,
    containers_of,
    duration_s,
    is_gpu,
    meta_of,
    model_of,
    pairs,
    role_of,
    shared,
    utc,
    whole,
)
from fleet.adapters.kubernetes.parse.serving_shapes import RawWorkload
from fleet.adapters.kubernetes.parse.shapes import RawEvent, RawNamespace, RawNode, Template
from fleet.domain.records.common import condition
from fleet.domain.records.events import EventRecord
from fleet.domain.records.workload import NamespaceRecord, NodeRecord, WorkloadRecord

IMAGES_AT_MOST = 100
TAINTS_AT_MOST = 32
# A node's pool, as the usual providers name it.
_POOL_LABELS = (
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "pool",
    "node.kubernetes.io/instance-type",
)
_FIELD_PATH = re.compile(r"^spec\.(?:init|ephemeral)?[cC]ontainers\{([^}]{1,253})\}")


def workload_record(raw: RawWorkload, *, kind: str) -> WorkloadRecord:
    """A Deployment, ReplicaSet or LeaderWorkerSet. An absent spec.replicas means 1, but the API
    server always writes it: None stays unknown."""
    labels = raw.metadata.labels or {}
    template = _template(raw)
    model_kind, model = model_of(labels)
    notes = raw.metadata.annotations or {}
    return WorkloadRecord(
        meta=meta_of(raw.metadata),
        kind=kind,
        model_kind=model_kind,
        model=model,
        role=role_of(labels),
        revision=shared(labels.get(KNATIVE + "revision")),
        revision_uid=shared(labels.get(KNATIVE + "revisionUID")),
        revision_number=shared(notes.get("deployment.kubernetes.io/revision")),
        replicas=raw.spec.replicas,
        ready_replicas=raw.status.readyReplicas or 0,
        updated_replicas=raw.status.updatedReplicas or 0,
        observed_generation=raw.status.observedGeneration or 0,
        progress_deadline_s=_deadline_s(raw, notes),
        template_autoscaling=_repeats_autoscaling(template),
        containers=containers_of(template.spec.containers if template.spec else None),
        conditions=conditions_of(raw.status.conditions),
        version_label=shared(labels.get("app.kubernetes.io/version")),
        component=component_of(labels, model_kind),
    )


def _template(raw: RawWorkload) -> Template:
    group = raw.spec.leaderWorkerTemplate
    if group is not None:
        return group.leaderTemplate or group.workerTemplate or Template()
    return raw.spec.template or Template()


def _deadline_s(raw: RawWorkload, notes: dict[str, str]) -> float | None:
    if raw.spec.progressDeadlineSeconds is not None:
        return raw.spec.progressDeadlineSeconds
    return duration_s(notes.get(KNATIVE + "progress-deadline"))


def _repeats_autoscaling(template: Template) -> bool:
    notes = (template.metadata.annotations if template.metadata else None) or {}
    return any(key.startswith(AUTOSCALING) for key in notes)


def node_record(raw: RawNode) -> NodeRecord:
    """A node: whether it is ready, its accelerators, the images it says it holds."""
    ready = condition(conditions_of(raw.status.conditions), "Ready")
    labels = raw.metadata.labels or {}
    names = [name for image in raw.status.images or () for name in image.names or ()]
    gpus = sorted(
        (shared(name), whole(str(quantity)) or 0)
        for name, quantity in (raw.status.allocatable or {}).items()
        if is_gpu(name)
    )
    return NodeRecord(
        meta=meta_of(raw.metadata),
        ready=ready is not None and ready.status == "True",
        unschedulable=raw.spec.unschedulable,
        gpus=tuple(gpus),
        pool=shared(next((labels[key] for key in _POOL_LABELS if labels.get(key)), "")),
        images=tuple(shared(name) for name in names[:IMAGES_AT_MOST]),
        labels=pairs(raw.metadata.labels),
        taints=tuple(
            (shared(taint.key), shared(taint.value), shared(taint.effect))
            for taint in (raw.spec.taints or ())[:TAINTS_AT_MOST]
        ),
    )


def namespace_record(raw: RawNamespace) -> NamespaceRecord:
    """A namespace's labels."""
    return NamespaceRecord(meta=meta_of(raw.metadata), labels=pairs(raw.metadata.labels))


def event_record(raw: RawEvent) -> EventRecord:
    """An Event of either API. Times of the scheduler's are eventTime and series only.
    Source: client-go tools/record/events_cache.go, tools/events."""
    about = raw.involvedObject or raw.regarding
    first = raw.firstTimestamp or raw.deprecatedFirstTimestamp or raw.eventTime
    last = (
        (raw.series.lastObservedTime if raw.series else None)
        or raw.lastTimestamp
        or raw.deprecatedLastTimestamp
        or raw.eventTime
    )
    return EventRecord(
        meta=meta_of(raw.metadata),
        reason=shared(raw.reason),
        message=bounded(raw.message or raw.note),
        type=shared(raw.type),
        component=_component(raw),
        object_kind=shared(about.kind if about else ""),
        object_name=bounded(about.name if about else "", 256),
        object_uid=bounded(about.uid if about else "", 256),
        container=_container(about.fieldPath if about else ""),
        count=_count(raw),
        first_at=utc(first) or utc(raw.metadata.creationTimestamp),
        last_at=utc(last or first) or utc(raw.metadata.creationTimestamp),
    )


def _component(raw: RawEvent) -> str:
    old = raw.source or raw.deprecatedSource
    return shared(
        raw.reportingComponent or raw.reportingController or (old.component if old else "")
    )


def _count(raw: RawEvent) -> int:
    counts = (raw.count, raw.deprecatedCount, raw.series.count if raw.series else None)
    return max(1, *(count for count in counts if count), 1)


def _container(field_path: str) -> str:
    found = _FIELD_PATH.match(field_path)
    return shared(found.group(1)) if found else ""
