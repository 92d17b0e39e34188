"""Series in memory, by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from simulator.promql.nodes import Matcher
from simulator.promql.series import NAME, Labels, Series, value_of


@dataclass(slots=True)
class History:
    by_name: dict[str, dict[Labels, Series]] = field(default_factory=dict)

    def series(self, labels: Labels) -> Series:
        """The one with these labels, new if there was none."""
        of_name = self.by_name.setdefault(value_of(labels, NAME), {})
        found = of_name.get(labels)
        if found is None:
            found = of_name[labels] = Series(labels)
        return found

    def all(self) -> Iterator[Series]:
        for of_name in self.by_name.values():
            yield from of_name.values()

    def select(self, matchers: Sequence[Matcher]) -> Iterator[Series]:
        named = [each for each in matchers if each.name == NAME]
        others = [each for each in matchers if each.name != NAME]
        for name, of_name in self.by_name.items():
            if all(each.holds(name) for each in named):
                for series in of_name.values():
                    if _matches(series.labels, others):
                        yield series

    def forget(self, before_ms: int) -> None:
        """Samples from before, and series without any."""
        for name in list(self.by_name):
            of_name = self.by_name[name]
            for labels in list(of_name):
                of_name[labels].forget(before_ms)
                if not of_name[labels].times:
                    del of_name[labels]
            if not of_name:
                del self.by_name[name]

    @property
    def size(self) -> int:
        """How many series there are."""
        return sum(len(of_name) for of_name in self.by_name.values())


def _matches(labels: Labels, matchers: Sequence[Matcher]) -> bool:
    return all(each.holds(value_of(labels, each.name)) for each in matchers)
