"""One page of incidents: those that go on first, then the newest; where the next page begins."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from dashboard.access.rules import Grant
from dashboard.access.scope import within
from dashboard.api.cursors import TimePlace, decode, encode
from dashboard.api.problems import ApiProblem
from dashboard.views.fleet_page import matching
from dashboard.views.incidents_query import IncidentsQuery
from fleet.models import Incident, ServedModel
from fleet.models.incident import IncidentQuerySet

PAGE_SIZE = 50
# Beyond so many at once a list is not what helps.
MOST_ONGOING = 200
LIST = "page-of-incidents"


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentsPage:
    """The incidents of one page, those that go on before those that are over. following: the next
    page's cursor, "" after the last."""

    query: IncidentsQuery
    incidents: tuple[Incident, ...]
    following: str


def incidents_found(query: IncidentsQuery, grant: Grant) -> IncidentQuerySet:
    """All incidents in scope that the filters ask for and that had any moment of the range."""
    rows = Incident.objects.all() if query.key is None else Incident.objects.of(query.key)
    rows = within(rows, grant).touching(query.range.since, query.range.until)
    asked = {"cluster": query.cluster, "namespace": query.namespace, "cause": query.cause}
    rows = rows.filter(**{name: value for name, value in asked.items() if value})
    if query.hop:
        count = f"by_hop__{query.hop.value}"
        # SQLite holds a null of JSON for more than any number.
        rows = rows.filter(**{f"{count}__gt": 0}).exclude(**{count: None})
    return _of_models(rows, query)


def _of_models(rows: IncidentQuerySet, query: IncidentsQuery) -> IncidentQuerySet:
    """Incidents of the models whose names or team are asked for; those that are gone included."""
    if not query.q and not query.team:
        return rows
    models = ServedModel.objects.filter(**({"team": query.team} if query.team else {}))
    if query.q:
        models = matching(models, query.q)
    return rows.filter(model_uid__in=models.values("model_uid"))


def incidents_page(query: IncidentsQuery, grant: Grant) -> IncidentsPage:
    """The page that the query's cursor leads to; a cursor of another list leads to the first."""
    rows = incidents_found(query, grant)
    place = _place(query)
    ongoing = [] if place else list(rows.ongoing().newest_first()[:MOST_ONGOING])
    over = rows.exclude(ended_at=None)
    if place is not None:
        same = Q(started_at=place.at, id__lt=int(place.row_id))
        over = over.filter(Q(started_at__lte=place.at), Q(started_at__lt=place.at) | same)
    found = list(over.newest_first()[: PAGE_SIZE + 1])
    shown, more = found[:PAGE_SIZE], len(found) > PAGE_SIZE
    last = TimePlace(shown[-1].started_at, str(shown[-1].pk)) if more else None
    return IncidentsPage(
        query=query,
        incidents=(*ongoing, *shown),
        following=encode(LIST, last) if last else "",
    )


def _place(query: IncidentsQuery) -> TimePlace | None:
    """Where the page begins; None for the first one, and for a cursor of another list."""
    if not query.cursor:
        return None
    try:
        place = decode(LIST, query.cursor, TimePlace)
    except ApiProblem:
        return None
    return place if place.row_id.isdecimal() and len(place.row_id) <= 18 else None
