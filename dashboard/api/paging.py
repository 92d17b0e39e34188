"""One page of a list and the cursor of the next, by keyset: no page costs more than the first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
from django.db.models import Model, Q, QuerySet
from django.http import HttpResponse

from dashboard.api.cursors import KeyPlace, NamePlace, TimePlace, decode, encode
from dashboard.api.filters import Paging
from dashboard.api.problems import invalid
from fleet.models import Cluster, ServedModel

R = TypeVar("R", bound=Model)
KEY_FIELDS = ("cluster", "kind", "namespace", "name")
MODELS = "models"
CLUSTERS = "clusters"


def json_response(body: Any, *, status: int = 200) -> HttpResponse:
    """The body as it stands, in UTF-8; times come out as RFC 3339 UTC."""
    return HttpResponse(msgspec.json.encode(body), status=status, content_type="application/json")


def page_response(
    rows: Sequence[R], *, shape: Callable[[R], dict[str, Any]], following: str | None
) -> HttpResponse:
    """`{"items", "next"}`."""
    return json_response({"items": [shape(row) for row in rows], "next": following})


def newest_page(
    rows: QuerySet[R], asked: Paging, *, name: str, field: str
) -> tuple[list[R], str | None]:
    """Rows with the newest `field` first, and the next page's cursor (None after the last)."""
    if asked.cursor:
        place = decode(name, asked.cursor, TimePlace)
        row_id = _row_id(rows.model, place.row_id)
        older = Q(**{f"{field}__lt": place.at})
        # The plain bound is implied by the other, and lets the database start at its index.
        rows = rows.filter(Q(**{f"{field}__lte": place.at}), older | Q(id__lt=row_id))
    found = list(rows.order_by(f"-{field}", "-id")[: asked.page_size + 1])
    if len(found) <= asked.page_size:
        return found, None
    last = found[asked.page_size - 1]
    return found[:-1], encode(name, TimePlace(getattr(last, field), str(last.pk)))


def _row_id(model: type[Model], text: str) -> int | str:
    """The id as that table keeps it."""
    if model._meta.pk.get_internal_type() == "CharField":
        return text
    if not text.isdecimal() or len(text) > 18:
        raise invalid("cursor", "not a cursor that this list gave")
    return int(text)


def key_page(rows: QuerySet[ServedModel], asked: Paging) -> tuple[list[ServedModel], str | None]:
    """Models by key, and the next page's cursor."""
    if asked.cursor:
        rows = rows.filter(_after(decode(MODELS, asked.cursor, KeyPlace)))
    found = list(rows.order_by(*KEY_FIELDS, "id")[: asked.page_size + 1])
    if len(found) <= asked.page_size:
        return found, None
    last = found[asked.page_size - 1]
    place = KeyPlace(last.cluster, last.kind, last.namespace, last.name, last.pk)
    return found[:-1], encode(MODELS, place)


def _after(place: KeyPlace) -> Q:
    """key > place, or the same key with a larger id, spelled out field by field."""
    after = Q(id__gt=place.row_id)
    for field in reversed(KEY_FIELDS):
        value = getattr(place, field)
        after = Q(**{f"{field}__gt": value}) | (Q(**{field: value}) & after)
    return Q(cluster__gte=place.cluster) & after


def name_page(rows: QuerySet[Cluster], asked: Paging) -> tuple[list[Cluster], str | None]:
    """Clusters by name, and the next page's cursor."""
    if asked.cursor:
        rows = rows.filter(name__gt=decode(CLUSTERS, asked.cursor, NamePlace).name)
    found = list(rows.order_by("name")[: asked.page_size + 1])
    if len(found) <= asked.page_size:
        return found, None
    return found[:-1], encode(CLUSTERS, NamePlace(found[-2].name))
