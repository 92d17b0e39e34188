"""Addresses of the pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from dashboard.views import (
    clusters,
    fleet,
    fleet_csv,
    model,
    patterns,
    setup,
    sign_in,
    tokens,
    users,
)

MODEL = "models/<str:cluster>/<str:kind>/<str:namespace>/<str:name>/"

urlpatterns: list[URLPattern] = [
    path("", fleet.fleet, name="fleet"),
    path("fleet.csv", fleet_csv.fleet_csv, name="fleet-csv"),
    path(MODEL, model.model, name="model"),
    path(f"{MODEL}timeline.json", model.model_timeline, name="model-timeline"),
    path("clusters/", clusters.clusters, name="clusters"),
    path("clusters/add/", clusters.cluster_add, name="cluster-add"),
    path("clusters/<str:name>/test/", clusters.cluster_test, name="cluster-test"),
    path("clusters/<str:name>/change/", clusters.cluster_change, name="cluster-change"),
    path("users/", users.users, name="users"),
    path("users/add/", users.user_add, name="user-add"),
    path("users/<int:pk>/", users.user_change, name="user-change"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/add/", tokens.token_add, name="token-add"),
    path("tokens/<int:pk>/revoke/", tokens.token_revoke, name="token-revoke"),
    path("sign-in/", sign_in.SignIn.as_view(), name="sign-in"),
    path("sign-out/", sign_in.SignOut.as_view(), name="sign-out"),
    path("setup/<str:token>/", setup.setup, name="setup"),
    path("patterns/", patterns.patterns, name="patterns"),
]
