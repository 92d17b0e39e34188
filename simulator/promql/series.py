"""Series as a query sees them: samples with their times."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from simulator.promql.nodes import Matcher

Labels = tuple[tuple[str, str], ...]
NAME = "__name__"
# How far back an instant vector looks. Source: prometheus/prometheus, query.lookback-delta.
LOOKBACK_MS = 300_000
# The same label sets come again at every step of a range.
LABELS_KEPT = 50_000
# What ends a series: no page gives it as a value.
STALE = math.nan


@dataclass(slots=True)
class Series:
    """labels: sorted, with the name, without empty ones. times: Unix milliseconds."""

    labels: Labels
    times: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))

    def add(self, at_ms: int, value: float) -> None:
        self.times.append(at_ms)
        self.values.append(value)

    @property
    def is_stale(self) -> bool:
        return not self.values or math.isnan(self.values[-1])

    def forget(self, before_ms: int) -> None:
        gone = bisect_left(self.times, before_ms)
        del self.times[:gone], self.values[:gone]

    def at(self, at_ms: int) -> tuple[int, float] | None:
        """The newest sample that counts at a moment."""
        index = bisect_right(self.times, at_ms) - 1
        if index < 0 or self.times[index] <= at_ms - LOOKBACK_MS:
            return None
        value = self.values[index]
        return None if math.isnan(value) else (self.times[index], value)

    def last_between(self, first_ms: int, last_ms: int) -> float | None:
        """The newest sample from one moment to another, both within."""
        index = bisect_right(self.times, last_ms) - 1
        while index >= 0 and self.times[index] >= first_ms:
            value = self.values[index]
            if not math.isnan(value):
                return value
            index -= 1
        return None

    def between(self, first_ms: int, last_ms: int) -> list[tuple[int, float]]:
        """Samples from one moment to another, both within."""
        low, high = bisect_left(self.times, first_ms), bisect_right(self.times, last_ms)
        pairs = zip(self.times[low:high], self.values[low:high], strict=True)
        return [(time, value) for time, value in pairs if not math.isnan(value)]


class Storage(Protocol):
    """Where series are kept."""

    def select(self, matchers: Sequence[Matcher]) -> Iterable[Series]:
        """All that match, whatever their age."""
        ...


@dataclass(frozen=True, slots=True)
class Sample:
    """One element of an instant vector."""

    labels: Labels
    value: float


Vector = list[Sample]


def value_of(labels: Labels, name: str) -> str:
    return next((value for key, value in labels if key == name), "")


@lru_cache(maxsize=LABELS_KEPT)
def only(labels: Labels, names: tuple[str, ...]) -> Labels:
    return tuple(pair for pair in labels if pair[0] in names)


@lru_cache(maxsize=LABELS_KEPT)
def leaving_out(labels: Labels, names: tuple[str, ...]) -> Labels:
    """Without the metric's name either."""
    return tuple(pair for pair in labels if pair[0] != NAME and pair[0] not in names)


def with_label(labels: Labels, name: str, value: str) -> Labels:
    """With a label set, or taken away if its value is empty."""
    kept = [pair for pair in labels if pair[0] != name]
    return tuple(sorted([*kept, (name, value)])) if value else tuple(kept)
