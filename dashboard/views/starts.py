"""The list of cold starts over all models in scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from dashboard.access.requests import grant_of_request
from dashboard.access.rules import Grant
from dashboard.access.scope import within
from dashboard.ranges import RANGE_LABELS
from dashboard.tables.starts import STARTS
from dashboard.views.start_row import StartRow, row_fragment, start_rows
from dashboard.views.starts_page import StartsPage, starts_page
from dashboard.views.starts_query import CHOICES, StartSort, StartsQuery
from dashboard.views.starts_summary import starts_summary
from dashboard.views.strips import cluster_lines
from dashboard.words import OUTCOME_LABELS, START_MODE_LABELS, TRIGGER_LABELS, Words
from fleet.models import Cluster, ColdStart, ServedModel

SORT_LABELS: Mapping[StartSort, Words] = {
    StartSort.NEWEST: _("Newest first"),
    StartSort.SLOWEST: _("Slowest first"),
    StartSort.UNEXPLAINED: _("Most unexplained first"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the filters offer, by name, sorted."""

    cluster: tuple[str, ...]
    namespace: tuple[str, ...]
    team: tuple[str, ...]
    environment: tuple[str, ...]


@require_safe
def cold_starts(request: HttpRequest) -> HttpResponse:
    """Every start that the filters ask for; filters, range, order and page stand in the address."""
    grant = grant_of_request(request)
    now = datetime.now(UTC)
    page = starts_page(StartsQuery.read(request.GET, now=now), grant)
    rows = start_rows(page.starts, now=now)
    context = {
        **filters_context(page.query, grant),
        **list_context(page, rows),
        "late": [line for line in cluster_lines(grant, now=now) if line.tone != "live"],
        "empty": "" if rows else _why_empty(grant),
        "here": "cold-starts",
    }
    return render(request, "pages/cold_starts.html", context)


@require_safe
def cold_starts_summary(request: HttpRequest) -> HttpResponse:
    """What these starts say together, as a part of their list that may come later."""
    query = StartsQuery.read(request.GET, now=datetime.now(UTC))
    summary = starts_summary(query, grant_of_request(request))
    return render(request, "partials/starts_summary.html", {"summary": summary, "query": query})


def list_context(page: StartsPage, rows: list[StartRow]) -> dict[str, Any]:
    """The list itself."""
    query = page.query
    return {
        "page": page,
        "fragments": [row_fragment(row) for row in rows],
        "scale_s": rows[0].bar.scale_s if rows else 0.0,
        "any_cut": any(row.cut for row in rows),
        "columns": STARTS.heads,
        "summary_address": f"{reverse('cold-starts-summary')}?{query.address()}",
        "newest": starts_address(query) if query.cursor else "",
        "following": starts_address(query, cursor=page.following) if page.following else "",
    }


def filters_context(query: StartsQuery, grant: Grant) -> dict[str, Any]:
    """What the filters offer."""
    return {
        "query": query,
        "any_model": query.address(model="", before="", after=""),
        "choices": _choices(grant),
        "spans": [(name, RANGE_LABELS[name]) for name in _spans(query)],
        "outcomes": tuple(OUTCOME_LABELS.items()),
        "triggers": tuple(TRIGGER_LABELS.items()),
        "modes": tuple(START_MODE_LABELS.items()),
        "sorts": tuple(SORT_LABELS.items()),
    }


def _spans(query: StartsQuery) -> tuple[str, ...]:
    """What is offered, and what was asked for."""
    shown = {*CHOICES, query.range.name}
    return tuple(name for name in RANGE_LABELS if name in shown)


def starts_address(query: StartsQuery, **changes: Any) -> str:
    """The page with this query and `changes`."""
    said = query.address(**changes)
    return f"{reverse('cold-starts')}?{said}" if said else reverse("cold-starts")


def _choices(grant: Grant) -> Choices:
    """Of the models in scope, those that are gone included."""
    names = ("cluster", "namespace", "team", "environment")
    rows = within(ServedModel.objects.all(), grant).order_by().values_list(*names).distinct()
    found = zip(*rows, strict=True)
    sets = [tuple(sorted(set(values) - {""})) for values in found] or [()] * len(names)
    return Choices(**dict(zip(names, sets, strict=True)))


def _why_empty(grant: Grant) -> str:
    """Which words an empty list needs: no cluster, no start at all, or none that fits."""
    if not Cluster.objects.present().exists():
        return "no-cluster"
    any_start = within(ColdStart.objects.all(), grant).exists()
    return "no-match" if any_start else "no-start"
