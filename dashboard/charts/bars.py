"""A start as a bar of coloured phases, in percent of its width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dashboard.charts.spoken import clock_text
from dashboard.words import (
    DOING_NOW,
    PART_LABELS,
    PHASE_LABELS,
    SOURCE_LABELS,
    START_MODE_LABELS,
    Words,
    word,
)
from fleet.domain.coldstart.start import Outcome, Phase

# What comes after Ready, and may never be seen to end.
AFTER_READY = frozenset({Phase.ROUTE.value, Phase.FIRST_ANSWER.value})
# A growing bar keeps this much room after its end when nothing tells its expected length.
HEADROOM = 1.15
# Below this width, in percent, a phase would vanish: it is drawn this wide.
THINNEST = 0.6


@dataclass(frozen=True, slots=True)
class SubPhase:
    """A sub-phase, for a table. depth: 1 = of the phase itself, 2 = within another, …"""

    label: Words
    seconds: float
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One phase. from_s, to_s: seconds since the start; to_s None while it runs. x, width: %."""

    phase: str
    label: Words
    from_s: float
    to_s: float | None
    seconds: float
    x: float
    width: float
    source: Words = ""
    error_s: float | None = None
    parts: tuple[SubPhase, ...] = ()

    @property
    def says(self) -> str:
        """The tooltip: phase, length, where it was read, how far off it may be."""
        off = "" if self.error_s is None else f" ± {clock_text(self.error_s)}"
        read_in = f" · {self.source}" if self.source else ""
        return f"{self.label} {clock_text(self.seconds)}{off}{read_in}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartBar:
    """A drawn start. scale_s: what 100 % of the width stands for.

    expected_s: the length that comparable starts suggest, None where nothing tells. doing: what an
    unfinished start is at, or how a finished one ended.
    """

    segments: tuple[Segment, ...]
    started_at: datetime
    total_s: float
    scale_s: float
    running: bool
    outcome: str
    doing: Words
    expected_s: float | None = None
    slow_s: float | None = None
    failure: str = ""

    @property
    def spoken(self) -> str:
        """The bar in words, for those who do not see it."""
        parts = ", ".join(f"{s.label} {clock_text(s.seconds)}" for s in self.segments)
        return f"{clock_text(self.total_s)}: {parts}" if parts else clock_text(self.total_s)

    @property
    def started_ms(self) -> int:
        return round(self.started_at.timestamp() * 1000)


def start_bar(
    start: Mapping[str, Any],
    *,
    now: datetime,
    expected_s: float | None = None,
    slow_s: float | None = None,
    scale_s: float | None = None,
) -> StartBar:
    """The bar of one start in the API's shape.

    An unfinished start is drawn up to `now`, against its expected length. scale_s: one scale for
    several bars above each other (a waterfall); None = the bar fills its own width.
    """
    started_at = _moment(start["started_at"])
    running = start["outcome"] == Outcome.RUNNING
    phases = [p for p in start.get("phases") or () if running or not _never_ended(p)]
    spans = [_span(phase, started_at, now=now if running else None) for phase in phases]
    total_s = _length(start, spans, started_at, now=now, running=running)
    scale_s = scale_s or _scale(total_s, spans, expected_s, running=running)
    return StartBar(
        segments=tuple(_segment(span, scale_s, running=running) for span in spans),
        started_at=started_at,
        total_s=total_s,
        scale_s=scale_s,
        running=running,
        outcome=start["outcome"],
        doing=_doing(start, spans, running=running),
        expected_s=expected_s,
        slow_s=slow_s,
        failure=((start.get("failure") or {}).get("reason") or ""),
    )


@dataclass(frozen=True, slots=True)
class _Span:
    phase: str
    from_s: float
    to_s: float
    open: bool
    source: str
    error_s: float | None
    parts: tuple[SubPhase, ...]


def _moment(value: str | datetime) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(value)


def _never_ended(phase: Mapping[str, Any]) -> bool:
    """Whether a start that is over was not seen to pass it: how long it took is not known."""
    return phase["phase"] in AFTER_READY and phase.get("ended_at") is None


def _span(phase: Mapping[str, Any], started_at: datetime, *, now: datetime | None) -> _Span:
    """An open phase is drawn up to `now`; of a start that is over (None), as long as was told."""
    begun = _moment(phase["started_at"])
    ended = None if phase.get("ended_at") is None else _moment(phase["ended_at"])
    from_s = (begun - started_at).total_seconds()
    until = ended or now
    to_s = from_s + phase["seconds"] if until is None else (until - started_at).total_seconds()
    error_s = phase.get("error_s")
    source = phase.get("source", "")
    parts = tuple(_sub_phases(phase.get("parts") or ()))
    return _Span(phase["phase"], from_s, max(from_s, to_s), ended is None, source, error_s, parts)


def _sub_phases(parts: Sequence[Mapping[str, Any]]) -> Iterator[SubPhase]:
    """Each below what it lies within: they come in that order."""
    depths = {"": 0}
    for part in parts:
        depth = depths.get(part.get("within", ""), 0) + 1
        depths[part["part"]] = depth
        yield SubPhase(word(PART_LABELS, part["part"]), part["seconds"], depth)


def _length(
    start: Mapping[str, Any],
    spans: Sequence[_Span],
    started_at: datetime,
    *,
    now: datetime,
    running: bool,
) -> float:
    if running:
        return max(0.0, (now - started_at).total_seconds())
    if start.get("total_s") is not None:
        return float(start["total_s"])
    return max((span.to_s for span in spans), default=0.0)


def _scale(
    total_s: float, spans: Sequence[_Span], expected_s: float | None, *, running: bool
) -> float:
    drawn_s = max((span.to_s for span in spans), default=total_s)
    if not running:
        return max(total_s, drawn_s, 0.001)
    return max(expected_s or 0.0, total_s * HEADROOM, 1.0)


def _segment(span: _Span, scale_s: float, *, running: bool) -> Segment:
    seconds = span.to_s - span.from_s
    width = min(100.0, max(THINNEST, 100 * seconds / scale_s)) if seconds > 0 else 0.0
    return Segment(
        phase=span.phase,
        label=word(PHASE_LABELS, span.phase),
        from_s=round(span.from_s, 3),
        to_s=None if span.open and running else round(span.to_s, 3),
        seconds=seconds,
        x=round(min(100.0, max(0.0, 100 * span.from_s / scale_s)), 3),
        width=round(width, 3),
        source=_source(span.source),
        error_s=span.error_s,
        parts=span.parts,
    )


def _source(source: str) -> Words:
    return word(SOURCE_LABELS, source) if source else ""


def _doing(start: Mapping[str, Any], spans: Sequence[_Span], *, running: bool) -> Words:
    if running:
        last = spans[-1].phase if spans else Phase.UNEXPLAINED
        return word(DOING_NOW, last)
    if start["outcome"] == Outcome.FAILED and start.get("ended_in_phase"):
        return word(DOING_NOW, start["ended_in_phase"])
    return word(START_MODE_LABELS, start.get("start_mode"))
