"""What happened to a model as columns: sent once, drawn by the browser on one time axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.api.series import Wish
from dashboard.api.timeline import MOST_FACTS, wishes
from dashboard.charts.request_columns import request_columns
from dashboard.charts.request_history import request_history
from dashboard.charts.share import count_text
from dashboard.ranges import TimeRange
from dashboard.words import OUTCOME_LABELS, PHASE_LABELS, TRIGGER_LABELS, word
from fleet.domain.records.keys import ModelKey
from fleet.models import Action, ColdStart, Incident, ProbeFailure, Replica, Revision, ScaleEvent

# Beyond this many of one kind a chart says nothing more; the newest are kept.
MOST = 2000
DRAWN_OF_A_START = (
    "started_at",
    "ready_at",
    "ended_at",
    "total_s",
    "outcome",
    "trigger",
    "ended_in_phase",
)

Columns = dict[str, list[Any]]


def timeline(key: ModelKey, window: TimeRange) -> dict[str, Any]:
    """Columns of all that happened to the model in that time; times in ms since 1970."""
    replicas = Replica.objects.of(key).filter(ready_at__lt=window.until)
    lived = replicas.exclude(gone_at__lt=window.since).order_by("-ready_at")
    return {
        "since": _ms(window.since),
        "until": _ms(window.until),
        "desired": _desired(wishes(key, until=window.until), window),
        "ready": _ready(lived.only("ready_at", "gone_at")[:MOST_FACTS], window),
        "starts": _starts(ColdStart.objects.of(key), window),
        "scale": _scale(ScaleEvent.objects.of(key), window),
        "probes": _probes(ProbeFailure.objects.of(key), window),
        "revisions": _revisions(Revision.objects.of(key), window),
        "actions": _actions(Action.objects.of(key), window),
        "requests": request_columns(request_history(key, window), window),
        "incidents": _incidents(Incident.objects.of(key), window),
    }


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1000)


def _desired(wished: Iterable[Wish], window: TimeRange) -> Columns:
    """Steps of the wish summed over revisions; what stood before the window is its first step."""
    standing: dict[str, int] = {}
    steps: Columns = {"at": [], "n": []}
    for wish in sorted(wished, key=lambda wish: wish.at):
        if wish.at >= window.since:
            _first_step(steps, standing, window)
        standing[wish.revision] = wish.count
        if wish.at >= window.since:
            steps["at"].append(_ms(wish.at))
            steps["n"].append(sum(standing.values()))
    _first_step(steps, standing, window)
    return _until_now(steps, window)


def _first_step(steps: Columns, standing: Mapping[str, int], window: TimeRange) -> None:
    if standing and not steps["at"]:
        steps["at"].append(_ms(window.since))
        steps["n"].append(sum(standing.values()))


def _ready(replicas: Iterable[Replica], window: TimeRange) -> Columns:
    """Steps of replicas that were ready, from when each became ready until it was gone."""
    moves: list[tuple[datetime, int]] = []
    for replica in replicas:
        if replica.ready_at is None:
            continue
        moves.append((max(replica.ready_at, window.since), 1))
        if replica.gone_at is not None and replica.gone_at < window.until:
            moves.append((replica.gone_at, -1))
    at: list[int | None] = [_ms(window.since)]
    ready = [0]
    for moment, by in sorted(moves):
        at.append(_ms(moment))
        ready.append(ready[-1] + by)
    return _until_now({"at": at, "n": ready}, window)


def _until_now(steps: Columns, window: TimeRange) -> Columns:
    if steps["n"]:
        steps["at"].append(_ms(window.until))
        steps["n"].append(steps["n"][-1])
    return steps


def _starts(rows: Any, window: TimeRange) -> Columns:
    within = rows.started_since(window.since).filter(started_at__lt=window.until)
    seen = within.newest_first().only(*DRAWN_OF_A_START)[:MOST]
    columns: Columns = {name: [] for name in ("id", "from", "to", "total_s", "outcome", "says")}
    for start in seen:
        columns["id"].append(start.pk)
        columns["from"].append(_ms(start.started_at))
        columns["to"].append(_ms(start.ended_at or start.ready_at))
        columns["total_s"].append(start.total_s)
        columns["outcome"].append(start.outcome)
        columns["says"].append(_start_says(start))
    return columns


def _start_says(start: ColdStart) -> str:
    how = f"{word(TRIGGER_LABELS, start.trigger)}, {word(OUTCOME_LABELS, start.outcome)}"
    if start.ended_in_phase:
        how = f"{how} ({word(PHASE_LABELS, start.ended_in_phase)})"
    return how


def _scale(rows: Any, window: TimeRange) -> Columns:
    newest = rows.filter(at__gte=window.since, at__lt=window.until).newest_first()[:MOST]
    events = list(reversed(newest))
    return {
        "at": [_ms(event.at) for event in events],
        "from": [event.from_count for event in events],
        "to": [event.to_count for event in events],
        "says": [f"{event.cause} · {event.source}" for event in events],
    }


def _probes(rows: Any, window: TimeRange) -> Columns:
    seen = list(rows.filter(at__gte=window.since, at__lt=window.until).newest_first()[:MOST])
    return {
        "at": [_ms(failure.at) for failure in seen],
        "n": [failure.count for failure in seen],
        "says": [f"{f.probe} of {f.about}, while {f.during}" for f in seen],
    }


def _incidents(rows: Any, window: TimeRange) -> Columns:
    """Spans, up to the last error seen of one that goes on."""
    seen = list(rows.touching(window.since, window.until).newest_first()[:MOST])
    return {
        "id": [incident.pk for incident in seen],
        "from": [_ms(incident.started_at) for incident in seen],
        "to": [_ms(incident.ended_at or incident.last_error_at) for incident in seen],
        "says": [incident_says(incident) for incident in seen],
    }


def incident_says(incident: Incident) -> str:
    """Like "≥ 41 requests lost, going on"."""
    lost = count_text(incident.requests_lost, at_least=incident.at_least)
    n = incident.requests_lost
    text = ngettext("%(lost)s request lost", "%(lost)s requests lost", n) % {"lost": lost}
    return text if incident.ended_at else _("%(lost)s, going on") % {"lost": text}


def _made_within(rows: Any, window: TimeRange) -> list[Any]:
    made = rows.filter(created_at__gte=window.since, created_at__lt=window.until)
    return list(made.newest_first()[:MOST])


def _revisions(rows: Any, window: TimeRange) -> Columns:
    seen = _made_within(rows, window)
    return {
        "at": [_ms(revision.created_at) for revision in seen],
        "says": [revision.revision for revision in seen],
    }


def _actions(rows: Any, window: TimeRange) -> Columns:
    seen = _made_within(rows, window)
    return {
        "at": [_ms(action.created_at) for action in seen],
        "says": [f"{action.action} by {action.by}: {action.state}" for action in seen],
    }
