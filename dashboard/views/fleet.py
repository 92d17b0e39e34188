"""The fleet page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from dashboard.access.requests import grant_of_request
from dashboard.views.fleet_page import FleetPage, fleet_page
from dashboard.views.fleet_parts import fleet_address, fleet_parts
from dashboard.views.fleet_query import WITH_5XX, FleetQuery, Sort
from dashboard.views.row_fragments import row_fragments
from dashboard.words import MODE_LABELS, STATE_LABELS, Words
from fleet.models import Cluster

SORT_LABELS: dict[Sort, Words] = {
    Sort.WORST: _("Worst first"),
    Sort.NAME: _("By name"),
    Sort.SLOWEST: _("Slowest starts first"),
    Sort.PROBES: _("Most probe failures first"),
    Sort.ERRORS: _("Highest share of 5xx first"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's head; address "" = cannot be ordered by it; sorted = the value of aria-sort."""

    css: str
    title: Words
    address: str = ""
    sorted: str = ""


COLUMNS: Sequence[tuple[str, Words, Sort | None, str]] = (
    ("c-state", _("State"), Sort.WORST, "descending"),
    ("c-model", _("Model"), Sort.NAME, "ascending"),
    ("c-mode", _("Mode"), None, ""),
    ("c-replicas", _("Replicas"), None, ""),
    ("c-start", _("Last cold start"), None, ""),
    ("c-p", _("p50 / p95, 7 d"), Sort.SLOWEST, "descending"),
    ("c-errors", _("5xx, 5 min"), Sort.ERRORS, "descending"),
    ("c-probes", _("Probes"), Sort.PROBES, "descending"),
    ("c-why", _("Finding, or why"), None, ""),
    ("c-do", _("Actions"), None, ""),
)


def fleet(request: HttpRequest) -> HttpResponse:
    """All models in scope, worst first; filters, order and page stand in the address."""
    grant = grant_of_request(request)
    now = datetime.now(UTC)
    page = fleet_page(FleetQuery.read(request.GET), grant, now=now)
    context = {
        **filters_context(page),
        "parts": {part.dom_id: part.html for part in fleet_parts(page, grant, now=now)},
        "fragments": row_fragments(page, grant, now=now),
        "columns": _columns(page.query),
        "here": "fleet",
    }
    return render(request, "pages/fleet.html", context)


def filters_context(page: FleetPage) -> dict[str, Any]:
    """What the filters offer."""
    return {
        "query": page.query,
        "facets": page.facets,
        "any_cluster": bool(page.facets.clusters) or Cluster.objects.present().exists(),
        "states": tuple(STATE_LABELS.items()),
        "modes": tuple(MODE_LABELS.items()),
        "sorts": tuple(SORT_LABELS.items()),
        "errors": ((WITH_5XX, _("With 5xx now")),),
    }


def _columns(query: FleetQuery) -> list[Column]:
    return [
        Column(
            css=css,
            title=title,
            address=fleet_address(query, sort=sort, page=1) if sort else "",
            sorted=direction if sort is query.sort else "",
        )
        for css, title, sort, direction in COLUMNS
    ]
