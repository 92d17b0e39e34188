"""Rows that a grant lets its holder see."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import QuerySet

from dashboard.access.rules import Grant
from fleet.models import Cluster

Rows = TypeVar("Rows", bound=QuerySet[Any])


def within(rows: Rows, grant: Grant, *, cluster: str = "cluster") -> Rows:
    """Those rows of models (starts, events, actions …) that lie in the grant's scope. cluster: the
    column, or an alias of it, that the rows are asked by."""
    if grant.clusters is not None:
        rows = rows.filter(**{f"{cluster}__in": sorted(grant.clusters)})
    if grant.namespaces is not None:
        rows = rows.filter(namespace__in=sorted(grant.namespaces))
    return rows


def clusters_within(rows: QuerySet[Cluster], grant: Grant) -> QuerySet[Cluster]:
    """Those clusters that lie in the grant's scope."""
    return rows if grant.clusters is None else rows.filter(name__in=sorted(grant.clusters))
