"""Scale events and probe failures, newest first."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from dashboard.access import Grant, within
from dashboard.api.callers import caller
from dashboard.api.filters import EventFilters, any_of, in_period
from dashboard.api.paging import newest_page, page_response
from dashboard.api.routes.answers import reads
from dashboard.api.schemas.event import ProbeFailurePage, ScaleEventPage
from dashboard.api.shapes.event import probe_failure, scale_event
from fleet.domain.records.keys import ModelKey
from fleet.models import ProbeFailure, ScaleEvent
from fleet.models.keyed import Keyed, of_key

router = Router(tags=["events"], by_alias=True)
K = TypeVar("K", bound=Keyed)


@router.get("/scale-events", response=reads(ScaleEventPage), operation_id="list_scale_events")
def list_scale_events(request: HttpRequest, asked: Query[EventFilters]) -> HttpResponse:
    """Who wished for how many replicas, when, by what cause."""
    chosen = _asked(ScaleEvent.objects.all(), asked, caller(request))
    found, following = newest_page(chosen, asked, name="scale-events", field="at")
    return page_response(found, shape=scale_event, following=following)


@router.get("/probe-failures", response=reads(ProbeFailurePage), operation_id="list_probe_failures")
def list_probe_failures(request: HttpRequest, asked: Query[EventFilters]) -> HttpResponse:
    """Failed probes as Events told them. One row grows in place while its probe keeps failing: its
    `at` then moves to the front of the list."""
    chosen = _asked(ProbeFailure.objects.all(), asked, caller(request))
    found, following = newest_page(chosen, asked, name="probe-failures", field="at")
    return page_response(found, shape=probe_failure, following=following)


def _asked(rows: QuerySet[K], asked: EventFilters, grant: Grant) -> QuerySet[K]:
    """Those in scope that the filters name; BadInput when `model` is not a key."""
    chosen = any_of(within(rows, grant), cluster=asked.cluster, namespace=asked.namespace)
    if asked.model:
        chosen = chosen.filter(of_key(ModelKey.parse(asked.model)))
    return in_period(chosen, asked, field="at")
