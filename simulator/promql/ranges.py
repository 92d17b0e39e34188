"""Functions over a range of samples.

Source: prometheus/prometheus promql/functions.go of 2.42, extrapolatedRate and its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

Samples = Sequence[tuple[int, float]]


def _increase(samples: Samples, *, is_counter: bool) -> float:
    grown = samples[-1][1] - samples[0][1]
    if is_counter:
        grown += sum(before[1] for before, after in pairwise(samples) if after[1] < before[1])
    return grown


def extrapolated(
    samples: Samples, start_ms: int, end_ms: int, *, is_counter: bool, is_rate: bool
) -> float | None:
    """None where fewer than two samples are in the range."""
    if len(samples) < 2:
        return None
    grown = _increase(samples, is_counter=is_counter)
    first, last = samples[0], samples[-1]
    sampled_s = (last[0] - first[0]) / 1000
    before_s, after_s = (first[0] - start_ms) / 1000, (end_ms - last[0]) / 1000
    between_s = sampled_s / (len(samples) - 1)
    if is_counter and grown > 0 and first[1] >= 0:
        before_s = min(before_s, sampled_s * (first[1] / grown))
    width_s = sampled_s
    for beside_s in (before_s, after_s):
        width_s += beside_s if beside_s < between_s * 1.1 else between_s / 2
    grown *= width_s / sampled_s
    return grown / ((end_ms - start_ms) / 1000) if is_rate else grown


def _instant(samples: Samples, *, is_counter: bool, is_rate: bool) -> float | None:
    if len(samples) < 2:
        return None
    (before_ms, before), (after_ms, after) = samples[-2:]
    grown = after if is_counter and after < before else after - before
    return grown / ((after_ms - before_ms) / 1000) if is_rate else grown


def _changes(samples: Samples) -> float:
    return float(sum(before[1] != after[1] for before, after in pairwise(samples)))


def _resets(samples: Samples) -> float:
    return float(sum(after[1] < before[1] for before, after in pairwise(samples)))


def _values(samples: Samples) -> list[float]:
    return [value for _, value in samples]


Over = Callable[[Samples, int, int], float | None]
OVER: Mapping[str, Over] = {
    "rate": lambda samples, start, end: extrapolated(
        samples, start, end, is_counter=True, is_rate=True
    ),
    "increase": lambda samples, start, end: extrapolated(
        samples, start, end, is_counter=True, is_rate=False
    ),
    "delta": lambda samples, start, end: extrapolated(
        samples, start, end, is_counter=False, is_rate=False
    ),
    "irate": lambda samples, _, __: _instant(samples, is_counter=True, is_rate=True),
    "idelta": lambda samples, _, __: _instant(samples, is_counter=False, is_rate=False),
    "changes": lambda samples, _, __: _changes(samples),
    "resets": lambda samples, _, __: _resets(samples),
    "avg_over_time": lambda samples, _, __: sum(_values(samples)) / len(samples),
    "min_over_time": lambda samples, _, __: min(_values(samples)),
    "max_over_time": lambda samples, _, __: max(_values(samples)),
    "sum_over_time": lambda samples, _, __: sum(_values(samples)),
    "count_over_time": lambda samples, _, __: float(len(samples)),
    "last_over_time": lambda samples, _, __: samples[-1][1],
    "present_over_time": lambda _, __, ___: 1.0,
}
# The one that keeps the metric's name.
KEEPS_NAME = frozenset(("last_over_time",))
