"""One cold start on a page of its own."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.requests import grant_of_request
from dashboard.views.start_page import start_page


@require_safe
def cold_start(request: HttpRequest, pk: int) -> HttpResponse:
    """404 for a start out of scope, as for one that there is not."""
    now = datetime.now(UTC)
    page = start_page(pk, grant_of_request(request), now=now)
    if page is None:
        raise Http404("No such start in the part of the fleet that you may see.")
    return render(request, "pages/cold_start.html", {"page": page, "here": "cold-starts"})
