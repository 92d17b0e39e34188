"""One page of cold starts: which rows, in which order, and where the next page begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Q, Value
from django.db.models.functions import Coalesce

from dashboard.access.rules import Grant
from dashboard.access.scope import within
from dashboard.api.cursors import NumberPlace, TimePlace, decode, encode
from dashboard.api.problems import ApiProblem
from dashboard.views.fleet_page import matching
from dashboard.views.starts_query import StartSort, StartsQuery
from fleet.models import ColdStart, ServedModel
from fleet.models.cold_start import ColdStartQuerySet

PAGE_SIZE = 50
# The slowest are looked for among so many of the newest: an order by length has no index.
MOST_RANKED = 5_000
P = TypeVar("P")
# Of so many models a list is looked up model by model.
FEW_MODELS = 100
RANKED_BY = {StartSort.SLOWEST: "total_s", StartSort.UNEXPLAINED: "unexplained_s"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StartsPage:
    """The starts of one page. following: the next page's cursor, "" after the last. cut: older
    starts than those ranked were left out."""

    query: StartsQuery
    starts: tuple[ColdStart, ...]
    following: str
    cut: bool = False


def starts_found(query: StartsQuery, grant: Grant) -> ColdStartQuerySet:
    """All starts in scope that the filters ask for, in no order."""
    rows, cluster = _rows(query)
    rows = within(rows, grant, cluster=cluster)
    rows = rows.filter(started_at__gte=query.range.since, started_at__lt=query.range.until)
    asked = {
        cluster: query.cluster,
        "namespace": query.namespace,
        "revision": query.revision,
        "node": query.node,
        "outcome": query.outcome,
        "trigger": query.trigger,
        "start_mode": query.mode,
    }
    rows = rows.filter(**{name: value for name, value in asked.items() if value})
    return _of_models(rows, query)


def _rows(query: StartsQuery) -> tuple[ColdStartQuerySet, str]:
    """All rows, and the column to ask for a cluster by.

    A cluster holds most of the rows: by an index that begins with it a database would read and sort
    all of them for one page. The alias leaves it the index of the newest.
    """
    if query.key is not None:
        return ColdStart.objects.of(query.key), "cluster"
    if query.cluster and query.namespace:
        return ColdStart.objects.all(), "cluster"
    return ColdStart.objects.alias(on_cluster=Coalesce("cluster", Value(""))), "on_cluster"


def _of_models(rows: ColdStartQuerySet, query: StartsQuery) -> ColdStartQuerySet:
    """Starts of the models whose names or labels are asked for; those that are gone included."""
    labels = {"team": query.team, "environment": query.environment}
    labels = {name: value for name, value in labels.items() if value}
    if not query.q and not labels:
        return rows
    models = ServedModel.objects.filter(**labels)
    if query.q:
        models = matching(models, query.q)
    few = list(models.values_list("cluster", "model_uid")[: FEW_MODELS + 1])
    if len(few) > FEW_MODELS:
        return rows.filter(model_uid__in=models.values("model_uid"))
    # By the index of models: the newest of all would be searched through for a few of them.
    clusters = {cluster for cluster, _uid in few}
    return rows.filter(cluster__in=clusters, model_uid__in=[uid for _cluster, uid in few])


def starts_page(query: StartsQuery, grant: Grant) -> StartsPage:
    """The page that the query's cursor leads to; a cursor of another list leads to the first."""
    rows = starts_found(query, grant)
    if query.sort is StartSort.NEWEST:
        return _newest(rows, query)
    return _ranked(rows, query)


def _newest(rows: ColdStartQuerySet, query: StartsQuery) -> StartsPage:
    place = _place(query, TimePlace)
    if place is not None and place.row_id.isdecimal():
        same = Q(started_at=place.at, id__lt=int(place.row_id[:18]))
        # The plain bound is implied by the other, and lets the database start at its index.
        rows = rows.filter(Q(started_at__lte=place.at), Q(started_at__lt=place.at) | same)
    found = list(rows.newest_first()[: PAGE_SIZE + 1])
    shown, more = found[:PAGE_SIZE], len(found) > PAGE_SIZE
    following = TimePlace(shown[-1].started_at, str(shown[-1].pk)) if more else None
    return StartsPage(
        query=query,
        starts=tuple(shown),
        following=encode(_list(query), following) if following else "",
    )


def _ranked(rows: ColdStartQuerySet, query: StartsQuery) -> StartsPage:
    newest = rows.newest_first().values_list("pk", RANKED_BY[query.sort])
    read = list(newest[: MOST_RANKED + 1])
    ranked = sorted(((-1.0 if n is None else n, pk) for pk, n in read[:MOST_RANKED]), reverse=True)
    place = _place(query, NumberPlace)
    after = ranked if place is None else [r for r in ranked if r < (place.number, place.row_id)]
    shown, more = after[:PAGE_SIZE], len(after) > PAGE_SIZE
    by_id = ColdStart.objects.in_bulk([pk for _, pk in shown])
    return StartsPage(
        query=query,
        starts=tuple(by_id[pk] for _, pk in shown if pk in by_id),
        following=encode(_list(query), NumberPlace(*shown[-1])) if more else "",
        cut=len(read) > MOST_RANKED,
    )


def _list(query: StartsQuery) -> str:
    return f"page-of-starts-{query.sort}"


def _place(query: StartsQuery, place_type: type[P]) -> P | None:
    """Where the page begins; None for the first one, and for a cursor of another list."""
    if not query.cursor:
        return None
    try:
        return decode(_list(query), query.cursor, place_type)
    except ApiProblem:
        return None
