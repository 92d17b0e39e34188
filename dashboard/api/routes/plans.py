"""Plans: ask for one, wait for its preview, apply it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from threading import BoundedSemaphore
from time import monotonic, sleep

from django.http import HttpRequest, HttpResponse
from ninja import Header, Query, Router

from dashboard.access import within
from dashboard.api.callers import caller, require_operator, require_sight
from dashboard.api.keys import present_model
from dashboard.api.paging import json_response
from dashboard.api.problems import ApiProblem, not_found
from dashboard.api.routes.answers import accepts, reads
from dashboard.api.schemas.plan import Action as ActionSchema
from dashboard.api.schemas.plan import ApplyRequest, IdempotencyKey, PlanRequest, WaitFilters
from dashboard.api.schemas.plan import Plan as PlanSchema
from dashboard.api.shapes.plan import action as action_shape
from dashboard.api.shapes.plan import plan as plan_shape
from fleet.actions import requests
from fleet.domain.records.keys import ModelKey
from fleet.errors import BadInput
from fleet.models import Plan
from workers.act import wake_action, wake_plan

router = Router(tags=["plans"], by_alias=True)
LOOK_EVERY_S = 0.1
# Each waiting request holds a thread of the web process; those above this are answered at once.
MOST_WAITING = 64
waiting = BoundedSemaphore(MOST_WAITING)


@router.post("", response=accepts(PlanSchema), operation_id="make_plan")
def make_plan(request: HttpRequest, asked: PlanRequest) -> HttpResponse:
    """Ask what an action would do. The act worker makes the plan `planned` or `refused`; wait for
    it with `GET plans/{id}?wait_s=15`. Nothing changes before it is applied."""
    grant = caller(request)
    now = datetime.now(UTC)
    key = ModelKey.parse(asked.target)
    require_sight(grant, key)
    present_model(key)
    require_operator(grant, key, asked=asked.action)
    row = requests.request_plan(
        action=asked.action,
        target=key,
        params=asked.params,
        reason=asked.reason,
        by=grant.who,
        now=now,
    )
    wake_plan(row.pk)
    return json_response(plan_shape(row), status=202)


@router.get("/{plan_id}", response=reads(PlanSchema), operation_id="get_plan")
def get_plan(request: HttpRequest, plan_id: str, asked: Query[WaitFilters]) -> HttpResponse:
    """One plan. `wait_s`: answer when its preview is done, at the latest after so long."""
    row = plan_in_scope(request, plan_id)
    if asked.wait_s and row.state == "previewing":
        row = waited(row, wait_s=asked.wait_s)
    return json_response(plan_shape(row))


def waited(
    row: Plan,
    *,
    wait_s: float,
    clock: Callable[[], float] = monotonic,
    nap: Callable[[float], None] = sleep,
) -> Plan:
    """The row as it is when it is previewed, or after `wait_s`."""
    if not waiting.acquire(blocking=False):
        return row
    until = clock() + wait_s
    try:
        while row.state == "previewing" and clock() < until:
            nap(LOOK_EVERY_S)
            row.refresh_from_db()
    finally:
        waiting.release()
    return row


@router.post("/{plan_id}/apply", response=accepts(ActionSchema), operation_id="apply_plan")
def apply_plan(
    request: HttpRequest,
    plan_id: str,
    key: Header[IdempotencyKey],
    asked: ApplyRequest | None = None,
) -> HttpResponse:
    """Do what the plan shows. A plan is applied once: repeating gives the same action."""
    row = plan_in_scope(request, plan_id)
    grant = caller(request)
    require_operator(grant, row.key, asked=row.action)
    try:
        action = requests.request_apply(
            row.pk,
            idempotency_key=key.idempotency_key,
            by=grant.who,
            now=datetime.now(UTC),
            reason=asked.reason if asked else "",
        )
    except BadInput as error:
        raise ApiProblem(409, str(error)) from error
    wake_action(action.pk)
    return json_response(action_shape(action), status=202)


def plan_in_scope(request: HttpRequest, plan_id: str) -> Plan:
    """The plan of that id; 404 when there is none or it is out of scope."""
    rows = within(Plan.objects.all(), caller(request))
    row = None if "\x00" in plan_id else rows.filter(pk=plan_id[:80]).first()
    if row is None:
        raise not_found("plan")
    return row
