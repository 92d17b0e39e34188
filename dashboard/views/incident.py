"""One incident on a page of its own, and as a post-mortem to go on writing."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.requests import grant_of_request
from dashboard.access.rules import Grant
from dashboard.incident_markdown import file_name, markdown
from dashboard.views.incident_page import incident_in_scope, incident_page
from fleet.models import Incident


def _incident(pk: int, grant: Grant) -> Incident:
    """404 for an incident out of scope, as for one that there is not."""
    found = incident_in_scope(pk, grant)
    if found is None:
        raise Http404("No such incident in the part of the fleet that you may see.")
    return found


@require_safe
def incident(request: HttpRequest, pk: int) -> HttpResponse:
    """What callers lost, who answered, why, and what was done."""
    grant = grant_of_request(request)
    page = incident_page(_incident(pk, grant), grant, now=datetime.now(UTC))
    return render(request, "pages/incident.html", {"page": page, "here": "incidents"})


@require_safe
def incident_file(request: HttpRequest, pk: int) -> HttpResponse:
    """The post-mortem's skeleton, filled with what is known."""
    now = datetime.now(UTC)
    grant = grant_of_request(request)
    page = incident_page(_incident(pk, grant), grant, now=now)
    address = request.build_absolute_uri(page.row.url)
    text = markdown(page, address=address, now=now)
    response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name(page)}"'
    response["Cache-Control"] = "no-store"
    return response
