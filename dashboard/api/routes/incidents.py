"""Incidents, newest first."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from pydantic import Field

from dashboard.access import within
from dashboard.api.callers import caller
from dashboard.api.filters import EventFilters, any_of, in_period
from dashboard.api.paging import json_response, newest_page, page_response
from dashboard.api.problems import not_found
from dashboard.api.routes.answers import reads
from dashboard.api.schemas.incident import IncidentDetail, IncidentPage
from dashboard.api.shapes.incident import incident, incident_detail
from fleet.domain.records.keys import ModelKey
from fleet.models import Incident
from fleet.models.keyed import of_key

router = Router(tags=["incidents"], by_alias=True)
LARGEST_ID = 2**53


class IncidentFilters(EventFilters):
    """Which incidents; `since` and `until` are about `started_at`."""

    ongoing: bool | None = Field(None, description="true: those that go on; false: the others.")


@router.get("", response=reads(IncidentPage), operation_id="list_incidents")
def list_incidents(request: HttpRequest, asked: Query[IncidentFilters]) -> HttpResponse:
    """Times in which callers of a model got 5xx answers, newest first."""
    rows = within(Incident.objects.all(), caller(request))
    chosen = any_of(rows, cluster=asked.cluster, namespace=asked.namespace)
    if asked.model:
        chosen = chosen.filter(of_key(ModelKey.parse(asked.model)))
    if asked.ongoing is not None:
        chosen = chosen.filter(ended_at__isnull=asked.ongoing)
    chosen = in_period(chosen, asked, field="started_at")
    found, following = newest_page(chosen, asked, name="incidents", field="started_at")
    shape = partial(incident, now=datetime.now(UTC))
    return page_response(found, shape=shape, following=following)


@router.get("/{incident_id}", response=reads(IncidentDetail), operation_id="get_incident")
def get_incident(request: HttpRequest, incident_id: int) -> HttpResponse:
    """One incident with its findings and what happened about it."""
    rows = within(Incident.objects.all(), caller(request))
    row = rows.filter(pk=incident_id).first() if 0 < incident_id < LARGEST_ID else None
    if row is None:
        raise not_found("incident")
    return json_response(incident_detail(row, now=datetime.now(UTC)))
