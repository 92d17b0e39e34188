"""Actions: what was done, and what happens with it now."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from dashboard.access import within
from dashboard.api.callers import caller, require_operator
from dashboard.api.filters import EventFilters, any_of, in_period
from dashboard.api.paging import json_response, newest_page, page_response
from dashboard.api.problems import ApiProblem, not_found
from dashboard.api.routes.answers import accepts, reads
from dashboard.api.schemas.plan import Action as ActionSchema
from dashboard.api.schemas.plan import ActionPage
from dashboard.api.shapes.plan import action
from fleet.actions import requests
from fleet.domain.records.keys import ModelKey
from fleet.errors import BadInput
from fleet.models import Action
from fleet.models.keyed import of_key
from workers.act import wake_action

router = Router(tags=["actions"], by_alias=True)


@router.get("", response=reads(ActionPage), operation_id="list_actions")
def list_actions(request: HttpRequest, asked: Query[EventFilters]) -> HttpResponse:
    """Actions in the caller's scope, newest first."""
    rows = within(Action.objects.prefetch_related("steps"), caller(request))
    chosen = any_of(rows, cluster=asked.cluster, namespace=asked.namespace)
    if asked.model:
        chosen = chosen.filter(of_key(ModelKey.parse(asked.model)))
    chosen = in_period(chosen, asked, field="created_at")
    found, following = newest_page(chosen, asked, name="actions", field="created_at")
    return page_response(found, shape=action, following=following)


@router.get("/{action_id}", response=reads(ActionSchema), operation_id="get_action")
def get_action(request: HttpRequest, action_id: str) -> HttpResponse:
    """One action with the steps it has taken so far."""
    return json_response(action(action_in_scope(request, action_id)))


@router.post("/{action_id}/revert", response=accepts(ActionSchema), operation_id="revert_action")
def revert_action(request: HttpRequest, action_id: str) -> HttpResponse:
    """Undo the action by its inverse. Asking again is harmless."""
    row = action_in_scope(request, action_id)
    grant = caller(request)
    require_operator(grant, row.key, asked=f"undo {row.action}")
    try:
        row = requests.request_revert(row.pk, by=grant.who, now=datetime.now(UTC))
    except BadInput as error:
        raise ApiProblem(409, str(error)) from error
    wake_action(row.pk)
    return json_response(action(row), status=202)


def action_in_scope(request: HttpRequest, action_id: str) -> Action:
    """The action of that id; 404 when there is none or it is out of scope."""
    rows = within(Action.objects.prefetch_related("steps"), caller(request))
    row = None if "\x00" in action_id else rows.filter(pk=action_id[:80]).first()
    if row is None:
        raise not_found("action")
    return row
