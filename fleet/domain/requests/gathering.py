"""One pass over consecutive windows: series in, windows of each subject out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from fleet.domain.requests.hops import tallies
from fleet.domain.requests.levels import Levels
from fleet.domain.requests.moves import Move, Sight
from fleet.domain.requests.records import (
    WINDOW_S,
    Subject,
    SubjectKind,
    SubjectWindow,
    Tally,
)
from fleet.domain.requests.table import Table

# Fewer requests say little of a 95th percentile.
ENOUGH_FOR_P95 = 20


@dataclass(slots=True)
class Gathering:
    """first: seconds since the epoch of the first window's beginning; length: how many windows.

    depths: what the metrics tell of each kind of subject at all; what is not told of one of its
    windows is then 0.
    """

    first: int
    length: int
    sight: Sight
    depths: Mapping[SubjectKind, frozenset[str]] = field(default_factory=dict)
    tables: dict[Subject, Table] = field(default_factory=dict)
    levels: dict[Subject, Levels] = field(default_factory=dict)

    def column_of(self, subject: Subject, move: Move) -> list[int]:
        """Where a kind of call is counted, by the number of the window."""
        table = self.tables.get(subject)
        if table is None:
            table = self.tables[subject] = Table(self.length)
        return table.column_of(move)

    def levels_of(self, subject: Subject) -> Levels:
        """Where depths and durations are put."""
        found = self.levels.get(subject)
        if found is None:
            found = self.levels[subject] = Levels()
        return found

    def windows(self, *, since: int, until: int) -> Iterator[SubjectWindow]:
        """Those that begin in [since, until) and had anything in them, subject by subject."""
        numbers = range((since - self.first) // WINDOW_S, (until - self.first) // WINDOW_S)
        for subject in sorted(self.tables.keys() | self.levels.keys()):
            table = self.tables.get(subject) or Table(self.length)
            levels = self.levels.get(subject) or Levels()
            if not _any(table, levels, numbers):
                continue
            found = tallies(table, self.sight, kind=subject.kind)
            for number in numbers:
                tally = self._with_levels(subject, found[number], levels, number)
                if _is_worth_telling(tally):
                    at = datetime.fromtimestamp(self.first + number * WINDOW_S, UTC)
                    yield SubjectWindow(subject=subject, at=at, tally=tally)

    def _with_levels(self, subject: Subject, tally: Tally, levels: Levels, at: int) -> Tally:
        told = self.depths.get(subject.kind, frozenset())
        in_flight = levels.engine_in_flight.get(at, levels.in_flight.get(at))
        p95_s = levels.engine_p95_s.get(at, levels.p95_s.get(at))
        return replace(
            tally,
            in_flight=_or_zero(in_flight, told="in-flight" in told),
            queued=_or_zero(levels.queued.get(at), told="queued" in told),
            p95_s=p95_s if (tally.requests or 0) >= ENOUGH_FOR_P95 else None,
        )


def _any(table: Table, levels: Levels, numbers: range) -> bool:
    counted = any(any(counts[at] for at in numbers) for counts in table.columns.values())
    return counted or any(
        at in depth for depth in (levels.queued, levels.in_flight) for at in numbers
    )


def _or_zero(level: float | None, *, told: bool) -> float | None:
    return 0.0 if level is None and told else level


def _is_worth_telling(tally: Tally) -> bool:
    counts = (tally.requests, tally.client_gone, tally.broken, tally.cut, tally.queued)
    return bool(tally.errors) or any(counts) or bool(tally.in_flight)
