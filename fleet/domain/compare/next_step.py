"""What would shorten a model's starts next, and by how much, by its own starts."""

from collections.abc import Iterable
from dataclasses import dataclass

from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.ghost import medians
from fleet.domain.compare.numbers import ENOUGH_FOR_P50
from fleet.domain.compare.records import Compared, finished
from fleet.domain.compare.remedies import REMEDIES, NextStep, Recent

OF_THE_LAST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class NextSteps:
    """worst: the phase that takes longest in the middle, and its seconds. n: starts of the mode
    that were looked at; under five, nothing is said. steps: those of the worst phase first, then
    by what they save, then by what they could; what avoids starts altogether comes last."""

    mode: str
    n: int
    worst: Phase | None = None
    worst_s: float | None = None
    steps: tuple[NextStep, ...] = ()


def next_steps(starts: Iterable[Compared], *, mode: str) -> NextSteps:
    """starts: of one model and of any mode, in any order: those of other modes show what a remedy
    would save."""
    own = sorted(finished(starts), key=lambda start: start.started_at, reverse=True)
    last = [start for start in own if start.start_mode == mode][:OF_THE_LAST]
    if len(last) < ENOUGH_FOR_P50:
        return NextSteps(mode=mode, n=len(last))
    usual = {part.phase: part.p50_s for part in medians(last)}
    worst = max(usual, key=usual.__getitem__, default=None)
    recent = Recent(last=tuple(last), own=tuple(own))
    found = [step for remedy in REMEDIES if (step := remedy(recent)) is not None]
    return NextSteps(
        mode=mode,
        n=len(last),
        worst=worst,
        worst_s=usual[worst] if worst else None,
        steps=tuple(sorted(found, key=lambda step: _order(step, worst))),
    )


def _order(step: NextStep, worst: Phase | None) -> tuple[bool, bool, float, float]:
    return (step.avoids, step.phase is not worst, -(step.saves_s or 0.0), -step.spends_s)
