"""Percentiles of kept lengths."""

from collections.abc import Sequence


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie, between neighbours by straight line.

    ordered: ascending, at least one.
    """
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
