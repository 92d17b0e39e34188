"""Sums of days -> how many starts, and how long they took, over months of a whole fleet."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

import msgspec
from django.db.models import TextField
from django.db.models.functions import Cast

from fleet.domain.coldstart.start import Outcome
from fleet.domain.coldstart.sums import narrow_percentile
from fleet.domain.compare.numbers import ENOUGH_FOR_P50, ENOUGH_FOR_P95
from fleet.models.start_counts import StartDayQuerySet

_narrow = msgspec.json.Decoder(dict[str, int])


@dataclass(slots=True)
class Lengths:
    """Ready starts. n: all of them, also those of unknown length."""

    n: int = 0
    narrow: Counter[int] = field(default_factory=Counter)

    @property
    def p50_s(self) -> float | None:
        """None under five starts."""
        return self._share(0.5, enough=ENOUGH_FOR_P50)

    @property
    def p95_s(self) -> float | None:
        """None under twenty starts."""
        return self._share(0.95, enough=ENOUGH_FOR_P95)

    def _share(self, share: float, *, enough: int) -> float | None:
        return narrow_percentile(self.narrow, share) if self.narrow.total() >= enough else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySums:
    """outcomes: starts of any mode. modes, days: ready starts by start mode, and by day too."""

    outcomes: Mapping[str, int]
    modes: Mapping[str, Lengths]
    days: Mapping[tuple[str, date], Lengths]


def day_sums(rows: StartDayQuerySet) -> DaySums:
    """One query. rows: of whole clusters or of namespaces, never of both."""
    outcomes: Counter[str] = Counter()
    modes: defaultdict[str, Lengths] = defaultdict(Lengths)
    days: defaultdict[tuple[str, date], Lengths] = defaultdict(Lengths)
    columns = ("day", "start_mode", "outcome", "count", "narrow_text")
    found = rows.annotate(narrow_text=Cast("narrow", TextField())).order_by()
    for day, mode, outcome, count, narrow in found.values_list(*columns).iterator():
        outcomes[outcome] += count
        if outcome == Outcome.READY.value:
            _add((modes[mode], days[mode, day]), count, _narrow.decode(narrow))
    return DaySums(outcomes=outcomes, modes=modes, days=days)


def _add(places: Iterable[Lengths], count: int, narrow: Mapping[str, int]) -> None:
    for lengths in places:
        lengths.n += count
        for place, n in narrow.items():
            lengths.narrow[int(place)] += n
