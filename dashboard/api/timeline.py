"""One model over a time: replicas and requests at even steps, and what happened."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel, Field

from dashboard.api.filters import Moment
from dashboard.api.problems import invalid
from dashboard.api.request_series import request_points
from dashboard.api.series import Life, Wish, moments, ready_counts, wished_counts
from dashboard.api.shapes.event import probe_failure, scale_event
from dashboard.api.shapes.model import revision
from dashboard.api.shapes.plan import action
from fleet.domain.records.keys import ModelKey
from fleet.models import Action, ProbeFailure, Replica, Revision, ScaleEvent

DEFAULT_SPAN = timedelta(hours=6)
DEFAULT_POINTS = 240
MOST_POINTS = 2000
# Of each kind of event; what is older is named in `cut`.
MOST_EVENTS = 500
# Wishes and replicas that the series is made of.
MOST_FACTS = 5000


class TimelineFilters(BaseModel):
    """Which time, how fine."""

    since: Moment | None = Field(None, description="Default: 6 h before `until`.")
    until: Moment | None = Field(None, description="Default: now.")
    step: float | None = Field(
        None,
        ge=1,
        le=7 * 24 * 3600,
        description="Seconds between points of `replicas`; of `requests`, at least 30.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """since <= moment <= until, a point every `step_s`."""

    since: datetime
    until: datetime
    step_s: float


def span_of(asked: TimelineFilters, *, now: datetime) -> Span:
    """The span asked for, with defaults; 422 when it is empty or too finely cut."""
    until = asked.until or now
    since = asked.since or until - DEFAULT_SPAN
    length_s = (until - since).total_seconds()
    if length_s <= 0:
        raise invalid("since", "must be before `until`")
    step_s = asked.step or max(1.0, math.ceil(length_s / DEFAULT_POINTS))
    if length_s / step_s > MOST_POINTS:
        raise invalid("step", f"more than {MOST_POINTS} points; take a larger step")
    return Span(since=since, until=until, step_s=step_s)


def timeline(key: ModelKey, span: Span) -> dict[str, Any]:
    """The contract's timeline: every list oldest first."""
    bounds = {"gte": span.since, "lte": span.until}
    at = {f"at__{end}": moment for end, moment in bounds.items()}
    created = {f"created_at__{end}": moment for end, moment in bounds.items()}
    acted = Action.objects.of(key).filter(**created).prefetch_related("steps")
    newest_first: dict[str, list[Any]] = {
        "scale_events": _most(ScaleEvent.objects.of(key).filter(**at).newest_first()),
        "probe_failures": _most(ProbeFailure.objects.of(key).filter(**at).newest_first()),
        "revisions": _most(Revision.objects.of(key).filter(**created).newest_first()),
        "actions": _most(acted.newest_first()),
    }
    shapes: dict[str, Callable[[Any], dict[str, Any]]] = {
        "scale_events": scale_event,
        "probe_failures": probe_failure,
        "revisions": revision,
        "actions": action,
    }
    happened = {
        name: [shapes[name](row) for row in reversed(rows[:MOST_EVENTS])]
        for name, rows in newest_first.items()
    }
    cut = [name for name, rows in newest_first.items() if len(rows) > MOST_EVENTS]
    head = {"since": span.since, "until": span.until, "step_s": span.step_s}
    series = {
        "replicas": _replicas(key, span),
        "requests": request_points(key, span.since, span.until, step_s=span.step_s),
    }
    return head | series | happened | {"cut": cut}


def _most(rows: Any) -> list[Any]:
    return list(rows[: MOST_EVENTS + 1])


def _replicas(key: ModelKey, span: Span) -> list[dict[str, Any]]:
    at = moments(span.since, span.until, step_s=span.step_s)
    ready = ready_counts(_lives(key, span), at)
    desired = wished_counts(wishes(key, until=span.until), at)
    return [
        {"at": moment, "desired": wish, "ready": count}
        for moment, wish, count in zip(at, desired, ready, strict=True)
    ]


def _lives(key: ModelKey, span: Span) -> list[Life]:
    rows = Replica.objects.of(key).filter(ready_at__lte=span.until).exclude(gone_at__lt=span.since)
    found = rows.order_by("-ready_at").values_list("ready_at", "gone_at")[:MOST_FACTS]
    return [Life(ready_at=ready, gone_at=gone) for ready, gone in found if ready is not None]


def wishes(key: ModelKey, *, until: datetime) -> list[Wish]:
    """The newest wishes up to then, in no order; a revision that is gone wants nothing."""
    changes = ScaleEvent.objects.of(key).filter(at__lte=until).newest_first()
    told = changes.values_list("revision_uid", "at", "to_count")[:MOST_FACTS]
    found = [Wish(revision=uid, at=at, count=count) for uid, at, count in told]
    known = {wish.revision for wish in found}
    ended = Revision.objects.of(key).filter(gone_at__lte=until)
    for uid, gone_at in ended.order_by("-gone_at").values_list("uid", "gone_at")[:MOST_FACTS]:
        if gone_at is not None and uid in known:
            found.append(Wish(revision=uid, at=gone_at, count=0))
    return found
