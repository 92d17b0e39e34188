"""Addresses of what is concluded of models."""

from __future__ import annotations

from django.urls import URLPattern, path

from dashboard.views import diagnose, model_objects, rules

MODEL = "models/<str:cluster>/<str:kind>/<str:namespace>/<str:name>/"

urlpatterns: list[URLPattern] = [
    path("diagnose/", diagnose.diagnose_page, name="diagnose"),
    path("rules/<str:code>/", rules.rule, name="rule"),
    path(f"{MODEL}diagnose/", model_objects.model_diagnose, name="model-diagnose"),
    path(f"{MODEL}objects/", model_objects.model_objects, name="model-objects"),
    path(f"{MODEL}bundle.json", model_objects.model_bundle, name="model-bundle"),
]
