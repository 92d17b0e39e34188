"""Order statistics that several comparisons share."""

from collections.abc import Sequence

from fleet.domain.coldstart.remaining import percentile

# Fewer starts than these say nothing of a median, or of a 95th percentile (docs/comparing.md).
ENOUGH_FOR_P50 = 5
ENOUGH_FOR_P95 = 20


def median(values: Sequence[float]) -> float:
    """values: in any order, at least one."""
    return percentile(sorted(values), 0.5)


def p50_s(ordered: Sequence[float]) -> float | None:
    """ordered: ascending. None under five."""
    return percentile(ordered, 0.5) if len(ordered) >= ENOUGH_FOR_P50 else None


def p95_s(ordered: Sequence[float]) -> float | None:
    """ordered: ascending. None under twenty."""
    return percentile(ordered, 0.95) if len(ordered) >= ENOUGH_FOR_P95 else None


def expected_below(ordered: Sequence[float], share: float) -> float:
    """The value that the next one stays below with a chance of `share`.

    A percentile of n values is too low for that: of twenty, the next exceeds the 95th percentile
    one time in eleven. Source: the k-th of n values has k / (n + 1) of all below it (Weibull's
    plotting position). ordered: ascending, at least one; never above the largest.
    """
    place = min(max(share * (len(ordered) + 1) - 1, 0.0), len(ordered) - 1.0)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def rounded(seconds: float | None) -> float | None:
    """To a tenth of a second, as figures are shown."""
    return None if seconds is None else round(seconds, 1)
