"""What the starts of a list say together: outcomes, lengths by mode and over time, what is slow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dashboard.access.rules import Grant
from dashboard.charts.compared_figures import (
    ATTRIBUTE_LABELS,
    attribute_text,
    mode_text,
    time_figure,
)
from dashboard.charts.figures import Figure
from dashboard.charts.spread_figure import Group, spread_figure
from dashboard.compare_words import ChangeWords, regression_words
from dashboard.views.model_compare import SideBySide, side_by_side
from dashboard.views.start_row import OUTCOME_MARKS
from dashboard.views.starts_days import days_figure, days_of
from dashboard.views.starts_page import starts_found
from dashboard.views.starts_query import StartsQuery
from dashboard.words import OUTCOME_LABELS, TRIGGER_LABELS, Words, word
from fleet.domain.compare.numbers import p50_s, p95_s
from fleet.domain.compare.records import Attribute, Compared, finished, usual_mode
from fleet.domain.compare.regression import Regression, regression
from fleet.domain.compare.slow_set import Common, slow_set
from fleet.domain.compare.spread import Spread, spreads
from fleet.domain.ledger.delta import State
from fleet.history.compared import OF_A_FLEET, OF_A_MODEL, Reading, with_phases, without_phases
from fleet.history.start_days import DaySums

# Rows of what slow starts have in common.
MOST_COMMON = 12
# An attribute's value as a filter of the list; the others cannot be asked for.
FILTERS: Mapping[Attribute, str] = {
    Attribute.REVISION: "revision",
    Attribute.NODE: "node",
    Attribute.START_MODE: "mode",
    Attribute.TRIGGER: "trigger",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCount:
    """address: the list of these alone, or of all again if it is chosen."""

    mark: State
    label: Words
    n: int
    address: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeFigures:
    """Ready starts of one mode. p50_s: None under five, p95_s under twenty."""

    mode: str
    label: Words
    n: int
    p50_s: float | None
    p95_s: float | None
    address: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowLine:
    """One value that slow starts may have in common. slow, rest: how many of each have it.

    address: the list of starts with that value, "" = cannot be asked for.
    """

    attribute: Words
    value: str
    address: str
    slow: int
    rest: int
    of_slow: str
    of_rest: str
    chance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowWords:
    """telling: what may be said. others: what was looked at besides, the surest first."""

    n_slow: int
    n_rest: int
    telling: tuple[SlowLine, ...]
    others: tuple[SlowLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """n: starts read, the newest of the list; cut: older ones were left out. summed: outcomes,
    modes and the chart over time are of all starts of whole days, though; of_all: how many.

    mode: that of the chart over time, "" without any ready start. any_mode: the list without that
    filter; "" = no mode was asked for. change, side_by_side: of one model's revisions, None while
    several models are asked for.
    """

    n: int
    cut: bool
    summed: bool
    of_all: int
    outcomes: tuple[OutcomeCount, ...]
    modes: tuple[ModeFigures, ...]
    mode: str
    any_mode: str
    by_mode: Figure | None
    over_time: Figure | None
    slow: SlowWords
    change: ChangeWords | None
    side_by_side: SideBySide | None


def starts_summary(query: StartsQuery, grant: Grant) -> Summary:
    """One query, or three where older starts are told from sums. Of one model with phases, and
    fewer starts."""
    reading = _reading(query, grant)
    starts = reading.starts
    sums = days_of(query, grant) if reading.cut else None
    found = spreads(starts, Attribute.START_MODE, mode="")
    mode = query.mode or usual_mode(starts)
    judged = regression(starts, mode=mode) if query.key is not None and found else None
    counts = Counter(start.outcome for start in starts) if sums is None else sums.outcomes
    return Summary(
        n=len(starts),
        cut=reading.cut,
        summed=sums is not None,
        of_all=sum(counts.values()),
        outcomes=tuple(_outcomes(counts, query)),
        modes=tuple(_modes(found, starts, sums, query)),
        mode=mode,
        any_mode=query.address(mode=None) if query.mode else "",
        by_mode=_by_mode(found) if found else None,
        over_time=_over_time(reading, mode, sums, query) if found else None,
        slow=_slow(starts, query),
        change=regression_words(judged) if judged else None,
        side_by_side=_side_by_side(starts, judged, query) if judged else None,
    )


def _over_time(reading: Reading, mode: str, sums: DaySums | None, query: StartsQuery) -> Figure:
    if sums is not None:
        says = _("Lengths of starts by UTC day, %(mode)s") % {"mode": mode_text(mode)}
        return days_figure(sums, mode, query, says=says)
    since = reading.starts[-1].started_at if reading.cut else query.range.since
    of_one = query.key is not None
    return time_figure(
        reading.starts, mode=mode, since=since, until=query.range.until, model=of_one
    )


def _side_by_side(
    starts: Sequence[Compared], judged: Regression, query: StartsQuery
) -> SideBySide | None:
    picked = query.before, query.after
    return side_by_side(starts, judged.mode, judged, picked=picked, kept=query.kept)


def _reading(query: StartsQuery, grant: Grant) -> Reading:
    rows = starts_found(query, grant)
    if query.key is not None:
        return with_phases(rows, at_most=OF_A_MODEL)
    return without_phases(rows, at_most=OF_A_FLEET)


def _outcomes(counts: Mapping[str, int], query: StartsQuery) -> Iterable[OutcomeCount]:
    for outcome, mark in OUTCOME_MARKS.items():
        chosen = outcome == query.outcome
        yield OutcomeCount(
            mark=mark,
            label=word(OUTCOME_LABELS, outcome),
            n=counts.get(outcome, 0),
            address=query.address(outcome=None if chosen else outcome),
            chosen=chosen,
        )


def _modes(
    found: Sequence[Spread],
    starts: Sequence[Compared],
    sums: DaySums | None,
    query: StartsQuery,
) -> Iterable[ModeFigures]:
    """The commonest first."""
    if sums is not None:
        for mode, all_of in sorted(sums.modes.items(), key=lambda item: -item[1].n):
            yield _mode_figures(mode, all_of.n, all_of.p50_s, all_of.p95_s, query)
        return
    for each in found:
        ordered = sorted(start.total_s or 0.0 for start in finished(starts, mode=each.value))
        yield _mode_figures(each.value, each.n, p50_s(ordered), p95_s(ordered), query)


def _mode_figures(
    mode: str, n: int, p50: float | None, p95: float | None, query: StartsQuery
) -> ModeFigures:
    chosen = mode == query.mode
    return ModeFigures(
        mode=mode,
        label=mode_text(mode),
        n=n,
        p50_s=p50,
        p95_s=p95,
        address=query.address(mode=None if chosen else mode),
        chosen=chosen,
    )


def _by_mode(found: Sequence[Spread]) -> Figure:
    """A row for each start mode: they are never mixed."""
    groups = [
        Group(
            name=str(mode_text(each.value)),
            label=str(mode_text(each.value)),
            n=each.n,
            values_s=[dot.total_s for dot in each.dots],
            box_s=_box(each),
        )
        for each in found
    ]
    return spread_figure(
        "by-mode", groups, says=_("Lengths of starts by start mode"), what=_("Start mode")
    )


def _box(found: Spread) -> tuple[float, float, float, float, float] | None:
    box = found.box
    return None if box is None else (box.p5_s, box.p25_s, box.p50_s, box.p75_s, box.p95_s)


def _slow(starts: Iterable[Compared], query: StartsQuery) -> SlowWords:
    found = slow_set(starts)
    told = found.telling[:MOST_COMMON]
    rest = [one for one in found.common if not one.tells][:MOST_COMMON]
    return SlowWords(
        n_slow=found.n_slow,
        n_rest=found.n_rest,
        telling=tuple(_line(one, query) for one in told),
        others=tuple(_line(one, query) for one in rest),
    )


def _value(one: Common) -> str:
    if one.attribute is Attribute.TRIGGER:
        return str(word(TRIGGER_LABELS, one.value))
    if one.attribute is Attribute.START_MODE:
        return str(mode_text(one.value))
    return attribute_text(one.attribute, one.value)


def _line(one: Common, query: StartsQuery) -> SlowLine:
    name = FILTERS.get(one.attribute)
    return SlowLine(
        attribute=ATTRIBUTE_LABELS[one.attribute],
        value=_value(one),
        address=query.address(**{name: one.value}) if name else "",
        slow=one.slow,
        rest=one.rest,
        of_slow=f"{one.share_slow:.0%}",
        of_rest=f"{one.share_rest:.0%}",
        chance=_("under 0.1 %") if one.chance < 0.001 else f"{100 * min(one.chance, 1.0):.1f} %",
    )
