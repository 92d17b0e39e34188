"""How starts like this one usually go, as a thin bar of phases below its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import ngettext

from dashboard.charts.bars import Segment
from dashboard.charts.spoken import clock_text
from dashboard.words import PHASE_LABELS, Words, word
from fleet.domain.compare.ghost import Ghost
from fleet.domain.compare.like import Kin


@dataclass(frozen=True, slots=True, kw_only=True)
class GhostBar:
    """Medians of phases one after the other. total_x: where the median length lies, %.

    source: which starts, without their number's age; since: when the oldest of them began.
    """

    segments: tuple[Segment, ...]
    total_s: float
    total_x: float
    source: str
    since: datetime

    @property
    def spoken(self) -> str:
        return f"{clock_text(self.total_s)}, {self.source}"


def ghost_bar(ghost: Ghost, *, scale_s: float) -> GhostBar:
    """scale_s: what the full width stands for, as of the bar above it."""
    segments: list[Segment] = []
    at_s = 0.0
    for phase in ghost.phases:
        segments.append(_segment(phase.phase, at_s, phase.p50_s, scale_s))
        at_s += phase.p50_s
    return GhostBar(
        segments=tuple(segments),
        total_s=ghost.total_s,
        total_x=round(min(99.6, 100 * ghost.total_s / scale_s), 3),
        source=ghost_source(ghost),
        since=ghost.since,
    )


def _segment(phase: str, from_s: float, seconds: float, scale_s: float) -> Segment:
    x = min(100.0, 100 * from_s / scale_s)
    return Segment(
        phase=phase,
        label=word(PHASE_LABELS, phase),
        from_s=round(from_s, 3),
        to_s=round(from_s + seconds, 3),
        seconds=seconds,
        x=round(x, 3),
        width=round(min(100.0 - x, 100 * seconds / scale_s), 3),
    )


def _of_revision(n: int) -> Words:
    return ngettext(
        "median of %(n)d start of this revision", "median of %(n)d starts of this revision", n
    ) % {"n": n}


def _of_image(n: int) -> Words:
    return ngettext(
        "median of %(n)d start of this image", "median of %(n)d starts of this image", n
    ) % {"n": n}


def _of_model(n: int) -> Words:
    return ngettext(
        "median of %(n)d start of this model", "median of %(n)d starts of this model", n
    ) % {"n": n}


SOURCES: Mapping[Kin, Callable[[int], Words]] = {
    Kin.REVISION: _of_revision,
    Kin.IMAGE: _of_image,
    Kin.MODEL: _of_model,
}


def ghost_source(ghost: Ghost) -> str:
    """Like "median of 20 starts of this revision"."""
    return str(SOURCES.get(ghost.kin, _of_model)(ghost.n))
