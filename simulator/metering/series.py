"""Counters, gauges and histograms of one metrics page, and its text.

Source: the text format 0.0.4 of Prometheus.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Labels = tuple[tuple[str, str], ...]
# A series and its value: name, labels (the empty ones too), value.
Sample = tuple[str, Labels, float]
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def labels(pairs: Mapping[str, str]) -> Labels:
    return tuple(sorted(pairs.items()))


@dataclass(slots=True)
class Buckets:
    """One series of a histogram. keys: labels of its bucket series, +Inf last."""

    keys: tuple[Labels, ...]
    counts: list[float]
    sum: float = 0.0


@dataclass(slots=True)
class Family:
    """One metric with its series. bounds: upper bounds of a histogram, without +Inf."""

    name: str
    kind: str
    bounds: Sequence[float] = ()
    values: dict[Labels, float] = field(default_factory=dict)
    histograms: dict[Labels, Buckets] = field(default_factory=dict)

    def add(self, key: Labels, number: float = 1.0) -> None:
        self.values[key] = self.values.get(key, 0.0) + number

    def set(self, key: Labels, value: float) -> None:
        self.values[key] = value

    def observe(self, key: Labels, value: float, times: int = 1) -> None:
        found = self.histograms.get(key)
        if found is None:
            names = [*(_number(bound) for bound in self.bounds), "+Inf"]
            keys = tuple((*key, ("le", name)) for name in names)
            found = self.histograms[key] = Buckets(keys, [0.0] * len(keys))
        found.counts[bisect_left(self.bounds, value)] += times
        found.sum += value * times

    def samples(self) -> Iterator[Sample]:
        for key, value in self.values.items():
            yield self.name, key, value
        for key, found in self.histograms.items():
            total = 0.0
            for bucket, count in zip(found.keys, found.counts, strict=True):
                total += count
                yield f"{self.name}_bucket", bucket, total
            yield f"{self.name}_sum", key, found.sum
            yield f"{self.name}_count", key, total


@dataclass(slots=True)
class Page:
    """Families by name, in the order in which they were first asked for.

    decimal: whole numbers have a point, as Python writes them.
    """

    decimal: bool = False
    families: dict[str, Family] = field(default_factory=dict)

    def counter(self, name: str) -> Family:
        return self._family(name, "counter", ())

    def gauge(self, name: str) -> Family:
        return self._family(name, "gauge", ())

    def histogram(self, name: str, bounds: Sequence[float]) -> Family:
        return self._family(name, "histogram", bounds)

    def _family(self, name: str, kind: str, bounds: Sequence[float]) -> Family:
        found = self.families.get(name)
        if found is None:
            found = self.families[name] = Family(name, kind, bounds)
        return found

    def samples(self) -> Iterator[Sample]:
        for family in self.families.values():
            yield from family.samples()

    def text(self) -> str:
        return "".join(_lines(family, decimal=self.decimal) for family in self.families.values())


def text_of(pages: Iterable[Page]) -> str:
    """Several parts of one page."""
    return "".join(page.text() for page in pages)


def _lines(family: Family, *, decimal: bool) -> str:
    number = float if decimal else _number
    shown = "".join(
        f"{name}{_label_text(key)} {number(value)}\n" for name, key, value in family.samples()
    )
    return f"# TYPE {family.name} {family.kind}\n{shown}" if shown else ""


def _label_text(key: Labels) -> str:
    if not key:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in key) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    """As Go writes it with the fewest digits, near enough: whole numbers without a point."""
    return str(int(value)) if value == int(value) else repr(float(value))
