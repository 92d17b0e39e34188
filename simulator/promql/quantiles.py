"""Quantiles: of a histogram's buckets, and of values.

Source: prometheus/prometheus promql/quantile.go of 2.42.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence


def bucket_quantile(quantile: float, buckets: Sequence[tuple[float, float]]) -> float:
    """buckets: upper bound and cumulative count, in any order."""
    if math.isnan(quantile):
        return math.nan
    if not 0 <= quantile <= 1:
        return math.inf if quantile > 1 else -math.inf
    bounds, counts = _ordered(buckets)
    if len(bounds) < 2 or bounds[-1] != math.inf or not counts[-1]:
        return math.nan
    rank = quantile * counts[-1]
    index = bisect_left(counts, rank, 0, len(counts) - 1)
    if index == len(bounds) - 1:
        return bounds[-2]
    if index == 0 and bounds[0] <= 0:
        return bounds[0]
    low, before = (bounds[index - 1], counts[index - 1]) if index else (0.0, 0.0)
    share = (rank - before) / (counts[index] - before) if counts[index] > before else math.nan
    return low + (bounds[index] - low) * share


def _ordered(buckets: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Bounds and counts that never fall; buckets of one bound are added."""
    by_bound: dict[float, float] = {}
    for bound, count in buckets:
        by_bound[bound] = by_bound.get(bound, 0.0) + count
    bounds, counts, most = sorted(by_bound), list[float](), -math.inf
    for bound in bounds:
        most = max(most, by_bound[bound])
        counts.append(most)
    return bounds, counts


def quantile_of(quantile: float, values: Sequence[float]) -> float:
    if not values or math.isnan(quantile):
        return math.nan
    if not 0 <= quantile <= 1:
        return math.inf if quantile > 1 else -math.inf
    ordered = sorted(values)
    rank = quantile * (len(ordered) - 1)
    low = max(0, math.floor(rank))
    high = min(len(ordered) - 1, low + 1)
    weight = rank - math.floor(rank)
    return ordered[low] * (1 - weight) + ordered[high] * weight
