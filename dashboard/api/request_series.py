"""Requests of one model at even steps: what was counted, and what was not read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F

from fleet.domain.records.keys import Mode, ModelKey
from fleet.domain.requests.incidents import model_windows
from fleet.domain.requests.records import WINDOW_S, Hop, RequestWindow, Tally
from fleet.domain.requests.shown import errors_json, is_measured, quiet, read_share
from fleet.domain.requests.sums import in_turn
from fleet.history.metrics_facts import facts_of
from fleet.history.requests import unread, windows_between
from fleet.models import Cluster, ServedModel

Dark = Sequence[tuple[datetime, datetime]]


def request_points(
    key: ModelKey, since: datetime, until: datetime, *, step_s: float
) -> list[dict[str, Any]]:
    """A point for each step, a whole number of windows long; null where nothing was read. A model
    whose requests are not measured has none."""
    begin, step = _grid(since, step_s)
    windows = windows_between(key, begin, until)
    none = _quiet(key, seen=bool(windows))
    if none is None:
        return []
    dark = unread(key.cluster, begin, until)
    return list(_points(windows, begin, until, step=step, dark=dark, none=none))


def _grid(since: datetime, step_s: float) -> tuple[datetime, timedelta]:
    """The first point, at a window's beginning, and the step."""
    first = int(since.timestamp()) // WINDOW_S * WINDOW_S
    step = timedelta(seconds=max(1, math.ceil(step_s / WINDOW_S)) * WINDOW_S)
    return datetime.fromtimestamp(first, since.tzinfo), step


def _quiet(key: ModelKey, *, seen: bool) -> Tally | None:
    """What a time without requests tells of this model; None = they are not measured."""
    row = ServedModel.objects.of(key).order_by(F("gone_at").desc(nulls_first=True)).first()
    cluster = Cluster.objects.filter(name=key.cluster).first()
    facts = facts_of(cluster) if cluster else None
    told = facts.told if facts else frozenset[Hop]()
    if row is None or not is_measured(Mode(row.mode), told, seen=seen):
        return None
    return quiet(Mode(row.mode), told)


def _points(
    windows: Iterable[RequestWindow],
    begin: datetime,
    until: datetime,
    *,
    step: timedelta,
    dark: Dark,
    none: Tally,
) -> Iterator[dict[str, Any]]:
    steps: dict[int, list[Tally]] = {}
    for window in model_windows(windows):
        steps.setdefault((window.at - begin) // step, []).append(window.tally)
    for place in range(math.ceil((until - begin) / step)):
        at = begin + place * step
        read = read_share(at, min(at + step, until), dark)
        yield {"at": at} | _point(steps.get(place, ()), none, step=step, read=read)


def _point(
    tallies: Sequence[Tally], none: Tally, *, step: timedelta, read: float
) -> dict[str, Any]:
    if not read and not tallies:
        tallies, none = (), Tally()
    tally = in_turn(tallies) if tallies else none
    counted = errors_json(tallies, none=none, whole=read == 1.0, window_s=step.total_seconds())
    return counted | {
        "lost": tally.lost if read or tallies else None,
        "by_code": {str(code): count for code, count in sorted(tally.by_code().items())},
        "broken": tally.broken,
        "cut": tally.cut,
        "in_flight": tally.in_flight,
        "queued": tally.queued,
        "p95_s": tally.p95_s,
    }
