"""Addresses of the pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from dashboard.views import (
    cluster_metrics,
    cluster_metrics_form,
    clusters,
    fleet,
    model,
    patterns,
    setup,
    sign_in,
    start,
    starts,
    table_files,
    tokens,
    users,
)

MODEL = "models/<str:cluster>/<str:kind>/<str:namespace>/<str:name>/"

urlpatterns: list[URLPattern] = [
    path("", fleet.fleet, name="fleet"),
    path("fleet.csv", table_files.table_file, {"table": "fleet", "form": "csv"}, name="fleet-csv"),
    path("tables/<slug:table>.<slug:form>", table_files.table_file, name="table-file"),
    path("cold-starts/", starts.cold_starts, name="cold-starts"),
    path("cold-starts/summary/", starts.cold_starts_summary, name="cold-starts-summary"),
    path("cold-starts/<int:pk>/", start.cold_start, name="cold-start"),
    path(MODEL, model.model, name="model"),
    path(f"{MODEL}timeline.json", model.model_timeline, name="model-timeline"),
    path(f"{MODEL}compared/", model.model_compared, name="model-compared"),
    path("clusters/", clusters.clusters, name="clusters"),
    path("clusters/add/", clusters.cluster_add, name="cluster-add"),
    path("clusters/<str:name>/test/", clusters.cluster_test, name="cluster-test"),
    path("clusters/<str:name>/change/", clusters.cluster_change, name="cluster-change"),
    path("clusters/<str:name>/metrics/", cluster_metrics.cluster_metrics, name="cluster-metrics"),
    path(
        "clusters/<str:name>/metrics/set/",
        cluster_metrics_form.metrics_set,
        name="cluster-metrics-set",
    ),
    path(
        "clusters/<str:name>/metrics/test/",
        cluster_metrics_form.metrics_test,
        name="cluster-metrics-test",
    ),
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
