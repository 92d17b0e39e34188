"""Lengths of starts as sums that can be added up: buckets with fixed bounds for Prometheus, and
narrow ones, each 2 % wider than the one before, that percentiles of any period are read from."""

from bisect import bisect_left
from collections.abc import Mapping
from math import ceil, log

# Upper bounds, seconds; the last bucket is open.
BOUNDS_S = (1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0, 300.0, 600.0,
            1200.0, 1800.0, 3600.0)  # fmt: skip
# A percentile read from narrow buckets is at most 1 % away from a length that was seen.
RATIO = 1.02
# Shorter than this is the first narrow bucket.
SHORTEST_S = 0.05


def bound_place(seconds: float) -> int:
    """The place of the fixed bucket that holds a length; len(BOUNDS_S) = the open one."""
    return bisect_left(BOUNDS_S, seconds)


def narrow_place(seconds: float) -> int:
    """The place of the narrow bucket: 0 up to SHORTEST_S, n above SHORTEST_S * RATIO ** (n-1)."""
    if seconds <= SHORTEST_S:
        return 0
    return ceil(round(log(seconds / SHORTEST_S, RATIO), 9))


def narrow_s(place: int) -> float:
    """The length that stands for a narrow bucket: the middle of its bounds, as ratios go."""
    if place == 0:
        return SHORTEST_S
    return float(SHORTEST_S * RATIO ** (place - 0.5))


def narrow_percentile(counts: Mapping[int, int], share: float) -> float | None:
    """The length that `share` of the counted ones do not exceed; None of nothing.

    counts: how many, by place. Source of the form: DDSketch, Masson, Rim, Lee, VLDB 2019.
    """
    total = sum(counts.values())
    if total == 0:
        return None
    wanted, passed = share * (total - 1), 0
    for place in sorted(counts):
        passed += counts[place]
        if passed > wanted:
            return round(narrow_s(place), 1)
    return round(narrow_s(max(counts)), 1)
