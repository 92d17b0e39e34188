"""Addresses of the pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from dashboard.views import clusters, fleet, model, sign_in

MODEL = "models/<str:cluster>/<str:kind>/<str:namespace>/<str:name>/"

urlpatterns: list[URLPattern] = [
    path("", fleet.fleet, name="fleet"),
    path(MODEL, model.model, name="model"),
    path(f"{MODEL}timeline.json", model.model_timeline, name="model-timeline"),
    path("clusters/", clusters.clusters, name="clusters"),
    path("sign-in/", sign_in.SignIn.as_view(), name="sign-in"),
    path("sign-out/", sign_in.SignOut.as_view(), name="sign-out"),
]
