"""Models and revisions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from dashboard.api.shapes.ages import Ages
from dashboard.api.shapes.insight import top_finding
from dashboard.row_reasons import reason_of
from fleet.domain.compare.flight import Confidence, lateness
from fleet.history.flights import limits_of
from fleet.models import Revision, ServedModel

AS_TEXT = "last_start_text"


def model(row: ServedModel, *, ages: Ages) -> dict[str, Any]:
    """The contract's Model, from the stored fleet row alone."""
    return {
        "key": str(row.key),
        "uid": row.model_uid,
        "cluster": row.cluster,
        "kind": row.kind,
        "namespace": row.namespace,
        "name": row.name,
        "mode": row.mode,
        "state": ages.state(row.state, row.cluster),
        "state_reason": reason_of(row, stale=row.cluster not in ages.fresh),
        "served_names": row.served_names,
        "url": row.url or None,
        "team": row.team or None,
        "environment": row.environment or None,
        "replicas": {"ready": row.ready, "desired": row.desired, "min": row.min, "max": row.max},
        "revision": _current_revision(row),
        "cold_start": _cold_starts(row, now=ages.now),
        "errors": row.errors,
        "probe_failures_1h": _probe_failures(row),
        "finding": top_finding(row.finding),
        "data_age_s": ages.age_s(row.cluster),
    }


def _current_revision(row: ServedModel) -> dict[str, Any] | None:
    if not row.revision:
        return None
    return {
        "name": row.revision,
        "uid": row.revision_uid or None,
        "traffic_percent": traffic_percent(row.traffic, row.revision),
        "created_at": row.revision_created_at,
    }


def traffic_percent(traffic: list[dict[str, Any]], revision: str) -> int | None:
    """What that revision gets in all; None where the cluster says nothing of it."""
    shares = [
        target["percent"]
        for target in traffic
        if target.get("revision") == revision and target.get("percent") is not None
    ]
    return sum(shares) if shares else None


def _cold_starts(row: ServedModel, *, now: datetime) -> dict[str, Any]:
    return {
        "count_7d": row.count_7d,
        "failed_7d": row.failed_7d,
        "p50_s": row.p50_s,
        "p95_s": row.p95_s,
        "last": last_start(row),
        "in_flight": [in_flight(start, now=now) for start in row.in_flight],
    }


def with_last_start_as_text(rows: QuerySet[ServedModel]) -> QuerySet[ServedModel]:
    """Rows whose last start stays the JSON text that it is kept as: it is the largest part of an
    answer, and goes into it unread."""
    return rows.defer("last_start").annotate(**{AS_TEXT: Cast("last_start", TextField())})


def last_start(row: ServedModel) -> Any:
    """The kept JSON; read first only if the row did not come with its text."""
    if not hasattr(row, AS_TEXT):
        return row.last_start
    text: str | None = getattr(row, AS_TEXT)
    return None if text is None else msgspec.Raw(text.encode())


def in_flight(kept: dict[str, Any], *, now: datetime) -> dict[str, Any]:
    """A start that runs, as of `now`: the kept row is as old as its last change.

    What remains shrinks as time passes and stays at 0 once the expected length is over.
    """
    passed_s = _passed_s(kept, now=now)
    kept_s = kept.get("elapsed_s")
    elapsed_s = None if kept_s is None else round(kept_s + passed_s, 3)
    late, reason = lateness(elapsed_s or 0.0, limits_of(kept))
    return {
        "id": kept.get("id"),
        "phase": kept.get("phase"),
        "elapsed_s": elapsed_s,
        "eta_p50_s": _less(kept.get("eta_p50_s"), passed_s),
        "eta_p95_s": _less(kept.get("eta_p95_s"), passed_s),
        "eta_from": kept.get("eta_from"),
        "eta_n": kept.get("eta_n", 0),
        "eta_p95_from": kept.get("eta_p95_from"),
        "eta_p95_n": kept.get("eta_p95_n", 0),
        "eta_confidence": kept.get("eta_confidence", Confidence.NONE),
        "late": late,
        "late_reason": reason,
        "late_after_s": kept.get("late_after_s"),
        "overdue_after_s": kept.get("overdue_after_s"),
    }


def _passed_s(kept: dict[str, Any], *, now: datetime) -> float:
    """Seconds since the kept figures were right; 0 when they do not tell."""
    started_at, elapsed_s = kept.get("started_at"), kept.get("elapsed_s")
    if started_at is None or elapsed_s is None:
        return 0.0
    running_s = (now - datetime.fromisoformat(started_at)).total_seconds()
    return float(max(0.0, running_s - elapsed_s))


def _less(remaining_s: float | None, passed_s: float) -> float | None:
    return None if remaining_s is None else round(max(0.0, remaining_s - passed_s), 3)


def _probe_failures(row: ServedModel) -> dict[str, Any]:
    return {
        "starting": row.probe_starting_1h,
        "serving": row.probe_serving_1h,
        "at_least": True,
    }


def revision(row: Revision) -> dict[str, Any]:
    """One revision of a model."""
    return {
        "name": row.revision,
        "uid": row.uid,
        "source": row.source,
        "number": row.number or None,
        "image": row.image or None,
        "traffic_percent": row.traffic_percent,
        "min_scale": row.min_scale,
        "max_scale": row.max_scale,
        "ready": row.ready,
        "ready_reason": row.ready_reason or None,
        "created_at": row.created_at,
        "gone_at": row.gone_at,
    }
