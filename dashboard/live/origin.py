"""Sockets are opened by our own pages alone: the Origin that the browser states is checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

Application = Callable[[Any, Any, Any], Awaitable[None]]


class OwnOrigin:
    """Refuses a socket whose Origin is neither the host and port that it was sent to (and that we
    answer for) nor one of the trusted origins. A cookie does not know ports, so a page of another
    server on the same host would else read with its visitor's session."""

    def __init__(self, application: Any) -> None:
        self._application: Application = application

    async def __call__(self, scope: Mapping[str, Any], receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin1") for name, value in scope["headers"]}
        own = is_own_origin(headers.get(b"origin", ""), host=headers.get(b"host", ""))
        application: Application = self._application if own else WebsocketDenier()
        await application(scope, receive, send)


def is_own_origin(origin: str, *, host: str) -> bool:
    """origin: as a browser states it, "" if it states none. host: the Host header."""
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    try:
        stated = urlsplit(origin.lower())
    except ValueError:
        return False
    return stated.scheme in {"http", "https"} and stated.netloc == host.lower()
