"""Durations as kubectl writes them. Source: apimachinery pkg/util/duration."""

from __future__ import annotations

from datetime import datetime

UNKNOWN, INVALID = "<unknown>", "<invalid>"
_MINUTE_S, _HOUR_S, _DAY_S, _YEAR_S = 60, 3600, 86400, 365 * 86400


def parsed(text: str) -> datetime:
    """An RFC 3339 time of the API."""
    return datetime.fromisoformat(text)


def age(timestamp: str | None, *, now: datetime) -> str:
    """How long ago, as "2m19s"; "<unknown>" for no time, "<invalid>" for what is none."""
    if not timestamp:
        return UNKNOWN
    try:
        past = parsed(timestamp)
    except (TypeError, ValueError):
        return INVALID
    if past.tzinfo is None:
        return INVALID
    return human_duration(int((now - past).total_seconds()))


def human_duration(seconds: int) -> str:
    """ "2m19s", "5h10m", "3d4h": two units while the first is small, then one."""
    if seconds < -1:
        return INVALID
    seconds = max(0, seconds)
    if seconds < 2 * _MINUTE_S:
        return f"{seconds}s"
    if seconds < 3 * _HOUR_S:
        return _two(seconds, _MINUTE_S, "m", "s", small=10)
    if seconds < 2 * _DAY_S:
        return _two(seconds // _MINUTE_S, 60, "h", "m", small=8)
    if seconds < 2 * _YEAR_S:
        return _two(seconds // _HOUR_S, 24, "d", "h", small=8)
    return _two(seconds // _DAY_S, 365, "y", "d", small=8)


def _two(amount: int, base: int, unit: str, lower: str, *, small: int) -> str:
    """amount in lower units as "<n><unit><rest><lower>", the rest only while n is small."""
    whole, rest = divmod(amount, base)
    return f"{whole}{unit}" if whole >= small or not rest else f"{whole}{unit}{rest}{lower}"
