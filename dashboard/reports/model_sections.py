"""The tables of a report that name models and teams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.reports.bars import phase_bar
from dashboard.reports.cells import Cell, Head, Section, number, numbers, tone_of
from dashboard.reports.sections import failure_text, longest_text
from dashboard.reports.texts import UNKNOWN, change_text, count_text, span_text
from dashboard.words import Words
from fleet.domain.records.keys import ModelKey
from fleet.domain.reports.report import MOVED_AT_LEAST_S, ModelWeek, Report, TeamWeek

# Longer lists are cut here; the CSV file holds them all.
MODELS_SHOWN = 200
NAMES_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Where names lead; a file that lies somewhere else has none."""

    model: Callable[[ModelKey], str]
    team: Callable[[TeamWeek], str]


NOWHERE = Links(model=lambda _key: "", team=lambda _team: "")


def model_sections(report: Report, links: Links) -> Iterator[Section]:
    """The worst, and what moved."""
    yield _worst(report, links)
    yield _moved("worse", _("Got worse"), report.got_worse, report=report, links=links)
    yield _moved("better", _("Got better"), report.got_better, report=report, links=links)


def list_sections(report: Report, links: Links) -> Iterator[Section]:
    """What came and went, teams, all models."""
    yield _names("new", _("New models"), report.new_models, links)
    yield _names("gone", _("Models that are gone"), report.gone_models, links)
    yield _teams(report, links)
    yield _all(report, links)


def _worst(report: Report, links: Links) -> Section:
    return Section(
        id="worst",
        title=_("The five worst models"),
        note=_("By seconds waited: from demand to Ready, and spent in starts that failed."),
        heads=_model_heads(),
        rows=[_model_row(model, links) for model in report.worst],
        empty=_("No model waited for a start."),
        width=6,
    )


def _all(report: Report, links: Links) -> Section:
    shown = report.models[:MODELS_SHOWN]
    left = len(report.models) - len(shown)
    cut = ngettext(
        "%(n)d more stands in the CSV file.", "%(n)d more stand in the CSV file.", left
    ) % {"n": left}
    return Section(
        id="models",
        title=ngettext("%(n)d model with starts", "%(n)d models with starts", len(report.models))
        % {"n": len(report.models)},
        note=cut if left else "",
        heads=_model_heads(),
        rows=[_model_row(model, links) for model in shown],
        empty=_("No model started."),
        width=6,
        folded=True,
    )


def _model_heads() -> Sequence[Head]:
    return (
        Head(title=_("Model")),
        Head(title=_("Where its time went"), drawn=True),
        *numbers(_("Starts"), _("Failed"), _("Waited"), _("Last week"), _("Change")),
        *numbers(_("Longest")),
        Head(title=_("Failed by")),
    )


def _model_row(model: ModelWeek, links: Links) -> list[Cell]:
    this, last = model.this_week, model.last_week
    return [
        model_cell(model.key, links),
        Cell(text="", bar=phase_bar(this.phases_s)),
        number(count_text(this.starts)),
        number(count_text(this.failed), tone="worse" if this.failed else ""),
        number(span_text(this.waited_s)),
        number(span_text(last.waited_s) if last else UNKNOWN),
        number(change_text(model.change_s), tone=tone_of(model.change_s, from_=MOVED_AT_LEAST_S)),
        number(longest_text(this)),
        Cell(text=failure_text(this)),
    ]


def model_cell(key: ModelKey, links: Links) -> Cell:
    return Cell(text=key.name, link=links.model(key), under=f"{key.cluster} · {key.namespace}")


def _moved(
    id_: str, title: Words, models: Sequence[ModelWeek], *, report: Report, links: Links
) -> Section:
    unknown = _("Nothing was watched in the week before.")
    return Section(
        id=id_,
        title=title,
        note=_("By seconds waited against last week; a minute at least."),
        heads=(
            Head(title=_("Model")),
            *numbers(_("This week"), _("Last week"), _("Change")),
        ),
        rows=[_moved_row(model, links) for model in models],
        empty=unknown if report.last_week is None else _("None."),
    )


def _moved_row(model: ModelWeek, links: Links) -> list[Cell]:
    last = model.last_week
    return [
        model_cell(model.key, links),
        number(span_text(model.this_week.waited_s)),
        number(span_text(last.waited_s) if last else UNKNOWN),
        number(change_text(model.change_s), tone=tone_of(model.change_s)),
    ]


def _teams(report: Report, links: Links) -> Section:
    counts = numbers(_("Models"), _("Starts"), _("Failed"), _("Waited"), _("Last week"))
    return Section(
        id="teams",
        title=_("By team and environment"),
        heads=(Head(title=_("Team")), Head(title=_("Environment")), *counts),
        rows=[_team_row(team, links) for team in report.teams],
        empty=_("No model."),
        width=6,
    )


def _team_row(team: TeamWeek, links: Links) -> list[Cell]:
    last = team.last_week
    return [
        Cell(text=team.team or _("not told"), link=links.team(team)),
        Cell(text=team.environment or _("not told")),
        number(count_text(team.models)),
        number(count_text(team.this_week.starts)),
        number(count_text(team.this_week.failed)),
        number(span_text(team.this_week.waited_s)),
        number(span_text(last.waited_s) if last else UNKNOWN),
    ]


def _names(id_: str, title: Words, keys: Sequence[ModelKey], links: Links) -> Section:
    left = len(keys) - NAMES_SHOWN
    return Section(
        id=id_,
        title=title,
        note=_("and %(n)d more") % {"n": left} if left > 0 else "",
        heads=(Head(title=_("Model")),),
        rows=[[model_cell(key, links)] for key in keys[:NAMES_SHOWN]],
        empty=_("None."),
        width=2,
    )
