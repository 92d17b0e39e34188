"""What happened to a model about the time of an incident, as JSON: kept with the incident at its
end, since the facts themselves are kept for a month."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from fleet.domain.records.keys import ModelKey
from fleet.models import Action, ColdStart, ProbeFailure, Revision, ScaleEvent

# What led to it was done shortly before; Events and clean-up come shortly after.
BEFORE = timedelta(minutes=10)
AFTER = timedelta(minutes=5)
# Of each kind; the newest are kept.
MOST = 100

Told = list[dict[str, Any]]


def around(key: ModelKey, since: datetime, until: datetime) -> dict[str, Told]:
    """Each list oldest first, of [since - BEFORE, until + AFTER]; times as RFC 3339 text."""
    since, until = since - BEFORE, until + AFTER
    at = {"at__gte": since, "at__lte": until}
    return {
        "starts": [_start(row) for row in _starts(key, since, until)],
        "scale_events": [
            _scaled(row) for row in _oldest_first(ScaleEvent.objects.of(key).filter(**at))
        ],
        "probe_failures": [
            _failed(row) for row in _oldest_first(ProbeFailure.objects.of(key).filter(**at))
        ],
        "revisions": [_revision(row) for row in _revisions(key, since, until)],
        "actions": [_action(row) for row in _actions(key, since, until)],
    }


def starts_about(key: ModelKey, since: datetime, until: datetime) -> list[int]:
    """Numbers of the starts that had any moment of the incident itself, oldest first."""
    rows = ColdStart.objects.of(key).filter(started_at__lte=until)
    over = Q(ended_at=None) | Q(ended_at__gte=since)
    numbers = rows.filter(over).newest_first().values_list("pk", flat=True)[:MOST]
    return list(numbers)[::-1]


def actions_about(key: ModelKey, since: datetime, until: datetime) -> list[str]:
    """Ids of the actions that `around` would tell of, oldest first."""
    return [row.pk for row in _actions(key, since - BEFORE, until + AFTER)]


def _oldest_first(rows: Any) -> list[Any]:
    return list(rows.newest_first()[:MOST])[::-1]


def _starts(key: ModelKey, since: datetime, until: datetime) -> list[ColdStart]:
    """Those that ran at any moment of it."""
    over = Q(ended_at=None) | Q(ended_at__gte=since)
    return _oldest_first(ColdStart.objects.of(key).filter(over, started_at__lte=until))


def _revisions(key: ModelKey, since: datetime, until: datetime) -> list[Revision]:
    """Those that came or went in it."""
    came = Q(created_at__gte=since, created_at__lte=until)
    went = Q(gone_at__gte=since, gone_at__lte=until)
    return _oldest_first(Revision.objects.of(key).filter(came | went))


def _actions(key: ModelKey, since: datetime, until: datetime) -> Iterable[Action]:
    rows = Action.objects.of(key).filter(created_at__gte=since, created_at__lte=until)
    return _oldest_first(rows.select_related("plan"))


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _start(row: ColdStart) -> dict[str, Any]:
    return {
        "id": row.pk,
        "at": _text(row.started_at),
        "ready_at": _text(row.ready_at),
        "ended_at": _text(row.ended_at),
        "outcome": row.outcome,
        "trigger": row.trigger,
        "start_mode": row.start_mode,
        "total_s": row.total_s,
        "revision": row.revision,
        "replica": row.replica,
        "ended_in_phase": row.ended_in_phase,
        "failure": row.failure_reason,
    }


def _scaled(row: ScaleEvent) -> dict[str, Any]:
    return {
        "at": _text(row.at),
        "from": row.from_count,
        "to": row.to_count,
        "cause": row.cause,
        "source": row.source,
        "actor": row.actor,
        "revision": row.revision,
    }


def _failed(row: ProbeFailure) -> dict[str, Any]:
    return {
        "at": _text(row.at),
        "first_at": _text(row.first_at),
        "count": row.count,
        "probe": row.probe,
        "about": row.about,
        "while": row.during,
        "replica": row.replica,
        "message": row.message,
    }


def _revision(row: Revision) -> dict[str, Any]:
    return {
        "at": _text(row.created_at),
        "gone_at": _text(row.gone_at),
        "revision": row.revision,
        "image": row.image,
    }


def _action(row: Action) -> dict[str, Any]:
    return {
        "id": row.pk,
        "at": _text(row.created_at),
        "finished_at": _text(row.finished_at),
        "action": row.action,
        "state": row.state,
        "by": row.by,
        "reason": row.plan.reason,
    }
