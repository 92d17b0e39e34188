"""Models: the list, one of them, and what belongs to it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from dashboard.access import within
from dashboard.api import timeline
from dashboard.api.callers import caller
from dashboard.api.filters import ColdStartFilters, ModelFilters, ModelSort, models_asked
from dashboard.api.keys import key_of, present_model, require_known
from dashboard.api.paging import json_response, key_page, page_response
from dashboard.api.problems import invalid
from dashboard.api.routes.answers import reads
from dashboard.api.routes.cold_starts import starts_page
from dashboard.api.schemas.cold_start import ColdStartPage
from dashboard.api.schemas.event import Timeline
from dashboard.api.schemas.model import ModelDetail, ModelPage
from dashboard.api.shapes.ages import ages
from dashboard.api.shapes.insight import insight
from dashboard.api.shapes.model import model, revision, with_last_start_as_text
from fleet.models import ColdStart, Revision, ServedModel

router = Router(tags=["models"], by_alias=True)
ONE = "/{cluster}/{kind}/{namespace}/{name}"
MOST_REVISIONS = 100


@router.get("", response=reads(ModelPage), operation_id="list_models")
def list_models(request: HttpRequest, asked: Query[ModelFilters]) -> HttpResponse:
    """Models in the caller's scope, by key. `sort=worst`: the worst ones, page one only."""
    seen = ages(now=datetime.now(UTC))
    asked_for = models_asked(ServedModel.objects.all(), asked, fresh=seen.fresh)
    rows = with_last_start_as_text(within(asked_for, caller(request)))
    shape = partial(model, ages=seen)
    if asked.sort is ModelSort.KEY:
        found, following = key_page(rows, asked)
        return page_response(found, shape=shape, following=following)
    if asked.cursor:
        raise invalid("sort", "`worst` gives page one only; go through pages with `sort=key`")
    worst = rows.order_by("rank", "cluster", "namespace", "name", "kind", "id")
    return page_response(list(worst[: asked.page_size]), shape=shape, following=None)


@router.get(ONE, response=reads(ModelDetail), operation_id="get_model")
def get_model(
    request: HttpRequest, cluster: str, kind: str, namespace: str, name: str
) -> HttpResponse:
    """One model with its revisions, newest first, what was found wrong, and advice."""
    key = key_of(cluster, kind, namespace, name, grant=caller(request))
    row = present_model(key)
    revisions = Revision.objects.of(key).filter(model_uid=row.model_uid).newest_first()
    body = model(row, ages=ages(now=datetime.now(UTC)))
    body["revisions"] = [revision(one) for one in revisions[:MOST_REVISIONS]]
    return json_response(body | insight(row))


@router.get(
    ONE + "/cold-starts", response=reads(ColdStartPage), operation_id="list_starts_of_model"
)
def list_starts_of_model(
    request: HttpRequest,
    cluster: str,
    kind: str,
    namespace: str,
    name: str,
    asked: Query[ColdStartFilters],
) -> HttpResponse:
    """The starts of one model, newest first; also of one that is gone."""
    key = key_of(cluster, kind, namespace, name, grant=caller(request))
    require_known(key)
    return starts_page(ColdStart.objects.of(key), asked)


@router.get(ONE + "/timeline", response=reads(Timeline), operation_id="get_timeline")
def get_timeline(
    request: HttpRequest,
    cluster: str,
    kind: str,
    namespace: str,
    name: str,
    asked: Query[timeline.TimelineFilters],
) -> HttpResponse:
    """Replicas over time and what happened: scale events, probe failures, revisions, actions."""
    key = key_of(cluster, kind, namespace, name, grant=caller(request))
    require_known(key)
    span = timeline.span_of(asked, now=datetime.now(UTC))
    return json_response(timeline.timeline(key, span))
