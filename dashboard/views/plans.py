"""The dialog of a plan: ask, show, apply. Every answer is a fragment."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from dashboard.access.requests import grant_of_request
from dashboard.access.rules import Grant, Role, may
from dashboard.access.scope import within
from dashboard.access.writes import count_write
from dashboard.views.action_cards import action_card, plan_card
from fleet.actions import requests
from fleet.domain.plans.params import ActionName
from fleet.domain.records.keys import ModelKey
from fleet.errors import BadInput
from fleet.models import Action, Plan
from workers.act import wake_action, wake_plan

FOR_GOOD = "0"


@require_POST
def plan_ask(request: HttpRequest) -> HttpResponse:
    """A new plan with the form's parameters, shown while the act worker previews it."""
    try:
        key = ModelKey.parse(request.POST.get("key", ""))
        grant = operator(request, key, asked=request.POST.get("action", "")[:40])
        row = requests.request_plan(
            action=request.POST.get("action", ""),
            target=key,
            params=asked_params(request),
            reason=request.POST.get("reason", ""),
            by=grant.who,
            now=datetime.now(UTC),
        )
    except BadInput as error:
        return problem(request, str(error))
    wake_plan(row.pk)
    return render(request, "partials/plan.html", {"plan": plan_card(row)})


@require_GET
def plan_show(request: HttpRequest, plan_id: str) -> HttpResponse:
    """The plan as it is now: asked again and again until it is previewed."""
    row = plan_in_scope(request, plan_id)
    return render(request, "partials/plan.html", {"plan": plan_card(row)})


@require_POST
def plan_apply(request: HttpRequest, plan_id: str) -> HttpResponse:
    """Do what was shown; the answer is the action, followed live."""
    row = plan_in_scope(request, plan_id)
    reason = request.POST.get("words", "").strip() or request.POST.get("chip", "")
    try:
        grant = operator(request, row.key, asked=row.action)
        action = requests.request_apply(
            row.pk,
            idempotency_key=uuid.uuid4().hex,
            by=grant.who,
            now=datetime.now(UTC),
            reason=reason,
        )
    except BadInput as error:
        return problem(request, str(error))
    wake_action(action.pk)
    shown = Action.objects.select_related("plan").prefetch_related("steps").get(pk=action.pk)
    return render(request, "partials/action.html", {"action": action_card(shown, grant)})


def asked_params(request: HttpRequest) -> dict[str, Any]:
    """The form's fields as the action's parameters; what is no number stays text, to be refused."""
    given = request.POST
    if given.get("action") == ActionName.WARM_UP:
        return {name: _number(given[name]) for name in ("requests", "timeout_s") if given.get(name)}
    params: dict[str, Any] = {"min": _number(given.get("min", "1"))}
    if given.get("how"):
        params["how"] = given["how"]
    if given.get("expires_in_s", FOR_GOOD) != FOR_GOOD:
        params["expires_in_s"] = _number(given["expires_in_s"])
    if given.get("gitops_confirmed"):
        params["gitops_confirmed"] = True
    return params


def _number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def operator(request: HttpRequest, key: ModelKey, *, asked: str) -> Grant:
    """The grant of an operator there. 404 out of scope; 403, kept in the audit, for a viewer;
    TooManyWrites, a BadInput, when asked too often."""
    grant = grant_of_request(request)
    if not grant.sees(key.cluster, key.namespace):
        raise Http404
    count_write(grant.who)
    if not may(grant, Role.OPERATOR, key.cluster, key.namespace):
        detail = _("This needs the role operator in this cluster and namespace.")
        requests.record_refusal(
            action=asked,
            target=key,
            by=grant.who,
            reason="",
            detail=detail,
            now=datetime.now(UTC),
        )
        raise PermissionDenied(detail)
    return grant


def problem(request: HttpRequest, text: str) -> HttpResponse:
    """What was wrong, in the place of what was asked for."""
    return render(request, "partials/plan_problem.html", {"text": text})


def plan_in_scope(request: HttpRequest, plan_id: str) -> Plan:
    """404 when there is none, or it is out of scope."""
    row = within(Plan.objects.all(), grant_of_request(request)).filter(pk=plan_id).first()
    if row is None:
        raise Http404
    return row
