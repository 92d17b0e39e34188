"""The list of incidents over all models in scope."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.access.requests import grant_of_request
from dashboard.access.rules import Grant
from dashboard.access.scope import clusters_within, within
from dashboard.cause_words import CAUSE_LABELS
from dashboard.hop_words import HOP_LABELS
from dashboard.ranges import RANGE_LABELS
from dashboard.tables.incidents import INCIDENTS
from dashboard.views.incident_page import UNREAD_AFTER
from dashboard.views.incident_row import incident_fragment, incident_row
from dashboard.views.incidents_page import IncidentsPage, incidents_page
from dashboard.views.incidents_query import CHOICES, IncidentsQuery
from fleet.models import Cluster, Incident, ServedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the filters offer, by name, sorted."""

    cluster: tuple[str, ...]
    namespace: tuple[str, ...]
    team: tuple[str, ...]


@require_safe
def incidents(request: HttpRequest) -> HttpResponse:
    """Those that go on first; filters, range and page stand in the address."""
    grant = grant_of_request(request)
    now = datetime.now(UTC)
    page = incidents_page(IncidentsQuery.read(request.GET, now=now), grant)
    context = {
        **_filters(page.query, grant),
        **_list(page, now=now),
        "unmeasured": _unmeasured(grant),
        "unread": _unread(grant, now=now),
        "empty": "" if page.incidents else _why_empty(grant),
        "here": "incidents",
    }
    return render(request, "pages/incidents.html", context)


def _list(page: IncidentsPage, *, now: datetime) -> dict[str, Any]:
    query = page.query
    rows = [incident_row(incident) for incident in page.incidents]
    return {
        "page": page,
        "fragments": [incident_fragment(row, now=now) for row in rows],
        "columns": INCIDENTS.heads,
        "newest": _address(query) if query.cursor else "",
        "following": _address(query, cursor=page.following) if page.following else "",
    }


def _filters(query: IncidentsQuery, grant: Grant) -> dict[str, Any]:
    shown = {*CHOICES, query.range.name}
    return {
        "query": query,
        "any_model": query.address(model=""),
        "choices": _choices(grant),
        "spans": [(name, label) for name, label in RANGE_LABELS.items() if name in shown],
        "causes": tuple(CAUSE_LABELS.items()),
        "hops": tuple(HOP_LABELS.items()),
    }


def _address(query: IncidentsQuery, **changes: Any) -> str:
    """The page with this query and `changes`."""
    said = query.address(**changes)
    return f"{reverse('incidents')}?{said}" if said else reverse("incidents")


def _choices(grant: Grant) -> Choices:
    """Of the models in scope, those that are gone included."""
    names = ("cluster", "namespace", "team")
    rows = within(ServedModel.objects.all(), grant).order_by().values_list(*names).distinct()
    found = zip(*rows, strict=True)
    sets = [tuple(sorted(set(values) - {""})) for values in found] or [()] * len(names)
    return Choices(**dict(zip(names, sets, strict=True)))


def _unmeasured(grant: Grant) -> list[str]:
    """Clusters whose requests nobody counts: they have no incidents that could be seen."""
    rows = clusters_within(Cluster.objects.present(), grant)
    rows = rows.filter(metrics_url="", metrics_pages=False).order_by("name")
    return list(rows.values_list("name", flat=True))


def _unread(grant: Grant, *, now: datetime) -> list[Cluster]:
    """Clusters whose metrics should be read and are not: what happens there now is not known."""
    rows = clusters_within(Cluster.objects.present(), grant)
    rows = rows.exclude(metrics_url="", metrics_pages=False)
    never = Q(metrics_read_to=None)
    return list(rows.filter(never | Q(metrics_read_to__lt=now - UNREAD_AFTER)).order_by("name"))


def _why_empty(grant: Grant) -> str:
    """Which words an empty list needs: no cluster, nothing measured, no incident at all, or none
    that fits."""
    clusters = clusters_within(Cluster.objects.present(), grant)
    if not clusters.exists():
        return "no-cluster"
    if within(Incident.objects.all(), grant).exists():
        return "no-match"
    measured = clusters.exclude(metrics_url="", metrics_pages=False)
    return "no-incident" if measured.exists() else "unmeasured"
