"""When a model first answered well after a start: by our own requests, where one was just then.

An answer belongs to a start if its replica alone was ready at the time: with several nobody can
tell which one answered. Requests of others may have come first; what our own tell is the latest
that it can have been.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from fleet.domain.coldstart.start import Outcome, Phase
from fleet.models import ActionStep, ColdStart, Replica

# An answer that came further off says nothing of the start. It may come before Ready: an activator
# passes a held request on as soon as its own probe is answered.
NEAR = timedelta(seconds=30)
ANSWERED = '{"code": "answered"'
_COLUMNS = ("first_answer_at", "total_to_first_answer_s", "phases")


def note_first_answer(cluster: str, model_uid: str, *, at: datetime) -> None:
    """A request of ours was answered well: rows of starts that it tells of are completed."""
    starts = ColdStart.objects.filter(cluster=cluster, model_uid=model_uid, first_answer_at=None)
    rows = list(starts.ready().filter(ready_at__range=(at - NEAR, at + NEAR)))
    complete(rows)
    told = [row for row in rows if row.first_answer_at is not None]
    ColdStart.objects.bulk_update(told, _COLUMNS)


def complete(rows: Sequence[ColdStart]) -> None:
    """Fill in what our requests tell of ready starts, the same each time. One query, if none was
    made."""
    ready = [row for row in rows if row.outcome == Outcome.READY.value and row.ready_at]
    answers = _answers(ready) if ready else {}
    for row in ready:
        near = _near(row, answers.get(row.model_uid, ()))
        if near is not None and _is_alone(row, ready, at=near):
            _set(row, near)


def _answers(rows: Sequence[ColdStart]) -> dict[str, list[datetime]]:
    """Moments of good answers by model uid, oldest first."""
    moments = [row.ready_at for row in rows if row.ready_at]
    steps = ActionStep.objects.filter(
        action__cluster__in={row.cluster for row in rows},
        action__model_uid__in={row.model_uid for row in rows},
        at__range=(min(moments) - NEAR, max(moments) + NEAR),
        evidence__startswith=ANSWERED,
    )
    found: dict[str, list[datetime]] = defaultdict(list)
    for uid, at in steps.order_by("at").values_list("action__model_uid", "at"):
        found[uid].append(at)
    return found


def _near(row: ColdStart, answers: Iterable[datetime]) -> datetime | None:
    """The first good answer that can be this start's."""
    assert row.ready_at is not None
    return next((at for at in answers if abs(at - row.ready_at) <= NEAR), None)


def _is_alone(row: ColdStart, others: Iterable[ColdStart], *, at: datetime) -> bool:
    """Whether no other replica was ready or about to be: of this batch, or of those kept."""
    for other in others:
        same = other.model_uid == row.model_uid and other.replica_uid != row.replica_uid
        if same and other.ready_at and abs(other.ready_at - at) <= NEAR:
            return False
    there = Q(gone_at=None) | Q(gone_at__gt=at)
    kept = Replica.objects.filter(there, cluster=row.cluster, model_uid=row.model_uid)
    return not kept.filter(ready_at__lt=at + NEAR).exclude(uid=row.replica_uid).exists()


def _set(row: ColdStart, at: datetime) -> None:
    """The answer, and the phase up to it; the route was open by then."""
    row.first_answer_at = at
    row.total_to_first_answer_s = round((at - row.started_at).total_seconds(), 3)
    phases = [p for p in row.phases if p["phase"] != Phase.FIRST_ANSWER.value]
    if phases and phases[-1]["phase"] == Phase.ROUTE.value:
        _end_by(phases[-1], at)
    ended = phases[-1].get("ended_at") if phases else None
    since = datetime.fromisoformat(ended) if ended else row.ready_at
    if since is not None and at > since:
        phases.append(_first_answer(since, at))
    row.phases = phases


def _end_by(span: dict[str, Any], at: datetime) -> None:
    started = datetime.fromisoformat(span["started_at"])
    if span["ended_at"] and datetime.fromisoformat(span["ended_at"]) > max(at, started):
        span["ended_at"] = max(at, started).isoformat()
        span["seconds"] = round((max(at, started) - started).total_seconds(), 3)


def _first_answer(since: datetime, at: datetime) -> dict[str, Any]:
    """Somebody else's request may have been answered at any time in it."""
    seconds = round((at - since).total_seconds(), 3)
    return {
        "phase": Phase.FIRST_ANSWER.value,
        "started_at": since.isoformat(),
        "ended_at": at.isoformat(),
        "seconds": seconds,
        "source": "request",
        "error_s": seconds,
        "parts": [],
    }
