"""Addresses of the sockets."""

from __future__ import annotations

from typing import Any

from channels.security.websocket import WebsocketDenier
from django.urls import path, re_path

from dashboard.live.consumers import (
    ClustersConsumer,
    FleetConsumer,
    IncidentsConsumer,
    ModelConsumer,
    StartsConsumer,
)

MODEL_ROUTE = "ws/models/<str:cluster>/<str:kind>/<str:namespace>/<str:name>/"

# `as_asgi` gives an ASGI application where Django's types expect a view.
websocket_urlpatterns: list[Any] = [
    path("ws/fleet/", FleetConsumer.as_asgi()),  # type: ignore[arg-type]
    path("ws/cold-starts/", StartsConsumer.as_asgi()),  # type: ignore[arg-type]
    path("ws/incidents/", IncidentsConsumer.as_asgi()),  # type: ignore[arg-type]
    path("ws/clusters/", ClustersConsumer.as_asgi()),  # type: ignore[arg-type]
    path(MODEL_ROUTE, ModelConsumer.as_asgi()),  # type: ignore[arg-type]
    re_path("", WebsocketDenier.as_asgi()),  # type: ignore[arg-type]
]
