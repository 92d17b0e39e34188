"""Any table as CSV or JSON, with the filters and the range of its page's address; the fleet also in
its order, what has a time newest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from dashboard.access.requests import grant_of_request
from dashboard.access.rules import Grant
from dashboard.access.scope import clusters_within, within
from dashboard.charts.request_history import HOUR_S, request_history
from dashboard.ranges import read_range
from dashboard.staleness import stale_clusters
from dashboard.tables.answers import Export, download
from dashboard.tables.columns import Table
from dashboard.tables.facts import (
    ACTIONS,
    PHASES,
    PROBE_FAILURES,
    REPLICAS,
    REVISIONS,
    SCALE_EVENTS,
)
from dashboard.tables.fleet import clusters_table, fleet_table
from dashboard.tables.incidents import INCIDENTS
from dashboard.tables.requests import REQUESTS, CountedTime
from dashboard.tables.starts import STARTS
from dashboard.tables.written import FORMS
from dashboard.views.asked import text_of
from dashboard.views.fleet_page import ORDERS, filtered
from dashboard.views.fleet_query import FleetQuery
from dashboard.views.incidents_page import incidents_found
from dashboard.views.incidents_query import IncidentsQuery
from dashboard.views.starts_page import starts_found
from dashboard.views.starts_query import LONGEST_KEY, StartsQuery
from fleet.domain.records.keys import ModelKey
from fleet.errors import BadInput
from fleet.history.request_hours import sum_in
from fleet.models import (
    Action,
    Cluster,
    ColdStart,
    NotTaken,
    ProbeFailure,
    Replica,
    RequestHour,
    Revision,
    ScaleEvent,
)
from fleet.models.keyed import of_key
from fleet.models.served_model import ServedModel

# Rows that the database hands over at a time.
ROWS_AT_ONCE = 200
# Digits of an id; longer ones name no row, and the longest are no number at all.
LONGEST_ID = 18
Rows = TypeVar("Rows", bound=QuerySet[Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who asks for what, when."""

    grant: Grant
    query: QueryDict
    now: datetime


@require_safe
def table_file(request: HttpRequest, table: str, form: str) -> HttpResponseBase:
    """All rows that the filters ask for, not one page of them; what is not known is empty."""
    export = EXPORTS.get(table)
    if export is None or form not in FORMS:
        raise Http404("There is no such table.")
    asked = Asked(grant=grant_of_request(request), query=request.GET, now=datetime.now(UTC))
    return download(request, export(asked), form=form)


def _fleet(asked: Asked) -> Export[Any]:
    query = FleetQuery.read(asked.query)
    stale = stale_clusters(now=asked.now)
    rows = filtered(within(ServedModel.objects.present(), asked.grant), query, stale=stale)
    ordered = rows.order_by(*ORDERS[query.sort])
    return Export(table=fleet_table(stale=stale), rows=ordered.iterator(ROWS_AT_ONCE))


def _starts(asked: Asked) -> Export[Any]:
    query = StartsQuery.read(asked.query, now=asked.now)
    rows = starts_found(query, asked.grant).newest_first()
    about = f"{query.key.name if query.key else ''} {query.range.file_part}"
    return Export(table=STARTS, rows=rows.iterator(ROWS_AT_ONCE), about=about)


def _requests(asked: Asked) -> Export[Any]:
    """Windows of one model, or hours where the time is long or no model is named; newest first."""
    span = read_range(asked.query, now=asked.now, default="24h")
    key = _key(asked)
    about = f"{_about(asked)} {span.file_part}"
    if key is None or not asked.grant.sees(key.cluster, key.namespace):
        within_scope = within(RequestHour.objects.between(span.since, span.until), asked.grant)
        hours = _of_model(within_scope, asked).defer("windows").order_by("-hour", "-id")
        return Export(table=REQUESTS, rows=map(_hour, hours.iterator(ROWS_AT_ONCE)), about=about)
    history = request_history(key, span)
    rows = (
        CountedTime(key=key, at=w.at, seconds=history.step_s, revision=w.revision, tally=w.tally)
        for w in reversed(history.windows)
    )
    return Export(table=REQUESTS, rows=rows, about=about)


def _hour(row: RequestHour) -> CountedTime:
    return CountedTime(
        key=row.key, at=row.hour, seconds=HOUR_S, revision=row.revision, tally=sum_in(row)
    )


