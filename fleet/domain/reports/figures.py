"""What a tally says: counts, percentiles, seconds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fleet.domain.coldstart.start import Outcome, StartMode
from fleet.domain.compare.numbers import p50_s, p95_s
from fleet.domain.reports.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeFigures:
    """Starts of one start mode. measured: ready ones whose length is known.

    p50_s, p95_s: None = too few of them.
    """

    start_mode: str
    starts: int
    measured: int
    p50_s: float | None
    p95_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """p50_s, p95_s: of ready starts of all start modes, None = too few. longest_s: of ready ones.

    waited_s: from demand to Ready, or to the end of a start that failed; failed_s: the latter
    alone. partial, running, aborted starts have no length that counts. requests_lost: 5xx that
    callers got while a start was under way, of `lost_known` starts; None = known of none.
    """

    starts: int
    ready: int
    failed: int
    aborted: int
    partial: int
    running: int
    measured: int
    p50_s: float | None
    p95_s: float | None
    longest_s: float | None
    waited_s: float
    failed_s: float
    requests_lost: int | None
    lost_known: int
    triggers: Mapping[str, int]
    failures: Mapping[str, int]
    phases_s: Mapping[str, float]
    modes: tuple[ModeFigures, ...]


def figures_of(tally: Tally) -> Figures:
    """Figures of one tally, however many models it was summed from."""
    counts = {outcome: tally.outcomes.get(outcome.value, 0) for outcome in Outcome}
    totals = sorted(ms for of_mode in tally.totals_ms.values() for ms in of_mode)
    return Figures(
        starts=tally.starts,
        ready=counts[Outcome.READY],
        failed=counts[Outcome.FAILED],
        aborted=counts[Outcome.ABORTED],
        partial=counts[Outcome.PARTIAL],
        running=counts[Outcome.RUNNING],
        measured=len(totals),
        p50_s=_seconds(p50_s(totals)),
        p95_s=_seconds(p95_s(totals)),
        longest_s=totals[-1] / 1000 if totals else None,
        waited_s=tally.waited_ms / 1000,
        failed_s=tally.failed_ms / 1000,
        requests_lost=tally.lost if tally.lost_known else None,
        lost_known=tally.lost_known,
        triggers=_most_first(tally.triggers),
        failures=_most_first(tally.failures),
        phases_s={phase: ms / 1000 for phase, ms in tally.phases_ms.items()},
        modes=tuple(_mode(tally, mode) for mode in _in_order(tally.modes)),
    )


def _mode(tally: Tally, mode: str) -> ModeFigures:
    totals = sorted(tally.totals_ms.get(mode, ()))
    return ModeFigures(
        start_mode=mode,
        starts=tally.modes[mode],
        measured=len(totals),
        p50_s=_seconds(p50_s(totals)),
        p95_s=_seconds(p95_s(totals)),
    )


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds / 1000, 3)


def _in_order(modes: Iterable[str]) -> list[str]:
    """As the enum declares them; words of another release at the end."""
    places = {mode.value: place for place, mode in enumerate(StartMode)}
    return sorted(modes, key=lambda mode: (places.get(mode, len(places)), mode))


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
