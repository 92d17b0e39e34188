"""Weekly reports: those that were made, and one week whole."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Query, Router
from pydantic import BaseModel, Field

from dashboard.access import Grant
from dashboard.api.callers import caller
from dashboard.api.filters import Paging, Word
from dashboard.api.paging import json_response, newest_page, page_response
from dashboard.api.problems import ApiProblem
from dashboard.api.routes.answers import reads
from dashboard.api.schemas.report import Report as ReportAnswer
from dashboard.api.schemas.report import ReportPage
from fleet.domain.reports.report import Choice
from fleet.domain.reports.shape import report_shape, time_text
from fleet.domain.reports.week import Week
from fleet.errors import BadInput
from fleet.models import Report
from fleet.reporting.weekly import read_report

router = Router(tags=["reports"], by_alias=True)
LARGEST_REVISION = 1_000_000


class Part(BaseModel):
    """Which part of the fleet; "" = all that the caller may see."""

    cluster: Word = Field("", description="A cluster's name.")
    team: Word = Field("", description="A team.")
    environment: Word = Field("", description="An environment.")

    def words(self) -> dict[str, str]:
        named = {"cluster": self.cluster, "team": self.team, "environment": self.environment}
        return {name: word for name, word in named.items() if word}


class ReportFilters(Paging, Part):
    """A list of reports: `week` for the revisions of one."""

    week: Word = Field("", description="An ISO week, like 2026-W48.")


class ReportAsked(Part):
    """One report."""

    revision: int | None = Field(None, ge=1, le=LARGEST_REVISION, description="Else the newest.")


@router.get("", response=reads(ReportPage), operation_id="list_reports")
def list_reports(request: HttpRequest, asked: Query[ReportFilters]) -> HttpResponse:
    """Reports that were made, every revision, newest first. Filters are carried into their `url`;
    a running week is asked for by its name."""
    caller(request)
    rows = Report.objects.defer("facts")
    if asked.week:
        rows = rows.filter(week=str(Week.parse(asked.week)))
    found, following = newest_page(rows, asked, name="reports", field="created_at")
    shape = partial(_row, request=request, words=asked.words())
    return page_response(found, shape=shape, following=following)


@router.get("/{week}", response=reads(ReportAnswer), operation_id="get_report")
def get_report(request: HttpRequest, week: str, asked: Query[ReportAsked]) -> HttpResponse:
    """One week: as it was kept, else counted now. 422 for what is no week, 404 for one that has
    not begun and for a revision that there is not."""
    now = datetime.now(UTC)
    wanted = Week.parse(week)
    if wanted.is_future(now=now):
        raise ApiProblem(404, f"Week {wanted} has not begun.")
    choice = _choice(caller(request), asked.words())
    try:
        report = read_report(wanted, choice, now=now, revision=asked.revision)
    except BadInput as error:
        raise ApiProblem(404, str(error)) from error
    return json_response(report_shape(report))


def _choice(grant: Grant, words: Mapping[str, str]) -> Choice:
    return Choice(clusters=grant.clusters, namespaces=grant.namespaces, **words)


def _row(row: Report, *, request: HttpRequest, words: Mapping[str, str]) -> dict[str, Any]:
    """The contract's report."""
    address = reverse("report", args=(row.week,))
    query = urlencode(dict(words) | {"revision": row.revision})
    return {
        "week": row.week,
        "team": words.get("team"),
        "environment": words.get("environment"),
        "cluster": words.get("cluster"),
        "revision": row.revision,
        "created_at": time_text(row.created_at),
        "why": row.why or None,
        "url": request.build_absolute_uri(f"{address}?{query}"),
    }
