"""The model page and the columns of its chart."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from dashboard.access.requests import grant_of_request
from dashboard.charts.timeline import timeline
from dashboard.views.model_compare import comparable, model_comparison
from dashboard.views.model_page import model_page
from dashboard.views.model_parts import model_parts
from dashboard.views.model_query import model_query
from dashboard.views.model_range import model_range
from fleet.domain.records.keys import ModelKey

NOT_SEEN = "No such model in the part of the fleet that you may see."


def model(request: HttpRequest, cluster: str, kind: str, namespace: str, name: str) -> HttpResponse:
    """One model: state, starts of a time, what changed between them, and what happened then."""
    key = ModelKey(cluster, kind, namespace, name)
    grant = grant_of_request(request)
    if not grant.sees(cluster, namespace):
        raise Http404(NOT_SEEN)
    now = datetime.now(UTC)
    query = model_query(request.GET, key, now=now)
    window = query.window
    known = comparable(key, query)
    page = model_page(key, grant, window=window, now=now, known=known.starts)
    if page is None:
        raise Http404(NOT_SEEN)
    context = {
        "page": page,
        "model": page.row,
        "key": key,
        "window": window,
        "query": query,
        "compared": model_comparison(known, query),
        "parts": {part.dom_id: part.html for part in model_parts(page, now=now)},
        "said": urlencode(window.said or {"range": window.name}),
        "ranges": query.ranges,
        "here": "model",
    }
    return render(request, "pages/model.html", context)


def model_compared(
    request: HttpRequest, cluster: str, kind: str, namespace: str, name: str
) -> HttpResponse:
    """The page's comparisons alone, as they are now: the page takes them when a start ends."""
    key = ModelKey(cluster, kind, namespace, name)
    if not grant_of_request(request).sees(cluster, namespace):
        raise Http404
    query = model_query(request.GET, key, now=datetime.now(UTC))
    compared = model_comparison(comparable(key, query), query)
    context = {"key": key, "query": query, "compared": compared}
    return render(request, "partials/model_compared.html", context)


def model_timeline(
    request: HttpRequest, cluster: str, kind: str, namespace: str, name: str
) -> HttpResponse:
    """The chart's columns for the time range of the address."""
    key = ModelKey(cluster, kind, namespace, name)
    grant = grant_of_request(request)
    if not grant.sees(cluster, namespace):
        raise Http404
    columns = timeline(key, model_range(request.GET, key, now=datetime.now(UTC)))
    response = JsonResponse(columns)
    response["Cache-Control"] = "no-store"
    return response
