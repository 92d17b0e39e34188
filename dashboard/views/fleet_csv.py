"""The fleet table as CSV, with the filters and the order of the page's address."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse

from dashboard.access.requests import grant_of_request
from dashboard.access.scope import within
from dashboard.reasons import reason_text
from dashboard.staleness import shown_state, stale_clusters
from dashboard.views.fleet_page import ORDERS, filtered
from dashboard.views.fleet_query import FleetQuery
from fleet.models import ServedModel

COLUMNS = (
    "state",
    "cluster",
    "kind",
    "namespace",
    "name",
    "mode",
    "team",
    "environment",
    "ready",
    "desired",
    "min",
    "max",
    "starts_7d",
    "failed_7d",
    "p50_s",
    "p95_s",
    "probe_failures_1h_at_least",
    "reason",
)
# A cell that begins so is taken for a formula by spreadsheets.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


class _Lines:
    """A file that gives back what is written to it."""

    def write(self, line: str) -> str:
        return line


def fleet_csv(request: HttpRequest) -> HttpResponse:
    """All rows that the filters ask for, not one page of them; what is not known is empty."""
    query = FleetQuery.read(request.GET)
    stale = stale_clusters(now=datetime.now(UTC))
    rows = within(ServedModel.objects.present(), grant_of_request(request))
    found = filtered(rows, query, stale=stale).order_by(*ORDERS[query.sort])
    lines = _lines(found.iterator(500), stale=stale)
    response = HttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="fleet.csv"'
    return response


def _lines(rows: Iterator[ServedModel], *, stale: frozenset[str]) -> Iterator[str]:
    writer = csv.writer(_Lines())
    yield writer.writerow(COLUMNS)
    for row in rows:
        yield writer.writerow([_cell(value) for value in _values(row, stale=stale)])


def _values(row: ServedModel, *, stale: frozenset[str]) -> tuple[Any, ...]:
    return (
        shown_state(row.state, row.cluster, stale=stale),
        *(row.cluster, row.kind, row.namespace, row.name, row.mode, row.team, row.environment),
        *(row.ready, row.desired, row.min, row.max, row.count_7d, row.failed_7d),
        *(row.p50_s, row.p95_s, row.probe_starting_1h + row.probe_serving_1h),
        reason_text(row.state_code, row.state_params),
    )


def _cell(value: Any) -> Any:
    """Names come from clusters: none may become a formula."""
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value
