"""A report as everything that a page, a file or a mail shows of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.utils.translation import gettext as _

from dashboard.reports.bars import phase_bar
from dashboard.reports.cells import BETTER, PhaseBar, Section, Tile, tone_of
from dashboard.reports.model_sections import NOWHERE, Links, list_sections, model_sections
from dashboard.reports.sections import (
    counts_sections,
    modes_section,
    phases_section,
    sights_section,
)
from dashboard.reports.texts import (
    UNKNOWN,
    change_text,
    count_text,
    day_text,
    length_text,
    span_text,
)
from fleet.domain.compare.numbers import ENOUGH_FOR_P50, ENOUGH_FOR_P95
from fleet.domain.compare.records import COUNTED
from fleet.domain.reports.figures import Figures
from fleet.domain.reports.report import Report, changed
from fleet.domain.reports.sight import Sight

# Smaller shifts of a percentile are noise.
SHIFT_SHARE = 0.1
MOMENT = "%Y-%m-%d %H:%M UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPage:
    """notices: what must be known before the figures are believed. nothing: why there are none."""

    report: Report
    title: str
    days: str
    standing: str
    about: str
    notices: tuple[str, ...]
    nothing: str
    tiles: tuple[Tile, ...]
    bars: tuple[tuple[str, PhaseBar | None], ...]
    sections: tuple[Section, ...]


def report_page(report: Report, links: Links = NOWHERE) -> ReportPage:
    """All of it in words."""
    week, this = report.week, report.this_week
    return ReportPage(
        report=report,
        title=_("Week %(week)s") % {"week": week},
        days=f"{day_text(week.since.date())} – {day_text(week.last_day)}, UTC",
        standing=standing_text(report) if this else "",
        about=about_text(report),
        notices=tuple(_notices(report)) if this else (),
        nothing="" if this else nothing_text(report),
        tiles=tuple(_tiles(report, this)) if this else (),
        bars=tuple(_bars(this, report.last_week)) if this else (),
        sections=tuple(_sections(report, this, links)) if this else (),
    )


def _sections(report: Report, this: Figures, links: Links) -> Iterator[Section]:
    yield from model_sections(report, links)
    yield modes_section(this, report.last_week)
    yield phases_section(this, report.last_week)
    yield from counts_sections(this, report.last_week)
    yield sights_section(report)
    yield from list_sections(report, links)


def standing_text(report: Report) -> str:
    """Whether these numbers may still change."""
    moment = f"{report.counted_at:{MOMENT}}"
    if report.kept is not None:
        kept = {"when": f"{report.kept.created_at:{MOMENT}}", "n": report.kept.revision}
        first = _("Made on %(when)s, revision %(n)d: these numbers stay as they are.") % kept
        why = report.kept.why
        return first + (" " + _("Made once more because: %(why)s") % {"why": why} if why else "")
    if not report.over:
        return _("So far: the week still runs, this was counted at %(when)s.") % {"when": moment}
    return _("Not made yet: counted at %(when)s, the numbers may change.") % {"when": moment}


def about_text(report: Report) -> str:
    """Which part of the fleet it is about."""
    choice = report.choice
    asked = [
        (_("cluster"), choice.cluster),
        (_("team"), choice.team),
        (_("environment"), choice.environment),
    ]
    told = ", ".join(f"{name} {value}" for name, value in asked if value)
    narrow = choice.clusters is not None or choice.namespaces is not None
    all_ = _("All models that you may see") if narrow else _("All models of all clusters")
    return told[:1].upper() + told[1:] if told else all_


def nothing_text(report: Report) -> str:
    """Why there are no figures."""
    if report.first_data_at is None:
        return _("Nothing is watched yet: no cluster was ever followed.")
    since = f"{report.first_data_at:{MOMENT}}"
    return _("Nothing was watched in this week: watching began on %(since)s.") % {"since": since}


def _notices(report: Report) -> Iterator[str]:
    if report.lower_bounds:
        dark = [_dark_text(sight) for sight in report.sights if sight.hides_starts]
        yield _(
            "Part of this week was not watched, or that is not known any more: %(told)s. Counts"
            " and sums of time are lower bounds, marked ≥; percentiles are of the starts that were"
            " seen."
        ) % {"told": _names(dark)}
    late = [
        sight.cluster
        for sight in report.sights
        if sight.watched_from and sight.watched_from > report.week.since
    ]
    if late:
        yield _(
            "Followed for part of this week only: %(names)s. What they did before is neither in"
            " these figures nor in last week's."
        ) % {"names": _names(late)}
    if report.last_week is None:
        yield _("Nothing was watched in the week before: there is nothing to compare with.")


def _dark_text(sight: Sight) -> str:
    blind = _("not kept") if sight.blind_s is None else span_text(sight.blind_s)
    return f"{sight.cluster} ({blind})"


def _names(names: Sequence[str]) -> str:
    more = _(" and %(n)d more") % {"n": len(names) - 5} if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def _tiles(report: Report, this: Figures) -> Iterator[Tile]:
    last, least = report.last_week, report.lower_bounds
    yield _count_tile(_("Starts"), this.starts, last.starts if last else None, at_least=least)
    failed = _count_tile(
        _("Failed starts"), this.failed, last.failed if last else None, at_least=least
    )
    tone = tone_of(changed(this.failed, last.failed if last else None))
    yield replace(failed, tone=_sure(tone, at_least=least))
    yield _length_tile("p50", this, last)
    yield _length_tile("p95", this, last)
    change = changed(this.waited_s, last.waited_s if last else None)
    yield Tile(
        title=_("Waited for starts"),
        value=("≥ " if least else "") + span_text(this.waited_s),
        last_week=span_text(last.waited_s if last else None),
        change=change_text(change),
        tone=_sure(tone_of(change, from_=this.waited_s * SHIFT_SHARE), at_least=least),
        says=_("from demand to Ready, and in starts that failed"),
    )
    if this.requests_lost is not None:
        yield _lost_tile(this, last, at_least=least)


def _sure(tone: str, *, at_least: bool) -> str:
    """Less of what may not all have been seen is not better."""
    return "" if at_least and tone == BETTER else tone


def _count_tile(title: str, this: int, last: int | None, *, at_least: bool) -> Tile:
    return Tile(
        title=title,
        value=count_text(this, at_least=at_least),
        last_week=count_text(last),
        change=change_text(changed(this, last), whole=True),
    )


def _lost_tile(this: Figures, last: Figures | None, *, at_least: bool) -> Tile:
    """Only where requests are measured; last week tells less where they were not yet."""
    whole = last if last and last.lost_known == last.starts else None
    lost = this.requests_lost or 0
    partly = at_least or this.lost_known < this.starts
    tile = _count_tile(
        _("Requests lost to starts"), lost, whole.requests_lost if whole else None, at_least=partly
    )
    known = {"known": this.lost_known, "starts": this.starts}
    return replace(tile, says=_("5xx meanwhile; known of %(known)d of %(starts)d starts") % known)


def _length_tile(name: str, this: Figures, last: Figures | None) -> Tile:
    """A percentile over all start modes; by mode it stands in a table. Another mix of modes moves
    it too, so that a change is told but not judged."""
    enough = ENOUGH_FOR_P50 if name == "p50" else ENOUGH_FOR_P95
    values = [getattr(figures, f"{name}_s") if figures else None for figures in (this, last)]
    says = _("of %(n)d ready starts, all modes") % {"n": this.measured}
    return Tile(
        title=_("%(name)s to Ready") % {"name": name},
        value=length_text(values[0], measured=this.measured, enough=enough),
        last_week=length_text(values[1], measured=last.measured, enough=enough)
        if last
        else UNKNOWN,
        change=change_text(changed(values[0], values[1])),
        says=says,
    )


def _bars(this: Figures, last: Figures | None) -> Iterator[tuple[str, PhaseBar | None]]:
    """Both weeks on one scale."""
    weeks = [(_("This week"), this)] + ([(_("Last week"), last)] if last else [])
    sums = [sum(f.phases_s.get(phase, 0.0) for phase in COUNTED) for _name, f in weeks]
    for name, figures in weeks:
        yield name, phase_bar(figures.phases_s, scale_s=max(sums))


def week_choices(report: Report, *, today: date) -> tuple[str, str]:
    """The weeks before and after, "" where that one has not begun."""
    after = report.week.after
    return str(report.week.before), str(after) if after.since.date() <= today else ""
