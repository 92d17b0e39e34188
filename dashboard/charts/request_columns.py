"""Requests as columns of a chart: bins of even length, 5xx of each hop, what was not read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.charts.request_history import RequestHistory, Span
from dashboard.charts.share import count_text
from dashboard.hop_words import HOP_LABELS
from dashboard.ranges import TimeRange
from fleet.domain.requests.records import Hop, Tally
from fleet.domain.requests.sums import in_turn, side_by_side

# Lengths of a bin, s, and how many of them a chart holds.
STEPS_S = (30, 60, 120, 300, 600, 1800, 3600, 10800, 21600, 43200, 86400)
MOST_BINS = 180
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Bins = Mapping[datetime, Tally]


def request_columns(history: RequestHistory, window: TimeRange) -> dict[str, Any] | None:
    """None where nothing was read in all that time: there is nothing to draw, not even a zero.

    at: beginnings of the bins, ms; n: requests, None = not read; hops: 5xx of each that made any;
    says: each bin in words, "" = nothing to say; unread: spans, ms.
    """
    if not history.windows and _covers(history.unread, window.since, window.until):
        return None
    step_s = step_of(window.seconds, at_least_s=history.step_s)
    begun = bins_of(history, step_s)
    moments = moments_of(window, step_s)
    lasts = timedelta(seconds=step_s)
    read = [at in begun or not _covers(history.unread, at, at + lasts) for at in moments]
    return {
        "step_ms": step_s * 1000,
        "at": [_ms(at) for at in moments],
        "n": [_requests(begun.get(at)) if r else None for at, r in zip(moments, read, strict=True)],
        "hops": _hops(begun, moments),
        "says": [bin_says(begun[at]) if at in begun else "" for at in moments],
        "unread": [[_ms(since), _ms(until)] for since, until in history.unread],
    }


def step_of(span_s: float, *, at_least_s: int) -> int:
    """The shortest bin of which few enough fit into the span, s."""
    fits = (step for step in STEPS_S if step >= at_least_s and span_s / step <= MOST_BINS)
    return next(fits, STEPS_S[-1])


def moments_of(window: TimeRange, step_s: int) -> list[datetime]:
    """Beginnings of the bins that touch the window; bins are aligned to the epoch."""
    step = timedelta(seconds=step_s)
    first = EPOCH + (window.since - EPOCH) // step * step
    count = -((first - window.until) // step)
    return [first + step * n for n in range(count)]


def bins_of(history: RequestHistory, step_s: int) -> Bins:
    """What was counted in each bin: revisions side by side, then windows one after the other."""
    together: dict[datetime, list[Tally]] = defaultdict(list)
    for window in history.windows:
        together[window.at].append(window.tally)
    step = timedelta(seconds=step_s)
    following: dict[datetime, list[Tally]] = defaultdict(list)
    for at, tallies in sorted(together.items()):
        following[EPOCH + (at - EPOCH) // step * step].append(side_by_side(tallies))
    return {at: in_turn(tallies) for at, tallies in following.items()}


def bin_says(tally: Tally) -> str:
    """Like "240 requests · activator ≥ 12 (504), model container 2 (500) · 3 callers left"."""
    parts = (_requests_say(tally), errors_say(tally), _gone_say(tally), _waiting_say(tally))
    return " · ".join(part for part in parts if part)


def errors_say(tally: Tally) -> str:
    """5xx by hop with their codes; "" without any."""
    codes: dict[Hop, list[int]] = defaultdict(list)
    for hop, code in sorted(tally.errors, key=lambda each: (list(Hop).index(each[0]), each[1])):
        codes[hop].append(code)
    counts = tally.by_hop()
    return ", ".join(
        f"{HOP_LABELS[hop]} {count_text(counts[hop] or 0, at_least=hop in tally.at_least)}"
        f" ({', '.join(map(str, seen))})"
        for hop, seen in codes.items()
    )


def _requests_say(tally: Tally) -> str:
    if tally.requests is None:
        return _("requests not counted")
    said = {"n": count_text(tally.requests, at_least=tally.requests_at_least)}
    return ngettext("%(n)s request", "%(n)s requests", tally.requests) % said


def _gone_say(tally: Tally) -> str:
    gone = tally.client_gone or 0
    return ngettext("%(n)d caller left", "%(n)d callers left", gone) % {"n": gone} if gone else ""


def _waiting_say(tally: Tally) -> str:
    return _("up to %(n)d waiting") % {"n": tally.queued} if tally.queued else ""


def _requests(tally: Tally | None) -> int | None:
    return 0 if tally is None else tally.requests


def _hops(begun: Bins, moments: Sequence[datetime]) -> list[dict[str, Any]]:
    counted = {at: tally.by_hop() for at, tally in begun.items()}
    made = (hop for hop in Hop if any(counts[hop] for counts in counted.values()))
    return [
        {
            "hop": hop.value,
            "label": str(HOP_LABELS[hop]),
            "n": [counted[at][hop] or 0 if at in counted else 0 for at in moments],
        }
        for hop in made
    ]


def _covers(spans: Iterable[Span], since: datetime, until: datetime) -> bool:
    return any(begin <= since and until <= end for begin, end in spans)


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
