"""Addresses that machines ask."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from dashboard.api.health import healthz, readyz
from dashboard.api.metrics import metrics
from dashboard.api.openapi import document_view
from dashboard.api.service import api

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("api/v1/openapi.json", document_view(api), name="openapi"),
    path("api/v1/", api.urls),
]
