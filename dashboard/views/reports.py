"""Weekly reports: the list, one week, and the same as a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard.access.requests import grant_of_request
from dashboard.access.rules import Grant
from dashboard.reports.model_sections import Links
from dashboard.reports.page import report_page, week_choices
from dashboard.reports.sections import p50_text, p95_text
from dashboard.reports.texts import UNKNOWN, count_text, day_text, span_text
from dashboard.reports.written import FORMS
from dashboard.views.asked import text_of
from dashboard.views.model_row import model_url
from dashboard.words import Words
from fleet.domain.reports.report import Choice, Report, TeamWeek
from fleet.domain.reports.week import Week, begun_week
from fleet.errors import BadInput
from fleet.history.reports import revisions_of
from fleet.reporting.weekly import WeekTotal, read_report, read_totals

WEEKS_A_PAGE = 12
FILTERS = ("cluster", "team", "environment")


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekLine:
    """One week in the list, in words."""

    week: Week
    days: str
    made_at: datetime | None
    revision: int
    standing: Words
    starts: str
    failed: str
    p50: str
    p95: str
    waited: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WordChoice:
    """A filter with what it offers."""

    name: str
    label: Words
    any: Words
    words: tuple[str, ...]
    chosen: str


@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """Every week since something was followed, the newest first."""
    now = datetime.now(UTC)
    try:
        text = request.GET.get("before", "")
        before = Week.parse(text) if text else Week.of(now).after
    except BadInput as error:
        return _problem(request, error)
    choice = choice_of(grant_of_request(request))
    before = min(before, Week.of(now).after)
    found = read_totals(choice, now=now, before=before, at_most=WEEKS_A_PAGE + 1)
    shown = found[:WEEKS_A_PAGE]
    context = {
        "weeks": [week_line(total, now=now) for total in shown],
        "older": str(shown[-1].week) if len(found) > len(shown) else "",
        "here": "reports",
    }
    return render(request, "reports/list.html", context)


@require_safe
def report(request: HttpRequest, week: str) -> HttpResponse:
    """One week, of the part of the fleet that its address asks for."""
    try:
        found = _asked_report(request, week)
    except BadInput as error:
        return _problem(request, error)
    before, after = week_choices(found, today=datetime.now(UTC).date())
    asked = _asked_words(request)
    context = {
        "page": report_page(found, _links(found.week)),
        "before": before,
        "after": after,
        "revisions": revisions_of(found.week),
        "choices": word_choices(found),
        "asked": _query(asked),
        "asked_file": _query(asked | _revision_words(request)),
        "forms": tuple(form for form in FORMS if form != "html"),
        "here": "reports",
    }
    return render(request, "reports/week.html", context)


@require_safe
def report_file(request: HttpRequest, week: str, form: str) -> HttpResponse:
    """The same as a file."""
    written = FORMS.get(form)
    if written is None:
        known = ", ".join(FORMS)
        return _problem(request, BadInput(f"no report is written as {form[:20]!r}: {known} are"))
    try:
        found = _asked_report(request, week)
    except BadInput as error:
        return _problem(request, error)
    response = HttpResponse(written.write(found), content_type=written.content_type)
    response["Content-Disposition"] = f'attachment; filename="report-{found.week}.{form}"'
    return response


def choice_of(grant: Grant, asked: Mapping[str, str] | None = None) -> Choice:
    """What a person may see, narrowed to what they ask for."""
    words = {name: (asked or {}).get(name, "") for name in FILTERS}
    return Choice(clusters=grant.clusters, namespaces=grant.namespaces, **words)


def _asked_report(request: HttpRequest, text: str) -> Report:
    now = datetime.now(UTC)
    revision = request.GET.get("revision", "")
    if revision and not (revision.isascii() and revision.isdecimal() and len(revision) < 7):
        raise BadInput(f"revision {revision[:20]!r}: expected a number from 1 on")
    choice = choice_of(grant_of_request(request), _asked_words(request))
    week = begun_week(text, now=now)
    return read_report(week, choice, now=now, revision=int(revision) if revision else None)


def _asked_words(request: HttpRequest) -> dict[str, str]:
    asked = {name: text_of(request.GET, name) for name in FILTERS}
    return {name: word for name, word in asked.items() if word}


def _revision_words(request: HttpRequest) -> dict[str, str]:
    revision = request.GET.get("revision", "")
    return {"revision": revision} if revision else {}


def _query(words: Mapping[str, str]) -> str:
    return f"?{urlencode(words)}" if words else ""


def _links(week: Week) -> Links:
    def team(of: TeamWeek) -> str:
        words = {"team": of.team, "environment": of.environment}
        asked = {name: word for name, word in words.items() if word}
        return f"{reverse('report', args=(str(week),))}{_query(asked)}" if of.team else ""

    return Links(model=model_url, team=team)


def word_choices(found: Report) -> tuple[WordChoice, ...]:
    """The filters; a chosen word stays, though this week knows it not."""
    facets, choice = found.facets, found.choice
    offered: tuple[tuple[str, Words, Words, tuple[str, ...], str], ...] = (
        ("cluster", _("Cluster"), _("every cluster"), facets.clusters, choice.cluster),
        ("team", _("Team"), _("every team"), facets.teams, choice.team),
        (
            "environment",
            _("Environment"),
            _("every environment"),
            facets.environments,
            choice.environment,
        ),
    )
    return tuple(
        WordChoice(
            name=name,
            label=label,
            any=any_,
            words=tuple(sorted({*words, chosen} - {""})),
            chosen=chosen,
        )
        for name, label, any_, words, chosen in offered
    )


def week_line(of: WeekTotal, *, now: datetime) -> WeekLine:
    total = of.total
    return WeekLine(
        week=of.week,
        days=f"{day_text(of.week.since.date())} – {day_text(of.week.last_day)}",
        made_at=of.kept.created_at if of.kept else None,
        revision=of.kept.revision if of.kept else 0,
        standing=_("not made yet") if of.week.is_over(now=now) else _("so far"),
        starts=count_text(total.starts if total else None, at_least=of.lower_bounds),
        failed=count_text(total.failed if total else None, at_least=of.lower_bounds),
        p50=p50_text(total) if total else UNKNOWN,
        p95=p95_text(total) if total else UNKNOWN,
        waited=span_text(total.waited_s) if total else UNKNOWN,
    )


def _problem(request: HttpRequest, error: BadInput) -> HttpResponse:
    """404 with words: which week was asked for, and what would do."""
    context: dict[str, Any] = {"problem": str(error), "here": "reports"}
    return render(request, "reports/problem.html", context, status=404)