def _incidents(asked: Asked) -> Export[Any]:
    query = IncidentsQuery.read(asked.query, now=asked.now)
    rows = incidents_found(query, asked.grant).newest_first()
    about = f"{query.key.name if query.key else ''} {query.range.file_part}"
    return Export(table=INCIDENTS, rows=rows.iterator(ROWS_AT_ONCE), about=about)


def _clusters(asked: Asked) -> Export[Any]:
    served = within(ServedModel.objects.present(), asked.grant)
    left = within(NotTaken.objects.all(), asked.grant)
    table = clusters_table(
        models=Counter(served.values_list("cluster", flat=True)),
        not_taken=Counter(left.values_list("cluster", flat=True)),
        now=asked.now,
    )
    rows = clusters_within(Cluster.objects.present(), asked.grant).order_by("name")
    return Export(table=table, rows=rows)


def _actions(asked: Asked) -> Export[Any]:
    """With the filters of the page of actions; of one model, if it is named."""
    names = ("cluster", "state", "by", "action")
    said = {name: text_of(asked.query, name, at_most=120) for name in names}
    rows = within(Action.objects.select_related("plan"), asked.grant)
    rows = rows.filter(**{name: value for name, value in said.items() if value})
    rows = _of_model(rows, asked).order_by("-created_at", "-id")
    return Export(table=ACTIONS, rows=rows.iterator(ROWS_AT_ONCE), about=_about(asked))


def _phases(asked: Asked) -> Export[Any]:
    """Of one start, its parts below each phase."""
    pk = asked.query.get("start", "")
    rows = within(ColdStart.objects.all(), asked.grant)
    known = pk.isascii() and pk.isdigit() and len(pk) <= LONGEST_ID
    start = rows.filter(pk=int(pk)).first() if known else None
    if start is None:
        raise Http404("No such start in the part of the fleet that you may see.")
    about = f"{start.name} {start.started_at:%Y%m%dT%H%MZ}"
    return Export(table=PHASES, rows=_phase_rows(start), about=about)


def _phase_rows(start: ColdStart) -> Iterator[dict[str, Any]]:
    for phase in start.phases:
        yield phase
        for part in phase.get("parts") or ():
            yield {"phase": phase["phase"], "source": "log", **part}


def _facts(table: Table[Any], rows: QuerySet[Any], field: str, asked: Asked) -> Export[Any]:
    """Facts of one model or of all in scope, the newest first; of a time range, if one is named."""
    rows = _of_model(within(rows.all(), asked.grant), asked)
    about = _about(asked)
    if {"range", "since", "until"} & set(asked.query):
        span = read_range(asked.query, now=asked.now)
        rows = rows.filter(**{f"{field}__gte": span.since, f"{field}__lt": span.until})
        about = f"{about} {span.file_part}"
    ordered = rows.order_by(f"-{field}", "-id")
    return Export(table=table, rows=ordered.iterator(ROWS_AT_ONCE), about=about)


def _key(asked: Asked) -> ModelKey | None:
    """The model that is asked for; None = any."""
    text = text_of(asked.query, "model", at_most=LONGEST_KEY)
    try:
        return ModelKey.parse(text) if text else None
    except BadInput as error:
        raise Http404(str(error)) from error


def _of_model(rows: Rows, asked: Asked) -> Rows:
    key = _key(asked)
    return rows if key is None else rows.filter(of_key(key))


def _about(asked: Asked) -> str:
    key = _key(asked)
    return "" if key is None else key.name


EXPORTS: Mapping[str, Callable[[Asked], Export[Any]]] = {
    "fleet": _fleet,
    "cold-starts": _starts,
    "incidents": _incidents,
    "phases": _phases,
    "requests": _requests,
    "clusters": _clusters,
    "actions": _actions,
    "revisions": partial(_facts, REVISIONS, Revision.objects.all(), "created_at"),
    "replicas": partial(_facts, REPLICAS, Replica.objects.all(), "created_at"),
    "scale-events": partial(_facts, SCALE_EVENTS, ScaleEvent.objects.all(), "at"),
    "probe-failures": partial(_facts, PROBE_FAILURES, ProbeFailure.objects.all(), "at"),
}
