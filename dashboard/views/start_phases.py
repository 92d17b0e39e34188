"""A start phase by phase, each held against how starts like it usually go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboard.charts.bars import Segment
from dashboard.charts.ghost_bar import GhostBar, ghost_bar
from dashboard.views.start_row import StartRow, length_s, start_row
from dashboard.words import PHASE_LABELS, Words, word
from fleet.domain.coldstart.start import Outcome, Phase
from fleet.domain.compare.ghost import Ghost, ghost
from fleet.domain.compare.records import COUNTED, Compared
from fleet.history.compared import with_phases
from fleet.models import ColdStart, ServedModel

# The newest starts, of any mode, that a ghost is looked for among.
STARTS_COMPARED = 100
ORDER = {phase.value: place for place, phase in enumerate(Phase)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseLine:
    """One phase. segment: None = this start did not pass it, though others do.

    usual_s: the ghost's median, None = no ghost. more_s: how much longer than that it took, told
    once a phase; None = not to be said.
    """

    phase: str
    label: Words
    segment: Segment | None
    usual_s: float | None
    more_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnStart:
    """A start on the scale of itself and its ghost. later: the ghost is of starts that came
    after it, for want of earlier ones."""

    row: StartRow
    ghost: GhostBar | None
    later: bool
    lines: tuple[PhaseLine, ...]


def drawn_start(start: ColdStart, model: ServedModel | None, *, now: datetime) -> DrawnStart:
    """One query, two for a start that has too few like it before it."""
    found, later = ghost_of_start(start)
    scale_s = max(length_s(start, now=now), found.total_s if found else 0.0, 1.0)
    row = start_row(start, model, scale_s=scale_s, now=now)
    return DrawnStart(
        row=row,
        ghost=ghost_bar(found, scale_s=scale_s) if found else None,
        later=later,
        lines=tuple(_lines(row.bar.segments, found, whole=start.outcome == Outcome.READY)),
    )


def ghost_of_start(start: ColdStart) -> tuple[Ghost | None, bool]:
    """By starts before it, so that the page says the same tomorrow; else by those after it."""
    rows = ColdStart.objects.of(start.key)
    earlier = rows.filter(started_at__lte=start.started_at)
    found = _ghost(start, with_phases(earlier, at_most=STARTS_COMPARED).starts)
    if found is not None:
        return found, False
    found = _ghost(start, with_phases(rows, at_most=STARTS_COMPARED).starts)
    return found, found is not None


def _ghost(start: ColdStart, pool: Sequence[Compared]) -> Ghost | None:
    subject = next((each for each in pool if each.id == start.pk), None)
    return ghost(subject, pool) if subject else None


def _lines(segments: Sequence[Segment], by: Ghost | None, *, whole: bool) -> Iterator[PhaseLine]:
    """whole: the start became ready, so that what is shorter than usual says something."""
    usual = _usual(by)
    took: dict[str, float] = {}
    for segment in segments:
        took[segment.phase] = took.get(segment.phase, 0.0) + segment.seconds
    missing = [phase for phase in usual if phase not in took and _worth_a_line(phase, usual)]
    none_s = 0.0 if whole else None
    for segment in segments:
        while missing and ORDER[missing[0]] < ORDER.get(segment.phase, len(ORDER)):
            yield _line(missing.pop(0), None, usual, seconds=none_s, whole=whole)
        seconds = took.pop(segment.phase, None)
        yield _line(segment.phase, segment, usual, seconds=seconds, whole=whole)
    for phase in missing:
        yield _line(phase, None, usual, seconds=none_s, whole=whole)


def _worth_a_line(phase: str, usual: dict[str, float]) -> bool:
    """Whether starts like it pass that phase; that nothing was unexplained is no news."""
    return usual[phase] > 0.0 and phase != Phase.UNEXPLAINED


def _usual(by: Ghost | None) -> dict[str, float]:
    """Seconds of each counted phase; what most starts do not pass is 0. {} without a ghost."""
    if by is None:
        return {}
    known = {each.phase: each.p50_s for each in by.phases}
    return {phase.value: known.get(phase, 0.0) for phase in COUNTED}


def _line(
    phase: str,
    segment: Segment | None,
    usual: dict[str, float],
    *,
    seconds: float | None,
    whole: bool,
) -> PhaseLine:
    usual_s = usual.get(phase)
    more_s = None if seconds is None or usual_s is None else seconds - usual_s
    return PhaseLine(
        phase=phase,
        label=word(PHASE_LABELS, phase),
        segment=segment,
        usual_s=usual_s,
        more_s=more_s if whole or (more_s or 0.0) > 0.0 else None,
    )
