"""Every address of the product."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("dashboard.api.urls")),
    path("", include("dashboard.views.action_urls")),
    path("", include("dashboard.views.report_urls")),
    path("", include("dashboard.views.incident_urls")),
    path("", include("dashboard.views.insight_urls")),
    path("", include("dashboard.views.urls")),
]
