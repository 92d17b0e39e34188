"""Clusters, with how far their data can be believed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from dashboard.access import clusters_within, within
from dashboard.api.callers import caller
from dashboard.api.filters import Paging
from dashboard.api.paging import name_page, page_response
from dashboard.api.routes.answers import reads
from dashboard.api.schemas.model import ClusterPage
from dashboard.api.shapes.cluster import cluster
from fleet.models import Cluster, NotTaken, ServedModel
from fleet.models.keyed import Keyed

router = Router(tags=["clusters"], by_alias=True)
K = TypeVar("K", bound=Keyed)


@router.get("", response=reads(ClusterPage), operation_id="list_clusters")
def list_clusters(request: HttpRequest, asked: Query[Paging]) -> HttpResponse:
    """The followed clusters in the caller's scope, by name; counts are of what is in scope."""
    grant = caller(request)
    rows = clusters_within(Cluster.objects.present(), grant)
    found, following = name_page(rows, asked)
    shape = partial(
        cluster,
        models=counts(within(ServedModel.objects.present(), grant)),
        not_taken=counts(within(NotTaken.objects.all(), grant)),
        now=datetime.now(UTC),
    )
    return page_response(found, shape=shape, following=following)


def counts(rows: QuerySet[K]) -> Mapping[str, int]:
    """How many rows each cluster has."""
    return dict(rows.order_by().values_list("cluster").annotate(Count("id")))
