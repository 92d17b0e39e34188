"""What a model's starts of seven days say: counts, percentiles, the last one, those in flight."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from fleet.domain.coldstart.start import Outcome
from fleet.domain.compare.numbers import p50_s, p95_s
from fleet.history.flights import flights
from fleet.models import ColdStart

WINDOW = timedelta(days=7)


@dataclass(slots=True, kw_only=True)
class StartFigures:
    """p50_s, p95_s: of `total_s` of ready starts of all start modes.

    last, in_flight: the API's forms.
    """

    count: int = 0
    failed: int = 0
    p50_s: float | None = None
    p95_s: float | None = None
    last: dict[str, object] | None = None
    in_flight: list[dict[str, object]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Measured:
    """The columns of a start that figures are made of."""

    id: int
    uid: str
    outcome: str
    total_s: float | None


def start_figures(cluster: str, uids: Sequence[str], *, now: datetime) -> dict[str, StartFigures]:
    """Figures by model uid, for each of `uids`: at most two queries, however many there are, and
    those of `flights` if any is in flight."""
    by_uid = _measured(cluster, uids, since=now - WINDOW)
    wanted = [start.id for starts in by_uid.values() for start in _shown(starts)]
    whole = ColdStart.objects.in_bulk(wanted)
    flying = flights([row for row in whole.values() if row.outcome == Outcome.RUNNING], now=now)
    return {uid: _figures(by_uid[uid], whole, flying) for uid in uids}


def _measured(cluster: str, uids: Sequence[str], *, since: datetime) -> dict[str, list[Measured]]:
    """Newest first."""
    found: dict[str, list[Measured]] = defaultdict(list)
    rows = (
        ColdStart.objects.filter(cluster=cluster, model_uid__in=uids)
        .started_since(since)
        .newest_first()
        .values_list("id", "model_uid", "outcome", "total_s")
    )
    for row in rows:
        found[row[1]].append(Measured(*row))
    return found


def _shown(starts: Sequence[Measured]) -> list[Measured]:
    """The newest start, and those that still run."""
    return [*starts[:1], *_in_flight(starts)]


def _in_flight(starts: Iterable[Measured]) -> list[Measured]:
    return [start for start in starts if start.outcome == Outcome.RUNNING.value]


def _figures(
    starts: Sequence[Measured], whole: dict[int, ColdStart], flying: dict[int, dict[str, object]]
) -> StartFigures:
    totals = sorted(_totals(starts))
    last = whole.get(starts[0].id) if starts else None
    return StartFigures(
        count=len(starts),
        failed=sum(start.outcome == Outcome.FAILED.value for start in starts),
        p50_s=p50_s(totals),
        p95_s=p95_s(totals),
        last=start_json(last) if last else None,
        in_flight=[flying[start.id] for start in _in_flight(starts) if start.id in flying],
    )


def _totals(starts: Iterable[Measured]) -> list[float]:
    """Lengths of ready starts, of all start modes."""
    ready = (start for start in starts if start.outcome == Outcome.READY.value)
    return [start.total_s for start in ready if start.total_s is not None]


def start_json(row: ColdStart) -> dict[str, object]:
    """A start in the API's form (docs/api.md, ColdStart)."""
    failed = bool(row.failure_class or row.failure_reason)
    return {
        "id": row.pk,
        "model": str(row.key),
        "revision": row.revision,
        "replica": row.replica,
        "replica_uid": row.replica_uid,
        "role": row.role,
        "node": row.node or None,
        "restarts": row.restarts,
        "trigger": row.trigger,
        "start_mode": row.start_mode,
        "outcome": row.outcome,
        "failure": {"class": row.failure_class, "reason": row.failure_reason} if failed else None,
        "started_at": row.started_at.isoformat(),
        "ready_at": _text(row.ready_at),
        "ended_at": _text(row.ended_at),
        "first_answer_at": _text(row.first_answer_at),
        "ended_in_phase": row.ended_in_phase or None,
        "total_s": row.total_s,
        "total_to_first_answer_s": row.total_to_first_answer_s,
        "unexplained_s": row.unexplained_s,
        "clamped": row.clamped,
        "phases": row.phases,
        "requests_lost": row.requests_lost,
        "image": row.image or None,
        "image_digest": row.image_digest or None,
        "engine_version": row.engine_version or None,
        "gpus": row.gpus,
        "node_pool": row.node_pool or None,
        "weights_from": row.weights_from or None,
        "progress_deadline_s": row.progress_deadline_s,
        "image_pull": row.image_pull or None,
        "image_bytes": row.image_bytes,
        "log": row.log,
    }


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
