"""Percentiles of kept lengths, and what remains of a start by starts like it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """Seconds still to come; None where no comparable start ever took this long."""

    p50_s: float | None
    p95_s: float | None


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie, between neighbours by straight line.

    ordered: ascending, at least one.
    """
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def remaining(totals_s: Sequence[float], *, elapsed_s: float) -> Remaining:
    """What remains after `elapsed_s`, judged by the starts that took longer than that.

    totals_s: lengths of comparable starts (one start mode), in any order.
    """
    rest = sorted(total - elapsed_s for total in totals_s if total > elapsed_s)
    if not rest:
        return Remaining(p50_s=None, p95_s=None)
    return Remaining(p50_s=round(percentile(rest, 0.5), 1), p95_s=round(percentile(rest, 0.95), 1))
