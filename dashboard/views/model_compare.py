"""Starts of one model beside one another, as its page shows them: one start mode at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.charts.compared_figures import curves_of, mode_text, spread_by, time_figure
from dashboard.charts.figures import Figure
from dashboard.compare_words import ChangeWords, change_words, regression_words
from dashboard.views.model_query import ModelQuery
from dashboard.views.model_starts import starts_before
from dashboard.views.next_step_card import NextStepCard, next_step_card
from dashboard.words import Words
from fleet.domain.compare.next_step import next_steps
from fleet.domain.compare.records import Attribute, Compared, finished, usual_mode
from fleet.domain.compare.regression import Regression, regression, revisions
from fleet.domain.compare.two_revisions import TwoRevisions, two_revisions
from fleet.domain.records.keys import ModelKey
from fleet.history.compared import OF_A_MODEL, Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeChoice:
    """One start mode that has ready starts in this time. address: the query string for it."""

    mode: str
    label: Words
    n: int
    address: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """Two revisions that were picked. names: those that may be picked, newest first. kept: what
    the address says besides.

    two: None while one of the picked ones has no ready start of this mode.
    """

    before: str
    after: str
    names: tuple[str, ...]
    kept: Mapping[str, str]
    two: TwoRevisions | None
    words: ChangeWords | None
    curves: Figure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """n: ready starts of the mode in this time. cut: only the newest `at_most` starts were read.

    side_by_side: None with fewer than two revisions.
    """

    mode: str
    label: Words
    modes: tuple[ModeChoice, ...]
    n: int
    cut: bool
    at_most: int
    regression: ChangeWords
    next_step: NextStepCard
    over_time: Figure
    by_revision: Figure
    by_node: Figure
    side_by_side: SideBySide | None


def comparable(key: ModelKey, query: ModelQuery) -> Reading:
    """The newest starts up to the end of the time. One query."""
    return starts_before(key, query.window, at_most=OF_A_MODEL)


def model_comparison(known: Reading, query: ModelQuery) -> Comparison | None:
    """known: what `comparable` gave. None = no ready start in this time."""
    window = query.window
    inside = [start for start in known.starts if start.started_at >= window.since]
    mode = query.mode or usual_mode(inside)
    if not finished(inside):
        return None
    judged = regression(inside, mode=mode)
    return Comparison(
        mode=mode,
        label=mode_text(mode),
        modes=_modes(inside, mode, query),
        n=len(finished(inside, mode=mode)),
        cut=known.cut and len(inside) == len(known.starts),
        at_most=OF_A_MODEL,
        regression=regression_words(judged),
        next_step=next_step_card(next_steps(known.starts, mode=mode)),
        over_time=time_figure(
            known.starts, mode=mode, since=window.since, until=window.until, model=True
        ),
        by_revision=spread_by(inside, Attribute.REVISION, mode=mode),
        by_node=spread_by(inside, Attribute.NODE, mode=mode),
        side_by_side=side_by_side(
            inside, mode, judged, picked=(query.before, query.after), kept=query.kept
        ),
    )


def _modes(starts: Sequence[Compared], chosen: str, query: ModelQuery) -> tuple[ModeChoice, ...]:
    """The commonest first; the one that is chosen is there though it has none."""
    counts = Counter(start.start_mode for start in finished(starts))
    counts.setdefault(chosen, 0)
    return tuple(
        ModeChoice(
            mode=mode,
            label=mode_text(mode),
            n=n,
            address=query.address(mode=mode),
            chosen=mode == chosen,
        )
        for mode, n in counts.most_common()
    )


def side_by_side(
    starts: Sequence[Compared],
    mode: str,
    judged: Regression,
    *,
    picked: tuple[str, str],
    kept: Mapping[str, str],
) -> SideBySide | None:
    """picked: names of two revisions, "" = choose: those of the standing change, else the newest.

    None with fewer than two revisions.
    """
    names = tuple(dict.fromkeys(r.name for r in reversed(revisions(starts, mode=mode))))
    if len(names) < 2:
        return None
    standing = judged.standing
    usual = (names[1], names[0])
    if standing is not None and standing.before is not None:
        usual = (standing.before.name, standing.after.name)
    before, after = picked[0] or usual[0], picked[1] or usual[1]
    two = two_revisions(starts, before=before, after=after, mode=mode)
    return SideBySide(
        before=before,
        after=after,
        names=names,
        kept=kept,
        two=two,
        words=change_words(two.change) if two else None,
        curves=curves_of(starts, Attribute.REVISION, (before, after), mode=mode) if two else None,
    )
