"""Records <-> rows: what a follower leaves for the next one."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from fleet.domain.ledger.delta import KeptObject, ReplicaRow
from fleet.domain.records.change import Record
from fleet.domain.records.events import EventRecord
from fleet.domain.records.keys import Resource
from fleet.domain.records.serving import (
    AutoscalerRecord,
    HorizontalAutoscalerRecord,
    ModelRecord,
    RevisionRecord,
    RuntimeRecord,
)
from fleet.domain.records.workload import NamespaceRecord, NodeRecord, PodRecord, WorkloadRecord
from fleet.history.fitting import plain_text
from fleet.history.streams import Position, Stream
from fleet.models import ObservedObject, Replica, WatchPosition

logger = logging.getLogger(__name__)

RECORD_TYPES: dict[Resource, type[Record]] = {
    Resource.INFERENCE_SERVICES: ModelRecord,
    Resource.LLM_INFERENCE_SERVICES: ModelRecord,
    Resource.SERVING_RUNTIMES: RuntimeRecord,
    Resource.CLUSTER_SERVING_RUNTIMES: RuntimeRecord,
    Resource.REVISIONS: RevisionRecord,
    Resource.POD_AUTOSCALERS: AutoscalerRecord,
    Resource.DEPLOYMENTS: WorkloadRecord,
    Resource.REPLICA_SETS: WorkloadRecord,
    Resource.LEADER_WORKER_SETS: WorkloadRecord,
    Resource.HORIZONTAL_POD_AUTOSCALERS: HorizontalAutoscalerRecord,
    Resource.PODS: PodRecord,
    Resource.EVENTS: EventRecord,
    Resource.NODES: NodeRecord,
    Resource.NAMESPACES: NamespaceRecord,
}
# How long a replica that is gone is still handed on: late Events, successors' triggers.
HANDED_ON = timedelta(minutes=15)

_encoder = msgspec.json.Encoder()
_decoders = {resource: msgspec.json.Decoder(type_) for resource, type_ in RECORD_TYPES.items()}
_facts = msgspec.json.Decoder(dict[str, object])


def as_text(record: Record) -> str:
    """A record as JSON text."""
    return plain_text(_encoder.encode(record).decode())


def as_record(resource: Resource, text: str) -> Record | None:
    """The record in a row; None when an older release wrote it in a form that no longer reads."""
    try:
        return _decoders[resource].decode(text)
    except msgspec.MsgspecError as error:
        logger.warning("skipped a kept %s because=%s", resource, error)
        return None


def facts_text(facts: dict[str, object]) -> str:
    """A replica's facts as JSON text."""
    return plain_text(_encoder.encode(facts).decode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """All that the next follower starts from."""

    objects: tuple[KeptObject, ...]
    replicas: tuple[ReplicaRow, ...]
    positions: dict[Stream, Position]


def kept(cluster_id: int, cluster: str, *, now: datetime) -> Kept:
    """What was left. A resource of which a record no longer reads has no position: it is listed."""
    objects, unread = _objects(cluster_id)
    positions = _positions(cluster_id)
    return Kept(
        objects=tuple(objects),
        replicas=tuple(_replicas(cluster, now=now)),
        positions={s: p for s, p in positions.items() if s.resource not in unread},
    )


def _objects(cluster_id: int) -> tuple[list[KeptObject], set[Resource]]:
    objects: list[KeptObject] = []
    unread: set[Resource] = set()
    for row in ObservedObject.objects.filter(cluster=cluster_id).iterator(chunk_size=500):
        resource = Resource(row.resource)
        record = as_record(resource, row.record)
        if record is None:
            unread.add(resource)
            continue
        objects.append(
            KeptObject(
                resource=resource,
                uid=row.uid,
                namespace=row.namespace,
                name=row.name,
                record=record,
            )
        )
    return objects, unread


def _positions(cluster_id: int) -> dict[Stream, Position]:
    rows = WatchPosition.objects.filter(cluster=cluster_id).exclude(in_step_at=None)
    return {
        Stream.named(row.resource, row.namespace): Position(
            resource_version=row.resource_version, in_step_at=row.in_step_at
        )
        for row in rows
        if row.in_step_at is not None and row.resource.partition("/")[0] in set(Resource)
    }


def _replicas(cluster: str, *, now: datetime) -> Iterator[ReplicaRow]:
    """The replicas that live, or were gone only a while ago."""
    rows = Replica.objects.filter(cluster=cluster).handed_on(since=now - HANDED_ON)
    for row in rows.iterator(chunk_size=500):
        yield ReplicaRow(
            uid=row.uid,
            model=row.key,
            model_uid=row.model_uid,
            revision=row.revision,
            revision_uid=row.revision_uid,
            name=row.replica,
            role=row.role,
            node=row.node or None,
            created_at=row.created_at,
            ready=row.ready,
            ready_at=row.ready_at,
            gone_at=row.gone_at,
            gpus=row.gpus,
            facts=_facts.decode(row.facts),
        )
