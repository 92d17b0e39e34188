"""Two revisions side by side, phase by phase."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.numbers import ENOUGH_FOR_P50, p50_s, p95_s
from fleet.domain.compare.ranks import shift
from fleet.domain.compare.records import COUNTED, Compared, finished
from fleet.domain.compare.regression import (
    ENOUGH,
    Change,
    Revision,
    Verdict,
    difference,
    judged,
    revisions,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Of the starts of one revision; a start that did not pass the phase counts as 0 s. p50_s:
    None under five starts, p95_s under twenty."""

    n: int
    p50_s: float | None
    p95_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """phase: None for the whole start. shift_s: how much longer after, None with under five
    starts on a side."""

    phase: Phase | None
    before: Side
    after: Side
    shift_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoRevisions:
    """change: the same judgement as between neighbours, of these two alone."""

    mode: str
    before: Revision
    after: Revision
    total: Pair
    phases: tuple[Pair, ...]
    change: Change


def two_revisions(
    starts: Iterable[Compared], *, before: str, after: str, mode: str
) -> TwoRevisions | None:
    """before, after: names or uids of revisions. None if either has no finished start of that
    mode. Phases that neither passes are left out."""
    known = revisions(starts, mode=mode)
    was, now = _named(known, before), _named(known, after)
    if was is None or now is None:
        return None
    pairs = (_pair(phase, was.starts, now.starts) for phase in COUNTED)
    return TwoRevisions(
        mode=mode,
        before=was,
        after=now,
        total=_pair(None, was.starts, now.starts),
        phases=tuple(pair for pair in pairs if pair.before.n or pair.after.n),
        change=_change(was, now),
    )


def _named(known: Sequence[Revision], name: str) -> Revision | None:
    """Of several of one name, the newest."""
    return next((r for r in reversed(known) if name in {r.name, r.uid}), None)


def _change(was: Revision, now: Revision) -> Change:
    if min(was.n, now.n) < ENOUGH:
        return Change(verdict=Verdict.TOO_FEW, before=was, after=now)
    return judged(difference(was, now))


def _pair(phase: Phase | None, was: Sequence[Compared], now: Sequence[Compared]) -> Pair:
    before, after = _lengths(phase, was), _lengths(phase, now)
    told = min(len(before), len(after)) >= ENOUGH_FOR_P50
    return Pair(
        phase=phase,
        before=_side(before),
        after=_side(after),
        shift_s=shift(before, after) if told else None,
    )


def _lengths(phase: Phase | None, starts: Sequence[Compared]) -> list[float]:
    """Empty where no start passed the phase."""
    if phase is None:
        return [start.total_s or 0.0 for start in finished(starts)]
    if not any(phase.value in start.phases_s for start in starts):
        return []
    return [start.phases_s.get(phase.value, 0.0) for start in starts]


def _side(lengths: list[float]) -> Side:
    ordered = sorted(lengths)
    return Side(n=len(ordered), p50_s=p50_s(ordered), p95_s=p95_s(ordered))
