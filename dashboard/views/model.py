"""The model page and the columns of its chart."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from dashboard.access.requests import grant_of_request
from dashboard.charts.timeline import DEFAULT_RANGE, RANGES, timeline
from dashboard.views.model_page import model_page
from dashboard.views.model_parts import model_parts
from fleet.domain.records.keys import ModelKey


def model(request: HttpRequest, cluster: str, kind: str, namespace: str, name: str) -> HttpResponse:
    """One model: state, last starts, revisions, and its last hours as a chart."""
    key = ModelKey(cluster, kind, namespace, name)
    now = datetime.now(UTC)
    page = model_page(key, grant_of_request(request), now=now)
    if page is None:
        raise Http404("No such model in the part of the fleet that you may see.")
    context = {
        "page": page,
        "model": page.row,
        "key": key,
        "parts": {part.dom_id: part.html for part in model_parts(page, now=now)},
        "ranges": tuple(RANGES),
        "range": _range(request),
        "here": "model",
    }
    return render(request, "pages/model.html", context)


def model_timeline(
    request: HttpRequest, cluster: str, kind: str, namespace: str, name: str
) -> HttpResponse:
    """The chart's columns for the time range of the address."""
    key = ModelKey(cluster, kind, namespace, name)
    grant = grant_of_request(request)
    if not grant.sees(cluster, namespace):
        raise Http404
    columns = timeline(key, now=datetime.now(UTC), reach=RANGES[_range(request)])
    response = JsonResponse(columns)
    response["Cache-Control"] = "no-store"
    return response


def _range(request: HttpRequest) -> str:
    asked = request.GET.get("range", DEFAULT_RANGE)
    return asked if asked in RANGES else DEFAULT_RANGE
