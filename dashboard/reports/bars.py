"""Where the time of many starts went, as one bar of phases."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.reports.cells import PhaseBar, Piece
from dashboard.reports.texts import span_text
from dashboard.words import PHASE_LABELS
from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.records import COUNTED


def phase_bar(phases_s: Mapping[str, float], *, scale_s: float | None = None) -> PhaseBar | None:
    """Phases that add up to the time waited. scale_s: what the whole width stands for, None = their
    sum; None is given back where no phase is known."""
    lengths = {phase: phases_s.get(phase.value, 0.0) for phase in COUNTED}
    total_s = sum(lengths.values())
    if total_s <= 0:
        return None
    return PhaseBar(pieces=_pieces(lengths, scale_s or total_s), spoken=spoken(lengths))


def _pieces(lengths: Mapping[Phase, float], scale_s: float) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    x = 0.0
    for phase, seconds in lengths.items():
        width = 100 * seconds / scale_s
        if seconds > 0:
            says = f"{PHASE_LABELS[phase]} {span_text(seconds)}"
            piece = Piece(phase=phase.value, says=says, x=round(x, 3), width=round(width, 3))
            pieces.append(piece)
        x += width
    return tuple(pieces)


def spoken(lengths: Mapping[Phase, float]) -> str:
    """In words, the longest first."""
    ordered = sorted(lengths.items(), key=lambda item: -item[1])
    told = [f"{PHASE_LABELS[phase]} {span_text(s)}" for phase, s in ordered if s > 0]
    return ", ".join(told)
