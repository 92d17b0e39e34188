"""The last starts of a model as waterfalls on one scale, each against its ghost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboard.charts.bars import StartBar, start_bar
from dashboard.charts.eta import StartEta
from dashboard.charts.ghost_bar import GhostBar, ghost_bar
from dashboard.ranges import TimeRange
from dashboard.views.model_row import eta_of, expected_s, start_shape
from dashboard.views.start_log import LogWords, log_words
from dashboard.views.start_row import length_s, scale_of
from dashboard.words import OUTCOME_LABELS, START_MODE_LABELS, TRIGGER_LABELS, Words, word
from fleet.domain.coldstart.start import Outcome
from fleet.domain.compare.ghost import ghost
from fleet.domain.compare.records import Compared
from fleet.domain.records.keys import ModelKey
from fleet.history.compared import Reading, of_model
from fleet.models import ColdStart, ServedModel

STARTS_SHOWN = 15
# The newest starts, of any mode, that ghosts are taken from.
STARTS_COMPARED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class StartLine:
    """One start of the waterfall. ghost: None = too few comparable starts. eta: of one in flight.

    log: what its server's log told, None = not read.
    """

    start: ColdStart
    bar: StartBar
    trigger: Words
    mode: Words
    outcome: Words
    ghost: GhostBar | None
    eta: StartEta | None
    log: LogWords | None


def starts_before(key: ModelKey, window: TimeRange, *, at_most: int = STARTS_COMPARED) -> Reading:
    """The newest starts up to the end of that time, of any mode: ghosts are taken from them."""
    return of_model(key, until=window.until, at_most=at_most)


def start_lines(
    row: ServedModel, window: TimeRange, pool: Sequence[Compared], *, now: datetime
) -> tuple[StartLine, ...]:
    """The newest starts of that time. pool: what `starts_before` gave. One query."""
    rows = ColdStart.objects.of(row.key).filter(started_at__lt=window.until)
    shown = list(rows.started_since(window.since).newest_first()[:STARTS_SHOWN])
    pool = pool[:STARTS_COMPARED]
    scale_s = scale_of([length_s(start, now=now) for start in shown])
    return tuple(_line(row, start, pool, now=now, scale_s=scale_s) for start in shown)


def _line(
    row: ServedModel, start: ColdStart, pool: Sequence[Compared], *, now: datetime, scale_s: float
) -> StartLine:
    typical, slow = expected_s(row, start.pk)
    running = start.outcome == Outcome.RUNNING
    shape = start_shape(start)
    return StartLine(
        start=start,
        bar=start_bar(shape, now=now, expected_s=typical, slow_s=slow, scale_s=scale_s),
        trigger=word(TRIGGER_LABELS, start.trigger),
        mode=word(START_MODE_LABELS, start.start_mode),
        outcome=word(OUTCOME_LABELS, start.outcome),
        ghost=ghost_of(start, pool, scale_s=scale_s),
        eta=eta_of(row, start, now=now) if running else None,
        log=log_words(start.log),
    )


def ghost_of(start: ColdStart, pool: Sequence[Compared], *, scale_s: float) -> GhostBar | None:
    """The ghost of a start by those of `pool`, which holds the start itself; None under five."""
    subject = next((each for each in pool if each.id == start.pk), None)
    found = ghost(subject, pool) if subject else None
    return ghost_bar(found, scale_s=scale_s) if found else None
