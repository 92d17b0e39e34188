"""Addresses of incidents."""

from __future__ import annotations

from django.urls import URLPattern, path

from dashboard.views import incident, incidents

urlpatterns: list[URLPattern] = [
    path("incidents/", incidents.incidents, name="incidents"),
    path("incidents/<int:pk>/", incident.incident, name="incident"),
    path("incidents/<int:pk>.md", incident.incident_file, name="incident-file"),
]
