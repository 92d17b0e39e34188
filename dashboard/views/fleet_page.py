"""One page of the fleet: which rows, in which order, and what is told above them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Count, F, FloatField, Q, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce

from dashboard.access.rules import Grant
from dashboard.access.scope import within
from dashboard.staleness import shown_state, stale_clusters
from dashboard.views.fleet_query import PAGE_SIZE, FleetQuery, Sort
from dashboard.words import STATES_WORST_FIRST
from fleet.domain.ledger.delta import State
from fleet.models import ServedModel

Group = dict[str, Any]
Models = TypeVar("Models", bound=QuerySet[ServedModel])

ORDERS: dict[Sort, tuple[Any, ...]] = {
    Sort.WORST: ("rank", "cluster", "namespace", "name", "kind"),
    Sort.NAME: ("name", "cluster", "namespace", "kind"),
    Sort.SLOWEST: (
        F("p95_s").desc(nulls_last=True),
        F("p50_s").desc(nulls_last=True),
        "cluster",
        "namespace",
        "name",
    ),
    Sort.PROBES: (
        (F("probe_serving_1h") + F("probe_starting_1h")).desc(),
        "rank",
        "cluster",
        "namespace",
        "name",
    ),
    Sort.ERRORS: (
        # As a number: SQLite would take a null in JSON for a text, and put it first.
        Coalesce(Cast(KT("errors__share_5xx"), FloatField()), 0.0).desc(),
        F("errors__lost").desc(nulls_last=True),
        "rank",
        "cluster",
        "namespace",
        "name",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """What can be chosen, and how many models are in which state under the other filters.

    total: all that may be seen. found: those that `counts` counts. shown: those of the state asked
    for too.
    """

    clusters: tuple[str, ...]
    namespaces: tuple[str, ...]
    teams: tuple[str, ...]
    counts: tuple[tuple[State, int], ...]
    total: int
    found: int
    shown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPage:
    """Which rows stand on the page, in order; the rows themselves are read apart.

    rows: id, version, cluster and the model's uid.
    """

    query: FleetQuery
    facets: Facets
    pages: int
    rows: tuple[tuple[int, int, str, str], ...]
    stale: frozenset[str]

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(row[0] for row in self.rows)


def fleet_page(query: FleetQuery, grant: Grant, *, now: datetime) -> FleetPage:
    """Three queries, whatever the size of the fleet: stale clusters, groups, one page of ids.

    With a text or errors to search for, the groups are counted twice: all of them name the
    choices.
    """
    stale = stale_clusters(now=now)
    seen = within(ServedModel.objects.present(), grant)
    groups = grouped(seen)
    narrowed = matching(seen, query.text) if query.text else seen
    narrowed = with_errors(narrowed) if query.errors else narrowed
    found = groups if narrowed is seen else grouped(narrowed)
    facets = _facets(groups, found, query, stale=stale)
    pages = max(1, -(-facets.shown // PAGE_SIZE))
    first = (min(query.page, pages) - 1) * PAGE_SIZE
    rows = filtered(seen, query, stale=stale).order_by(*ORDERS[query.sort])
    page = rows.values_list("pk", "version", "cluster", "model_uid")[first : first + PAGE_SIZE]
    return FleetPage(query=query, facets=facets, pages=pages, rows=tuple(page), stale=stale)


def matching(rows: Models, text: str) -> Models:
    """Whose name, namespace, team or served name holds the text, letters' case aside."""
    holds = Q(name__icontains=text) | Q(namespace__icontains=text) | Q(team__icontains=text)
    return rows.filter(holds | Q(served_names__icontains=text))


def with_errors(rows: Models) -> Models:
    """Whose callers got 5xx in the minutes that the row tells of."""
    return rows.filter(errors__lost__gt=0)


def filtered(
    rows: QuerySet[ServedModel], query: FleetQuery, *, stale: frozenset[str]
) -> QuerySet[ServedModel]:
    """The rows that the filters ask for. On a stale cluster every state reads Unknown."""
    asked = {
        name: value
        for name, value in (
            ("cluster", query.cluster),
            ("namespace", query.namespace),
            ("team", query.team),
            ("mode", query.mode),
        )
        if value
    }
    rows = rows.filter(**asked)
    if query.text:
        rows = matching(rows, query.text)
    if query.errors:
        rows = with_errors(rows)
    if query.state is State.UNKNOWN:
        return rows.filter(Q(cluster__in=stale) | Q(state=State.UNKNOWN))
    if query.state is not None:
        return rows.filter(state=query.state).exclude(cluster__in=stale)
    return rows


def grouped(rows: QuerySet[ServedModel]) -> list[Group]:
    """How many models there are per cluster, namespace, team, mode and state."""
    named = rows.order_by().values("cluster", "namespace", "team", "mode", "state")
    return [dict(group) for group in named.annotate(n=Count("pk"))]


def _facets(
    groups: Sequence[Group], found: Sequence[Group], query: FleetQuery, *, stale: frozenset[str]
) -> Facets:
    counts: Counter[State] = Counter()
    shown = 0
    for group in found:
        if not query.takes(group, stale=stale, any_state=True):
            continue
        counts[shown_state(group["state"], group["cluster"], stale=stale)] += group["n"]
        shown += group["n"] if query.takes(group, stale=stale) else 0
    return Facets(
        clusters=_choices(groups, "cluster"),
        namespaces=_choices(groups, "namespace"),
        teams=_choices(groups, "team"),
        counts=tuple((state, counts[state]) for state in STATES_WORST_FIRST),
        total=sum(group["n"] for group in groups),
        found=counts.total(),
        shown=shown,
    )


def _choices(groups: Sequence[Group], name: str) -> tuple[str, ...]:
    return tuple(sorted({group[name] for group in groups if group[name]}))
