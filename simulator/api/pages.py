"""Paths that are no resources: discovery, health, version, OpenAPI."""

from __future__ import annotations

from aiohttp import web

from simulator.api import discovery, openapi
from simulator.api.call import HEADERS, Backend, json_response
from simulator.api.forms import Form, form_of
from simulator.store.json_values import JsonObject


def page(backend: Backend, request: web.BaseRequest, *, address: str) -> web.Response:
    """The page at a path; 404 as text where there is none. address: "host:port"."""
    path = request.path.rstrip("/")
    if path in discovery.HEALTH_PATHS:
        return _health(request, path)
    if path == "/version":
        return json_response(discovery.version_info(backend.kubernetes))
    if path.startswith("/openapi/"):
        body = _openapi(backend, path)
    else:
        aggregated = _aggregated(backend, request, path)
        if aggregated is not None:
            return aggregated
        body = _legacy(backend, path, address=address)
    return not_served() if body is None else json_response(body)


def not_served() -> web.Response:
    """What a path answers that is not served at all: text, no Status."""
    return plain("404 page not found\n", status=404)


def plain(text: str, *, status: int = 200) -> web.Response:
    """A text, with the header that tells browsers not to guess."""
    headers = HEADERS | {"X-Content-Type-Options": "nosniff"}
    return web.Response(text=text, status=status, headers=headers)


def _health(request: web.BaseRequest, path: str) -> web.Response:
    return plain(discovery.health(verbose="verbose" in request.query, path=path))


def _openapi(backend: Backend, path: str) -> JsonObject | None:
    if path == "/openapi/v2":
        return openapi.swagger(backend.catalogue)
    if path == "/openapi/v3":
        return openapi.index(backend.catalogue)
    return openapi.document(backend.catalogue, path.removeprefix("/openapi/v3/"))


def _aggregated(backend: Backend, request: web.BaseRequest, path: str) -> web.Response | None:
    """Aggregated discovery, where it is asked for."""
    if path not in ("/api", "/apis"):
        return None
    if form_of(request.headers.get("Accept", "")) is not Form.DISCOVERY:
        return None
    body = discovery.aggregated(backend.catalogue, core=path == "/api")
    etag = discovery.etag(body)
    headers = {"ETag": etag, "Vary": "Accept", "Cache-Control": "public"}
    if request.headers.get("If-None-Match") == etag:
        return web.Response(status=304, headers=headers)
    response = json_response(body)
    response.headers.update(headers | {"Content-Type": discovery.AGGREGATED})
    return response


def _legacy(backend: Backend, path: str, *, address: str) -> JsonObject | None:
    catalogue = backend.catalogue
    match path.strip("/").split("/"):
        case [""]:
            return {"paths": ["/api", "/api/v1", "/apis", *discovery.HEALTH_PATHS, "/version"]}
        case ["api"]:
            return discovery.core_versions(address)
        case ["api", version]:
            return discovery.resource_list(catalogue, "", version)
        case ["apis"]:
            return discovery.group_list(catalogue)
        case ["apis", group]:
            return discovery.one_group(catalogue, group)
        case ["apis", group, version]:
            return discovery.resource_list(catalogue, group, version)
    return None
