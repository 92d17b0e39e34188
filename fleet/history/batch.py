"""One batch of what a follower saw, in one transaction guarded by its lease."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from fleet.domain.ledger.delta import Delta
from fleet.domain.requests.states import Thresholds
from fleet.history import facts
from fleet.history.fitting import fitted, plain
from fleet.history.fleet_rows import Touched, write_fleet_rows
from fleet.history.leases import Lease, renew
from fleet.history.streams import Blind, Position, Stream
from fleet.history.upserts import upsert
from fleet.models import Gap, ServedModel, WatchPosition


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one batch brings. cluster: columns of the cluster's own row that changed. thresholds:
    when errors make a state."""

    delta: Delta = field(default_factory=Delta)
    positions: Mapping[Stream, Position] = field(default_factory=dict)
    gaps: Sequence[Blind] = ()
    cluster: Mapping[str, Any] = field(default_factory=dict)
    thresholds: Thresholds = field(default_factory=Thresholds)


def write_batch(lease: Lease, batch: Batch, *, now: datetime) -> tuple[str, ...]:
    """Write all of it or nothing; gives the keys of the models whose fleet row changed.

    Raises LeaseLost, having written nothing. A second write of the same batch changes nothing.
    """
    with transaction.atomic():
        renew(lease, now=now, **{name: plain(value) for name, value in batch.cluster.items()})
        _write_facts(lease, batch.delta)
        _write_positions(lease, batch.positions)
        Gap.objects.bulk_create([_gap(lease, blind) for blind in batch.gaps])
        rows = _write_fleet(lease, batch, now=now)
    return tuple(sorted({str(row.key) for row in rows}))


def _write_facts(lease: Lease, delta: Delta) -> None:
    facts.keep_objects(lease.cluster_id, delta.objects)
    facts.keep_refused(delta.not_taken)
    facts.keep_revisions(delta.revisions)
    facts.keep_replicas(delta.replicas)
    facts.keep_scale_events(delta.scale_events)
    facts.keep_probe_failures(delta.probe_failures)
    facts.keep_starts(delta.starts)


def _write_positions(lease: Lease, positions: Mapping[Stream, Position]) -> None:
    rows = [
        WatchPosition(
            cluster_id=lease.cluster_id,
            resource=stream.name,
            namespace=stream.namespace,
            resource_version=position.resource_version,
            in_step_at=position.in_step_at,
        )
        for stream, position in positions.items()
    ]
    upsert(rows, by=("cluster", "resource", "namespace"))


def _gap(lease: Lease, blind: Blind) -> Gap:
    return fitted(
        Gap(
            cluster_id=lease.cluster_id,
            resource=blind.stream.name,
            since=blind.since,
            until=blind.until,
            why=blind.why,
        )
    )


def _write_fleet(lease: Lease, batch: Batch, *, now: datetime) -> list[ServedModel]:
    delta = batch.delta
    touched = Touched(
        cluster=lease.cluster,
        statuses=delta.models,
        started=frozenset(start.model_uid for start in delta.starts),
        probed=frozenset(failure.model_uid for failure in delta.probe_failures),
        thresholds=batch.thresholds,
    )
    return write_fleet_rows(touched, now=now) if touched.uids() else []
