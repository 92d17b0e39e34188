"""What was done by whom and why: the list, one action live, undo."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from dashboard.access.requests import grant_of_request
from dashboard.access.scope import within
from dashboard.action_words import ACTION_LABELS, ACTION_STATES
from dashboard.views.action_cards import action_card
from dashboard.views.plans import operator, problem
from fleet.actions import requests
from fleet.domain.records.keys import ModelKey
from fleet.errors import BadInput
from fleet.models import Action
from fleet.models.action import ActionQuerySet
from workers.act import wake_action

PAGE_SIZE = 50
OF_MODEL = 5


@require_GET
def actions(request: HttpRequest) -> HttpResponse:
    """All actions in scope, newest first; filters stand in the address."""
    grant = grant_of_request(request)
    asked = {name: request.GET.get(name, "")[:120] for name in ("cluster", "state", "by", "action")}
    rows = _filtered(within(_rows(), grant), asked)
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "cards": [action_card(row, grant) for row in page],
        "page": page,
        "asked": asked,
        "filtered": any(asked.values()),
        "said": urlencode({name: value for name, value in asked.items() if value}),
        "states": tuple(ACTION_STATES.items()),
        "names": tuple(ACTION_LABELS.items()),
        "here": "actions",
    }
    return render(request, "pages/actions.html", context)


@require_GET
def action_show(request: HttpRequest, action_id: str) -> HttpResponse:
    """One action: a page of its own; for an open page a fragment, or 204 if it shows all that."""
    card = action_card(action_in_scope(request, action_id), grant_of_request(request))
    if not request.headers.get("HX-Request"):
        return render(request, "pages/action.html", {"action": card, "here": "actions"})
    if request.GET.get("seen") == card.stamp:
        return HttpResponse(status=204)
    return render(request, "partials/action.html", {"action": card})


@require_POST
def action_undo(request: HttpRequest, action_id: str) -> HttpResponse:
    """Ask for the old values; the answer is the action again."""
    row = action_in_scope(request, action_id)
    try:
        grant = operator(request, row.key, asked=f"undo {row.action}")
        requests.request_revert(row.pk, by=grant.who, now=datetime.now(UTC))
    except BadInput as error:
        return problem(request, str(error))
    wake_action(row.pk)
    card = action_card(action_in_scope(request, action_id), grant)
    return render(request, "partials/action.html", {"action": card})


@require_GET
def actions_of_model(
    request: HttpRequest, cluster: str, kind: str, namespace: str, name: str
) -> HttpResponse:
    """The last actions on one model, as a fragment of its page."""
    grant = grant_of_request(request)
    if not grant.sees(cluster, namespace):
        raise Http404
    rows = _rows().of(ModelKey(cluster, kind, namespace, name)).newest_first()[:OF_MODEL]
    context = {"cards": [action_card(row, grant) for row in rows]}
    return render(request, "partials/action_list.html", context)


def action_in_scope(request: HttpRequest, action_id: str) -> Action:
    """404 when there is none, or it is out of scope."""
    row = within(_rows(), grant_of_request(request)).filter(pk=action_id).first()
    if row is None:
        raise Http404
    return row


def _rows() -> ActionQuerySet:
    return Action.objects.select_related("plan").prefetch_related("steps")


def _filtered(rows: QuerySet[Action], asked: dict[str, str]) -> QuerySet[Action]:
    chosen = {name: value for name, value in asked.items() if value}
    return rows.filter(**chosen).order_by("-created_at", "-id")
