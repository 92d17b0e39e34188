"""OpenAPI documents: enough for kubectl to patch, apply and check fields on the server.

Objects are described as open maps; the paths carry the query parameters kubectl looks for.
"""

from __future__ import annotations

from simulator.api.served import Catalogue, Served
from simulator.store.json_values import JsonObject

_INFO = {"title": "Kubernetes", "version": "unversioned"}
_PARAMETERS = [
    {"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": True}}
    for name in ("dryRun", "fieldManager", "fieldValidation")
]


def index(catalogue: Catalogue) -> JsonObject:
    """/openapi/v3: a document for each group version."""
    paths = [_place(served) for served in catalogue.all]
    return {
        "paths": {
            place: {"serverRelativeURL": f"/openapi/v3/{place}"} for place in dict.fromkeys(paths)
        }
    }


def document(catalogue: Catalogue, place: str) -> JsonObject | None:
    """/openapi/v3/<place>; None for a group version that is not served."""
    held = [served for served in catalogue.all if _place(served) == place]
    if not held:
        return None
    return {
        "openapi": "3.0.0",
        "info": _INFO,
        "paths": {path: item for served in held for path, item in _paths(served).items()},
        "components": {"schemas": {_schema_name(served): _schema(served) for served in held}},
    }


def swagger(catalogue: Catalogue) -> JsonObject:
    """/openapi/v2 of all kinds."""
    paths: JsonObject = {}
    for served in catalogue.all:
        paths |= _paths(served)
    return {
        "swagger": "2.0",
        "info": _INFO,
        "paths": paths,
        "definitions": {_schema_name(served): _schema(served) for served in catalogue.all},
    }


def _place(served: Served) -> str:
    shown = served.shown
    return f"apis/{shown.group}/{shown.version}" if shown.group else f"api/{shown.version}"


def _schema_name(served: Served) -> str:
    shown = served.shown
    return f"simulated.{shown.group or 'core'}.{shown.version}.{shown.kind}"


def _kind(served: Served) -> JsonObject:
    shown = served.shown
    return {"group": shown.group, "kind": shown.kind, "version": shown.version}


def _schema(served: Served) -> JsonObject:
    return {
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
        },
        "x-kubernetes-preserve-unknown-fields": True,
        "x-kubernetes-group-version-kind": [_kind(served)],
    }


def _paths(served: Served) -> JsonObject:
    shown = served.shown
    space = "/namespaces/{namespace}" if shown.namespaced else ""
    base = f"/{_place(served)}{space}/{shown.plural}"
    responses = {"200": {"description": "OK"}}
    return {
        base: {"post": _operation("post", served, responses)},
        f"{base}/{{name}}": {
            "patch": _operation("patch", served, responses),
            "put": _operation("put", served, responses),
        },
    }


def _operation(action: str, served: Served, responses: JsonObject) -> JsonObject:
    return {
        "parameters": _PARAMETERS,
        "responses": responses,
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _kind(served),
    }
