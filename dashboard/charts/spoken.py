"""Lengths of time as people read them."""

from __future__ import annotations

MINUTE_S = 60
HOUR_S = 3600
DAY_S = 86400


def clock_text(seconds: float | None) -> str:
    """Like "0.8 s", "38 s", "1:24", "2:03:10"; "–" where the length is not known."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    if whole < MINUTE_S:
        return f"{whole} s"
    minutes, rest = divmod(whole, MINUTE_S)
    if whole < HOUR_S:
        return f"{minutes}:{rest:02d}"
    hours, minutes = divmod(minutes, MINUTE_S)
    return f"{hours}:{minutes:02d}:{rest:02d}"


def age_text(seconds: float) -> str:
    """The age of data, coarser the older it is: "0.8 s", "41 s", "6 min", "3 h", "2 d"."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    for limit, size, unit in (
        (2 * MINUTE_S, 1, "s"),
        (2 * HOUR_S, MINUTE_S, "min"),
        (2 * DAY_S, HOUR_S, "h"),
    ):
        if seconds < limit:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds // DAY_S)} d"
