"""Requests of one model in a time, as kept: windows where the time is short, hours where it is
long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from dashboard.ranges import TimeRange
from fleet.domain.records.keys import ModelKey
from fleet.domain.requests.records import WINDOW_S, RequestWindow
from fleet.history.request_hours import hour_of, sum_in
from fleet.history.requests import unread, windows_between
from fleet.models import RequestHour

# A longer time, or one whose windows are past theirs, is told by sums of hours: what only windows
# hold (streams, what waits) is not told.
LONGEST_FINE = timedelta(hours=24)
HOUR_S = 3600

Span = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHistory:
    """windows: by time, revisions apart; each lasts `step_s`. unread: spans that nobody read."""

    windows: Sequence[RequestWindow]
    unread: Sequence[Span]
    step_s: int

    @property
    def is_fine(self) -> bool:
        return self.step_s == WINDOW_S

    def unread_s(self) -> float:
        """How much of the time was not read, s."""
        return sum((until - since).total_seconds() for since, until in self.unread)


def request_history(key: ModelKey, window: TimeRange) -> RequestHistory:
    """What was counted of the model's requests in that time."""
    dark = unread(key.cluster, window.since, window.until)
    rows = RequestHour.objects.of(key).filter(
        hour__gte=hour_of(window.since), hour__lt=window.until
    )
    if _is_short(window) and not rows.filter(windows__isnull=True).exists():
        found = windows_between(key, window.since, window.until)
        return RequestHistory(windows=found, unread=dark, step_s=WINDOW_S)
    hours = [
        RequestWindow(revision=row.revision, at=row.hour, tally=sum_in(row))
        for row in rows.defer("windows").order_by("hour", "revision")
    ]
    return RequestHistory(windows=hours, unread=dark, step_s=HOUR_S)


def _is_short(window: TimeRange) -> bool:
    return window.until - window.since <= LONGEST_FINE + timedelta(minutes=1)
