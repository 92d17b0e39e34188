"""Addresses of weekly reports."""

from __future__ import annotations

from django.urls import URLPattern, path

from dashboard.views import reports

urlpatterns: list[URLPattern] = [
    path("reports/", reports.reports, name="reports"),
    path("reports/<str:week>.<slug:form>", reports.report_file, name="report-file"),
    path("reports/<str:week>/", reports.report, name="report"),
]
