"""The tables of a report: of the whole, and of what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from dashboard.charts.spoken import clock_text
from dashboard.reasons import FAILURES
from dashboard.reports.cells import Cell, Head, Section, number, numbers
from dashboard.reports.texts import UNKNOWN, change_text, count_text, length_text, span_text
from dashboard.words import (
    OUTCOME_LABELS,
    PHASE_LABELS,
    START_MODE_LABELS,
    TRIGGER_LABELS,
    Words,
    word,
)
from fleet.domain.coldstart.start import Outcome
from fleet.domain.compare.numbers import ENOUGH_FOR_P50, ENOUGH_FOR_P95
from fleet.domain.compare.records import COUNTED
from fleet.domain.reports.figures import Figures, ModeFigures
from fleet.domain.reports.report import Report, changed
from fleet.domain.reports.sight import Sight


def modes_section(this: Figures, last: Figures | None) -> Section:
    """Percentiles of each start mode apart: they are never averaged together."""
    before = {mode.start_mode: mode for mode in last.modes} if last else {}
    heads = (Head(title=_("From what")), *numbers(_("Starts")))
    lengths = numbers("p50", _("last week"), "p95", _("last week"))
    return Section(
        id="modes",
        title=_("By what was cached"),
        note=_("p50 from 5, p95 from 20 ready starts of the same kind."),
        heads=(*heads, *lengths),
        rows=[_mode_row(mode, before.get(mode.start_mode), known=last) for mode in this.modes],
        empty=_("No start in this week."),
    )


def _mode_row(this: ModeFigures, last: ModeFigures | None, *, known: Figures | None) -> list[Cell]:
    return [
        Cell(text=word(START_MODE_LABELS, this.start_mode)),
        number(count_text(this.starts)),
        number(p50_text(this)),
        number(p50_text(last) if last else UNKNOWN),
        number(p95_text(this)),
        number(p95_text(last) if last else UNKNOWN),
    ]


def p50_text(figures: ModeFigures | Figures) -> str:
    return length_text(figures.p50_s, measured=figures.measured, enough=ENOUGH_FOR_P50)


def p95_text(figures: ModeFigures | Figures) -> str:
    return length_text(figures.p95_s, measured=figures.measured, enough=ENOUGH_FOR_P95)


def phases_section(this: Figures, last: Figures | None) -> Section:
    """Seconds by phase, of ready and failed starts."""
    rows = [
        _phase_row(PHASE_LABELS[phase], this.phases_s.get(phase.value, 0.0), _last(last, phase))
        for phase in COUNTED
        if phase.value in this.phases_s or (last and phase.value in last.phases_s)
    ]
    return Section(
        id="phases",
        title=_("By phase"),
        note=_("Of ready and failed starts, from demand to Ready or to the end."),
        heads=(
            Head(title=_("Phase")),
            *numbers(_("This week"), _("Last week"), _("Change")),
        ),
        rows=rows,
        empty=_("No phase is known."),
    )


def _last(last: Figures | None, phase: str) -> float | None:
    return last.phases_s.get(phase, 0.0) if last else None


def _phase_row(label: Words, this_s: float, last_s: float | None) -> list[Cell]:
    change = changed(this_s, last_s)
    return [
        Cell(text=label),
        number(span_text(this_s)),
        number(span_text(last_s)),
        number(change_text(change)),
    ]


def counts_sections(this: Figures, last: Figures | None) -> Iterator[Section]:
    """How starts ended, why they happened, why they failed."""
    tables: tuple[tuple[str, str, Mapping[Any, Words], Callable[[Figures], Any]], ...] = (
        ("outcomes", _("How they ended"), OUTCOME_LABELS, _outcomes),
        ("triggers", _("Why they happened"), TRIGGER_LABELS, lambda f: f.triggers),
        ("failures", _("Why they failed"), FAILURES, lambda f: f.failures),
    )
    for id_, title, labels, counts in tables:
        rows = _count_rows(counts(this), counts(last) if last else None, labels)
        yield Section(
            id=id_,
            title=title,
            note=_NOTES[id_](),
            heads=(Head(title=""), *numbers(_("This week"), _("Last week"))),
            rows=rows,
            empty=_("None."),
            width=2,
        )


_NOTES: Mapping[str, Callable[[], str]] = {
    "outcomes": lambda: _("Partly seen starts are counted, and left out of every length."),
    "triggers": lambda: "",
    "failures": lambda: "",
}


def _outcomes(figures: Figures) -> dict[str, int]:
    counts = {
        Outcome.READY: figures.ready,
        Outcome.FAILED: figures.failed,
        Outcome.ABORTED: figures.aborted,
        Outcome.PARTIAL: figures.partial,
        Outcome.RUNNING: figures.running,
    }
    return {outcome.value: count for outcome, count in counts.items() if count}


def _count_rows(
    this: Mapping[str, int], last: Mapping[str, int] | None, labels: Mapping[Any, Words]
) -> list[list[Cell]]:
    only_last = [name for name in last or () if name not in this]
    return [
        [
            Cell(text=word(labels, name)),
            number(count_text(this.get(name, 0))),
            number(UNKNOWN if last is None else count_text(last.get(name, 0))),
        ]
        for name in (*this, *only_last)
    ]


def sights_section(report: Report) -> Section:
    """How long each cluster was not watched."""
    return Section(
        id="sights",
        title=_("Hours blind"),
        note=_(
            "Blind: pods were not seen, so starts may be missing. Thin: something else was not"
            " seen, so phases are told less well."
        ),
        heads=(Head(title=_("Cluster")), *numbers(_("Watched"), _("Blind"), _("Thin"))),
        rows=[_sight_row(sight, report) for sight in report.sights],
        empty=_("No cluster was watched."),
        width=2,
    )


def _sight_row(sight: Sight, report: Report) -> list[Cell]:
    late = sight.watched_from is not None and sight.watched_from > report.week.since
    since = _("from %(when)s UTC") % {"when": f"{sight.watched_from:%a %H:%M}"} if late else ""
    lost = _("not kept") if sight.blind_s is None else ""
    return [
        Cell(text=sight.cluster, under=since),
        number(span_text(sight.watched_s)),
        number(lost or hours_text(sight.blind_s), tone="worse" if sight.blind_s else ""),
        number(lost or hours_text(sight.thin_s)),
    ]


def hours_text(seconds: float | None) -> str:
    """A stretch without sight: "none", "40 s", "1.5 h"."""
    return span_text(seconds) if seconds else _("none")


def failure_text(figures: Figures) -> str:
    """The most frequent class of failure, "" without one."""
    for class_, count in figures.failures.items():
        return f"{word(FAILURES, class_)} ({count:,})"
    return ""


def longest_text(figures: Figures) -> str:
    return clock_text(figures.longest_s)
