"""The API put together."""

from __future__ import annotations

from ninja import NinjaAPI

from dashboard.api import problems
from dashboard.api.callers import BearerToken, SessionCookie
from dashboard.api.openapi import DESCRIPTION
from dashboard.api.routes import (
    actions,
    clusters,
    cold_starts,
    events,
    incidents,
    models,
    plans,
    reports,
)

api = NinjaAPI(
    title="Pilot Light",
    version="1",
    description=DESCRIPTION,
    urls_namespace="api",
    openapi_url="",
    docs_url=None,
    auth=[BearerToken(), SessionCookie()],
)
problems.register(api)
api.add_router("/models", models.router)
api.add_router("/cold-starts", cold_starts.router)
api.add_router("", events.router)
api.add_router("/incidents", incidents.router)
api.add_router("/clusters", clusters.router)
api.add_router("/reports", reports.router)
api.add_router("/plans", plans.router)
api.add_router("/actions", actions.router)
