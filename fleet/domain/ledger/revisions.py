"""Revisions as rows: Knative Revisions, else the ReplicaSets and LeaderWorkerSets of a model."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from fleet.domain.ledger.context import autoscaler_of
from fleet.domain.ledger.delta import RevisionRow
from fleet.domain.ledger.group import Group
from fleet.domain.records.common import condition
from fleet.domain.records.keys import Mode
from fleet.domain.records.serving import Container, RevisionRecord
from fleet.domain.records.workload import WorkloadRecord

_HELPERS = ("queue-proxy",)


def revision_rows(group: Group) -> Iterator[RevisionRow]:
    """The revisions that exist now."""
    if group.record is None:
        return
    if group.mode is Mode.KNATIVE:
        for revision in group.revisions.values():
            yield _knative(group, revision)
        return
    for workload in group.workloads.values():
        if workload.kind in {"ReplicaSet", "LeaderWorkerSet"}:
            yield _workload(group, workload)


def changed_rows(group: Group, *, now: datetime) -> Iterator[RevisionRow]:
    """Rows that differ from what was said, and those that are gone, said once."""
    rows = {row.uid: row for row in revision_rows(group)}
    for uid in [uid for uid in group.said_revisions if uid not in rows]:
        yield replace(group.said_revisions.pop(uid), gone_at=now, traffic_percent=None)
    for uid, row in rows.items():
        if group.said_revisions.get(uid) != row:
            group.said_revisions[uid] = row
            yield row


def _knative(group: Group, revision: RevisionRecord) -> RevisionRow:
    scaler = autoscaler_of(group, revision.meta.uid)
    ready = condition(revision.conditions, "Ready")
    status = {"True": True, "False": False}.get(ready.status) if ready else None
    return RevisionRow(
        **_identity(group),
        uid=revision.meta.uid,
        name=revision.meta.name,
        source="knative",
        number=_number(revision.meta.name),
        image=_image(revision.containers),
        created_at=revision.meta.created_at,
        gone_at=None,
        traffic_percent=traffic_percent(group, revision.meta.name),
        min_scale=scaler.min_scale if scaler is not None else revision.min_scale,
        max_scale=scaler.max_scale if scaler is not None else revision.max_scale,
        ready=status,
        ready_reason=ready.reason if ready is not None and status is not True else "",
    )


def _workload(group: Group, workload: WorkloadRecord) -> RevisionRow:
    """Ready is what its replicas are; None while none are wanted."""
    wanted = workload.replicas or 0
    return RevisionRow(
        **_identity(group),
        uid=workload.meta.uid,
        name=workload.meta.name,
        source=workload.kind.lower(),
        number=workload.revision_number,
        image=_image(workload.containers),
        created_at=workload.meta.created_at,
        gone_at=None,
        traffic_percent=None,
        min_scale=None,
        max_scale=None,
        ready=workload.ready_replicas >= wanted if wanted else None,
    )


def _identity(group: Group) -> dict[str, Any]:
    return {"model": group.key, "model_uid": group.record.meta.uid if group.record else ""}


def traffic_percent(group: Group, revision: str) -> int | None:
    """Share in the effective split; 0 for a revision outside of it, None before there is one."""
    traffic = group.record.traffic if group.record is not None else ()
    if not traffic:
        return None
    return sum(target.percent or 0 for target in traffic if target.revision == revision)


def _number(name: str) -> str:
    """The counter at the end of a Knative revision's name, "" if it has none."""
    tail = name.rsplit("-", 1)[-1]
    return tail if tail.isdigit() else ""


def _image(containers: tuple[Container, ...]) -> str:
    return next((item.image for item in containers if item.name not in _HELPERS), "")


def current(group: Group) -> RevisionRow | None:
    """The revision with the most traffic, else the newest that is ready, else the newest that is
    wanted, else the newest."""
    rows = list(revision_rows(group))
    if not rows:
        return None
    return max(rows, key=lambda row: (row.traffic_percent or 0, row.ready is True, row.created_at))
