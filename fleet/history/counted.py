"""Starts of a stretch of time, counted model by model for the weekly report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
from django.db.models import TextField
from django.db.models.functions import Cast

from fleet.domain.records.keys import ModelKey
from fleet.domain.reports.facts import WeekFacts
from fleet.domain.reports.sight import Span
from fleet.domain.reports.tally import CountedStart, Tally
from fleet.domain.requests.lost import lost_in
from fleet.history.past import DONE, READING
from fleet.models import Cluster, ColdStart

ROWS_AT_ONCE = 2000
# The past of a demo is read within minutes of its cluster's coming.
READING_TAKES = timedelta(days=1)
KEY = ("cluster", "kind", "namespace", "name")
COUNTED = ("outcome", "trigger", "start_mode", "failure_class", "total_s")


class Identity(NamedTuple):
    """A model: the uid within its cluster. Its name may have been another's before."""

    cluster: str
    uid: str


@dataclass(frozen=True, slots=True)
class Counted:
    """keys: the name that a model bore at its last start of this time."""

    tallies: dict[Identity, Tally] = field(default_factory=dict)
    keys: dict[Identity, ModelKey] = field(default_factory=dict)


class _Phase(msgspec.Struct):
    phase: str
    seconds: float | None = None


_phases = msgspec.json.Decoder(list[_Phase])


def counted(span: Span, *, followed_from: Mapping[str, datetime]) -> Counted:
    """Starts that began within the span.

    followed_from: those from before their cluster was followed are left out. Of these, only the
    ones whose pods still lived are known.
    """
    found = Counted()
    for cluster, kind, namespace, name, uid, *words, lost, phases in _starts(span, followed_from):
        model = Identity(cluster, uid)
        tally = found.tallies.get(model)
        if tally is None:
            tally = found.tallies[model] = Tally()
            found.keys[model] = ModelKey(cluster, kind, namespace, name)
        outcome, trigger, start_mode, failure_class, total_s = words
        tally.count(
            CountedStart(
                outcome=outcome,
                trigger=trigger,
                start_mode=start_mode,
                failure_class=failure_class,
                total_s=total_s,
                phases_s=seconds_by_phase(phases),
                lost=lost_in(lost),
            )
        )
    return found


def _starts(span: Span, followed_from: Mapping[str, datetime]) -> Iterable[tuple[Any, ...]]:
    """The newest first: a model is named as at its last start."""
    rows = ColdStart.objects.filter(started_at__gte=span.since, started_at__lt=span.until)
    for cluster, since in followed_from.items():
        if since > span.since:
            rows = rows.exclude(cluster=cluster, started_at__lt=since)
    return (
        rows.annotate(phases_text=Cast("phases", TextField()))
        .newest_first()
        .values_list(*KEY, "model_uid", *COUNTED, "requests_lost", "phases_text")
        .iterator(ROWS_AT_ONCE)
    )


def seconds_by_phase(text: str) -> list[tuple[str, float]]:
    """Out of a start's phases as JSON text; empty where a release wrote them in another form."""
    try:
        return [(span.phase, span.seconds or 0.0) for span in _phases.decode(text)]
    except msgspec.MsgspecError:
        return []


def as_counted(facts: WeekFacts) -> Counted:
    """What a kept report counted of its own week."""
    found = Counted()
    for line in facts.lines:
        if line.this_week.starts:
            model = Identity(line.key.cluster, line.uid)
            found.tallies[model], found.keys[model] = line.this_week, line.key
    return found


def followed_from() -> dict[str, datetime]:
    """Since when each cluster is followed; where a recorded past of it was read, since that began.

    A past that is still being read counts as far as it was read.
    """
    return {row.name: followed_since(row) for row in Cluster.objects.order_by("name")}


def followed_since(row: Cluster) -> datetime:
    past = row.past.get("since")
    return min(row.created_at, datetime.fromisoformat(past)) if past else row.created_at


def unread_past(row: Cluster) -> Span | None:
    """The part of a recorded past that was not read, or not yet; None = all was."""
    read_to = row.past.get("read_to")
    if not read_to or row.past.get("state") == DONE:
        return None
    return Span(datetime.fromisoformat(read_to), row.created_at)


def any_past_being_read(*, now: datetime) -> bool:
    """Whether weeks are about to get more starts. A reading that somebody ended says "reading" for
    ever: it is not waited for longer than a day."""
    new = Cluster.objects.present().filter(created_at__gt=now - READING_TAKES)
    return new.filter(past__state=READING).exists()
