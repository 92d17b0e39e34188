"""A start as one row of a list, drawn on the scale of that list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import quantiles

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language

from dashboard.charts.bars import StartBar, start_bar
from dashboard.charts.eta import StartEta
from dashboard.live.fragments import Fragment, stamp_of
from dashboard.live.kept import KeptFragments
from dashboard.reasons import failure_text
from dashboard.views.model_row import eta_of, expected_s, model_url, start_shape
from dashboard.words import OUTCOME_LABELS, START_MODE_LABELS, TRIGGER_LABELS, Words, word
from fleet.domain.coldstart.start import Outcome
from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import ModelKey
from fleet.models import ColdStart, ServedModel

# How an outcome is drawn: shape and colour of the state that it is most like.
OUTCOME_MARKS: Mapping[str, State] = {
    Outcome.RUNNING: State.STARTING,
    Outcome.READY: State.WARM,
    Outcome.FAILED: State.FAILING,
    Outcome.ABORTED: State.STOPPED,
    Outcome.PARTIAL: State.UNKNOWN,
}
# A start that is so much longer than three quarters of the list would squeeze all others.
LONGEST_OF_QUARTILE = 3.0
# A start in flight keeps room to grow.
HEADROOM = 1.25
KEPT_STARTS = KeptFragments(most=2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRow:
    """One start. failure: in words, "" = none. cut: its bar goes on beyond the scale. eta: of one
    in flight."""

    start: ColdStart
    key: ModelKey
    bar: StartBar
    mark: State
    outcome: Words
    trigger: Words
    mode: Words
    failure: str
    cut: bool
    eta: StartEta | None

    @property
    def dom_id(self) -> str:
        return f"start-{self.start.pk}"

    @property
    def url(self) -> str:
        return reverse("cold-start", args=(self.start.pk,))

    @property
    def model_url(self) -> str:
        return model_url(self.key)


def start_rows(starts: Sequence[ColdStart], *, now: datetime) -> list[StartRow]:
    """The rows in the order given. One query for what starts in flight are expected to take."""
    scale_s = scale_of([length_s(start, now=now) for start in starts])
    running = [start.model_uid for start in starts if start.outcome == Outcome.RUNNING]
    models = ServedModel.objects.filter(model_uid__in=running) if running else ()
    rows = {(row.cluster, row.model_uid): row for row in models}
    return [
        start_row(start, rows.get((start.cluster, start.model_uid)), scale_s=scale_s, now=now)
        for start in starts
    ]


def start_row(
    start: ColdStart, row: ServedModel | None, *, now: datetime, scale_s: float | None = None
) -> StartRow:
    """row: the model's, for what a start in flight is expected to take; None = not known."""
    typical, slow = (None, None) if row is None else expected_s(row, start.pk)
    shape = start_shape(start)
    return StartRow(
        start=start,
        key=start.key,
        bar=start_bar(shape, now=now, expected_s=typical, slow_s=slow, scale_s=scale_s),
        mark=OUTCOME_MARKS.get(start.outcome, State.UNKNOWN),
        outcome=word(OUTCOME_LABELS, start.outcome),
        trigger=word(TRIGGER_LABELS, start.trigger),
        mode=word(START_MODE_LABELS, start.start_mode),
        failure=failure_text(start.failure_class, start.failure_reason),
        eta=eta_of(row, start, now=now) if start.outcome == Outcome.RUNNING else None,
        cut=scale_s is not None and length_s(start, now=now) > scale_s,
    )


def length_s(start: ColdStart, *, now: datetime) -> float:
    """How long a bar the start needs, s."""
    if start.outcome == Outcome.RUNNING:
        return (now - start.started_at).total_seconds() * HEADROOM
    return max(start.total_s or 0.0, start.total_to_first_answer_s or 0.0)


def scale_of(lengths_s: Sequence[float]) -> float:
    """What the full width of every bar of a list stands for, s: the longest start, unless it is
    far longer than three quarters of the others."""
    longest = max(lengths_s, default=0.0)
    if len(lengths_s) >= 2:
        quartile = quantiles(lengths_s, n=4, method="inclusive")[2]
        longest = min(longest, max(quartile * LONGEST_OF_QUARTILE, 1.0))
    return max(longest, 1.0)


def _drawn(row: StartRow) -> object:
    """What the bar shows. One in flight grows in the browser: only its steps are news."""
    bar = row.bar
    if bar.running:
        steps = [(segment.phase, segment.to_s) for segment in bar.segments]
        return steps, bar.expected_s, bar.slow_s
    return row.start.total_s, row.start.phases, bar.scale_s


def row_fragment(row: StartRow) -> Fragment:
    """The row as page and socket share it. A finished one is rendered once per scale."""
    start, bar = row.start, row.bar
    stamp = stamp_of(
        (
            start.pk,
            start.outcome,
            start.failure_reason,
            start.node,
            start.trigger,
            start.start_mode,
        ),
        _drawn(row),
        get_language(),
        row.eta and (row.eta.late_s, row.eta.overdue_s, row.eta.source),
    )
    kept = KEPT_STARTS.get(row.dom_id, stamp)
    if kept is not None and not bar.running:
        return kept
    html = render_to_string("partials/start_row.html", {"row": row, "stamp": stamp})
    fragment = Fragment(row.dom_id, stamp, html.strip())
    KEPT_STARTS.put(fragment)
    return fragment
