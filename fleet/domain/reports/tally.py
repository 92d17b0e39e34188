"""Starts counted, model by model, so that any part of the fleet can be summed from its models.

Lengths are whole milliseconds: sums of them do not depend on the order of the starts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fleet.domain.coldstart.start import Outcome

# Their time counts; the others have no end of their own.
WAITED_FOR = frozenset({Outcome.READY.value, Outcome.FAILED.value})


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedStart:
    """What a report needs of a start. total_s: None where its beginning was not seen.

    failure_class: "" where it did not fail. phases_s: each phase with its seconds. lost: requests
    that callers lost to it, None = not known.
    """

    outcome: str
    trigger: str
    start_mode: str
    failure_class: str
    total_s: float | None
    phases_s: Sequence[tuple[str, float]]
    lost: int | None = None


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts by closed sets, and kept lengths.

    modes: starts of any outcome by start mode. totals_ms: of ready starts, by start mode.
    failed_ms: spent in starts that failed. phases_ms: of ready and failed starts. lost: requests
    lost to the `lost_known` starts of which that is known.
    """

    outcomes: dict[str, int] = field(default_factory=dict)
    triggers: dict[str, int] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    totals_ms: dict[str, list[int]] = field(default_factory=dict)
    failed_ms: int = 0
    phases_ms: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    lost_known: int = 0

    @property
    def starts(self) -> int:
        return sum(self.outcomes.values())

    @property
    def ready_ms(self) -> int:
        return sum(sum(totals) for totals in self.totals_ms.values())

    @property
    def waited_ms(self) -> int:
        """Time from demand to Ready, or to the end of a start that failed."""
        return self.ready_ms + self.failed_ms

    def count(self, start: CountedStart) -> None:
        """One more start. An unfinished, aborted or partly seen one has no length that counts."""
        _add(self.outcomes, start.outcome, 1)
        _add(self.triggers, start.trigger, 1)
        _add(self.modes, start.start_mode, 1)
        if start.lost is not None:
            self.lost += start.lost
            self.lost_known += 1
        if start.outcome == Outcome.FAILED:
            _add(self.failures, start.failure_class or "unknown", 1)
            self.failed_ms += milliseconds(start.total_s or 0.0)
        elif start.outcome == Outcome.READY and start.total_s is not None:
            self.totals_ms.setdefault(start.start_mode, []).append(milliseconds(start.total_s))
        if start.outcome in WAITED_FOR:
            sums = self.phases_ms
            for phase, seconds in start.phases_s:
                sums[phase] = sums.get(phase, 0) + round(seconds * 1000)

    def sorted(self) -> "Tally":
        """The same, with everything in one order: equal facts give equal text."""
        return Tally(
            outcomes=dict(sorted(self.outcomes.items())),
            triggers=dict(sorted(self.triggers.items())),
            failures=dict(sorted(self.failures.items())),
            modes=dict(sorted(self.modes.items())),
            totals_ms={mode: sorted(of) for mode, of in sorted(self.totals_ms.items())},
            failed_ms=self.failed_ms,
            phases_ms=dict(sorted(self.phases_ms.items())),
            lost=self.lost,
            lost_known=self.lost_known,
        )


def summed(tallies: Iterable[Tally]) -> Tally:
    """All of them as one."""
    whole = Tally()
    for tally in tallies:
        for mine, theirs in (
            (whole.outcomes, tally.outcomes),
            (whole.triggers, tally.triggers),
            (whole.failures, tally.failures),
            (whole.modes, tally.modes),
            (whole.phases_ms, tally.phases_ms),
        ):
            for word, count in theirs.items():
                _add(mine, word, count)
        for mode, totals in tally.totals_ms.items():
            whole.totals_ms.setdefault(mode, []).extend(totals)
        whole.failed_ms += tally.failed_ms
        whole.lost += tally.lost
        whole.lost_known += tally.lost_known
    return whole.sorted()


def milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def _add(counts: dict[str, int], word: str, count: int) -> None:
    counts[word] = counts.get(word, 0) + count
