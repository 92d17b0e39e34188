"""Every start, newest first."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from dashboard.access import within
from dashboard.api.callers import caller
from dashboard.api.filters import ColdStartFilters, any_of, in_period
from dashboard.api.paging import newest_page, page_response
from dashboard.api.routes.answers import reads
from dashboard.api.schemas.cold_start import ColdStartPage
from fleet.history.start_figures import start_json
from fleet.models import ColdStart

router = Router(tags=["cold starts"], by_alias=True)


@router.get("", response=reads(ColdStartPage), operation_id="list_cold_starts")
def list_cold_starts(request: HttpRequest, asked: Query[ColdStartFilters]) -> HttpResponse:
    """Starts of all models in the caller's scope, newest first."""
    return starts_page(within(ColdStart.objects.all(), caller(request)), asked)


def starts_page(rows: QuerySet[ColdStart], asked: ColdStartFilters) -> HttpResponse:
    """One page of those of the rows that were asked for."""
    chosen = any_of(
        rows,
        cluster=asked.cluster,
        namespace=asked.namespace,
        outcome=[one.value for one in asked.outcome],
        trigger=[one.value for one in asked.trigger],
        start_mode=[one.value for one in asked.start_mode],
        revision=asked.revision,
        node=asked.node,
    )
    chosen = in_period(chosen, asked, field="started_at")
    found, following = newest_page(chosen, asked, name="cold-starts", field="started_at")
    return page_response(found, shape=start_json, following=following)
