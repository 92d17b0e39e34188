"""A model's last hours as columns: sent once, drawn by the browser on one time axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from dashboard.api.series import Wish
from dashboard.api.timeline import MOST_FACTS, wishes
from dashboard.words import OUTCOME_LABELS, PHASE_LABELS, TRIGGER_LABELS, word
from fleet.domain.records.keys import ModelKey
from fleet.models import Action, ColdStart, ProbeFailure, Replica, Revision, ScaleEvent

RANGES: dict[str, timedelta] = {
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
}
DEFAULT_RANGE = "6h"
# Beyond this many of one kind a chart says nothing more; the newest are kept.
MOST = 2000

Columns = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Window:
    """From when to when."""

    since: datetime
    until: datetime


def timeline(key: ModelKey, *, now: datetime, reach: timedelta) -> dict[str, Any]:
    """Columns of all that happened to the model in the last `reach`; times in ms since 1970."""
    window = Window(now - reach, now)
    replicas = Replica.objects.of(key).exclude(ready_at=None).exclude(gone_at__lt=window.since)
    lived = replicas.order_by("-ready_at").only("ready_at", "gone_at")[:MOST_FACTS]
    return {
        "since": _ms(window.since),
        "until": _ms(window.until),
        "desired": _desired(wishes(key, until=now), window),
        "ready": _ready(lived, window),
        "starts": _starts(ColdStart.objects.of(key), window),
        "scale": _scale(ScaleEvent.objects.of(key), window),
        "probes": _probes(ProbeFailure.objects.of(key), window),
        "revisions": _revisions(Revision.objects.of(key), window),
        "actions": _actions(Action.objects.of(key), window),
    }


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1000)


def _desired(wished: Iterable[Wish], window: Window) -> Columns:
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


def _first_step(steps: Columns, standing: Mapping[str, int], window: Window) -> None:
    if standing and not steps["at"]:
        steps["at"].append(_ms(window.since))
        steps["n"].append(sum(standing.values()))


def _ready(replicas: Iterable[Replica], window: Window) -> Columns:
    """Steps of replicas that were ready, from when each became ready until it was gone."""
    moves: list[tuple[datetime, int]] = []
    for replica in replicas:
        if replica.ready_at is None:
            continue
        moves.append((max(replica.ready_at, window.since), 1))
        if replica.gone_at is not None:
            moves.append((replica.gone_at, -1))
    at: list[int | None] = [_ms(window.since)]
    ready = [0]
    for moment, by in sorted(moves):
        at.append(_ms(moment))
        ready.append(ready[-1] + by)
    return _until_now({"at": at, "n": ready}, window)


def _until_now(steps: Columns, window: Window) -> Columns:
    if steps["n"]:
        steps["at"].append(_ms(window.until))
        steps["n"].append(steps["n"][-1])
    return steps


def _starts(rows: Any, window: Window) -> Columns:
    seen = rows.started_since(window.since).newest_first()[:MOST]
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


def _scale(rows: Any, window: Window) -> Columns:
    newest = rows.filter(at__gte=window.since, at__lte=window.until).newest_first()[:MOST]
    events = list(reversed(newest))
    return {
        "at": [_ms(event.at) for event in events],
        "from": [event.from_count for event in events],
        "to": [event.to_count for event in events],
        "says": [f"{event.cause} · {event.source}" for event in events],
    }


def _probes(rows: Any, window: Window) -> Columns:
    seen = list(rows.filter(at__gte=window.since).newest_first()[:MOST])
    return {
        "at": [_ms(failure.at) for failure in seen],
        "n": [failure.count for failure in seen],
        "says": [f"{f.probe} of {f.about}, while {f.during}" for f in seen],
    }


def _revisions(rows: Any, window: Window) -> Columns:
    seen = list(rows.filter(created_at__gte=window.since).newest_first()[:MOST])
    return {
        "at": [_ms(revision.created_at) for revision in seen],
        "says": [revision.revision for revision in seen],
    }


def _actions(rows: Any, window: Window) -> Columns:
    seen = list(rows.filter(created_at__gte=window.since).newest_first()[:MOST])
    return {
        "at": [_ms(action.created_at) for action in seen],
        "says": [f"{action.action} by {action.by}: {action.state}" for action in seen],
    }
