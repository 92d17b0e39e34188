"""Addresses of plans and actions."""

from __future__ import annotations

from django.urls import URLPattern, path

from dashboard.views import actions, plans

MODEL = "models/<str:cluster>/<str:kind>/<str:namespace>/<str:name>/"

urlpatterns: list[URLPattern] = [
    path("plans/", plans.plan_ask, name="plan-ask"),
    path("plans/<str:plan_id>/", plans.plan_show, name="plan"),
    path("plans/<str:plan_id>/apply/", plans.plan_apply, name="plan-apply"),
    path("actions/", actions.actions, name="actions"),
    path("actions/<str:action_id>/", actions.action_show, name="action"),
    path("actions/<str:action_id>/undo/", actions.action_undo, name="action-undo"),
    path(f"{MODEL}actions/", actions.actions_of_model, name="model-actions"),
]
