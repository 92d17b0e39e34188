"""Numbers of a report as people read them."""

from __future__ import annotations

from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from dashboard.charts.spoken import HOUR_S, MINUTE_S, clock_text

# Times shorter than these are told in the smaller unit.
MINUTES_FROM_S = 2 * MINUTE_S
HOURS_FROM_S = 2 * HOUR_S
UNKNOWN = "–"


def span_text(seconds: float | None) -> str:
    """A sum of time, coarse: "45 s", "84 min", "41.3 h"; "–" when not known."""
    if seconds is None:
        return UNKNOWN
    if seconds < MINUTES_FROM_S:
        return f"{round(seconds)} s"
    if seconds < HOURS_FROM_S:
        return f"{round(seconds / MINUTE_S)} min"
    return f"{seconds / HOUR_S:,.1f} h"


def change_text(change: float | None, *, whole: bool = False) -> str:
    """A change with its sign: "+12", "−3", "±0" for counts (whole), else as a length of time."""
    if change is None:
        return ""
    size = f"{abs(round(change)):,}" if whole else span_text(abs(change))
    if size in {"0", "0 s"}:
        return "±0"
    return f"{'+' if change > 0 else '−'}{size}"


def length_text(seconds: float | None, *, measured: int, enough: int) -> str:
    """A percentile: its length, or that there are too few starts for one."""
    if seconds is None:
        return _("too few") if measured < enough else UNKNOWN
    return clock_text(seconds)


def count_text(count: int | None, *, at_least: bool = False) -> str:
    """A count; "≥" before one that is a lower bound."""
    if count is None:
        return UNKNOWN
    return f"≥ {count:,}" if at_least else f"{count:,}"


def day_text(day: date) -> str:
    """Like "Mon 23 Nov 2026"."""
    return date_format(day, "D j M Y")
