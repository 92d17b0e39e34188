"""The OpenAPI document: what the operations declare, and what holds for all of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET
from ninja import NinjaAPI

from dashboard.api.callers import grant_of_request
from dashboard.api.examples import EXAMPLES
from dashboard.api.problems import PROBLEM_JSON, problem_response, title_of

DESCRIPTION = """Live health of vLLM model servers, their cold starts, and actions on them.

Times are RFC 3339 in UTC, durations are seconds (`*_s`), what is not known is `null`. Lists are
`{"items", "next"}`: pass `next` as `cursor` for the next page; `null` ends the list. Lists by time
have the newest first. Whatever is out of the caller's scope is answered as if it did not exist.
Every error is `application/problem+json`."""


def finished(schema: dict[str, Any]) -> dict[str, Any]:
    """The generated document with problems, examples and the addresses beside the API."""
    for path in schema["paths"].values():
        for operation in path.values():
            _finish_responses(operation)
    schema["paths"].update(_beside())
    schema["tags"] = [{"name": name, "description": says} for name, says in TAGS.items()]
    return schema


TAGS = {
    "models": "InferenceServices and LLMInferenceServices that serve vLLM.",
    "cold starts": "One replica's way from demanded to its first good answer.",
    "events": "Scale events and probe failures.",
    "incidents": "Times in which callers of a model got 5xx answers, and why.",
    "clusters": "The followed clusters.",
    "reports": "What starts of a week took, kept with its numbers.",
    "plans": "What an action would do, before it does it.",
    "actions": "Applied plans, followed to their end.",
    "service": "For probes and Prometheus.",
}


def _finish_responses(operation: dict[str, Any]) -> None:
    responses = {str(status): answer for status, answer in operation["responses"].items()}
    for status, answer in responses.items():
        if int(status) >= 400:
            answer["content"] = _problem(int(status))
            answer["description"] = title_of(int(status))
    example = EXAMPLES.get(operation["operationId"])
    for status in ("200", "202"):
        if example is not None and status in responses:
            responses[status]["content"]["application/json"]["example"] = example
    operation["responses"] = responses


def _problem(status: int) -> dict[str, Any]:
    example = {
        "type": "about:blank",
        "title": title_of(status),
        "status": status,
        "detail": "What was wrong, and what would do.",
    }
    schema = {"$ref": "#/components/schemas/Problem"}
    return {PROBLEM_JSON: {"schema": schema, "example": example}}


def _beside() -> dict[str, Any]:
    text = {"text/plain": {"schema": {"type": "string"}}}
    ok = {"description": "ok", "content": text}
    not_ready = {"description": "not ready", "content": text}
    refused = {"description": title_of(401), "content": _problem(401)}
    signed_in: list[dict[str, list[str]]] = [{"BearerToken": []}, {"SessionCookie": []}]
    return {
        "/healthz": {"get": _service("healthz", "The process answers", {"200": ok})},
        "/readyz": {
            "get": _service("readyz", "Requests can be served", {"200": ok, "503": not_ready})
        },
        "/metrics": {
            "get": _service("metrics", "Prometheus text", {"200": ok, "401": refused})
            | {"security": signed_in}
        },
    }


def _service(name: str, summary: str, responses: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "tags": ["service"],
        "responses": responses,
        "security": [],
    }


def document_view(api: NinjaAPI) -> Any:
    """The view of `openapi.json`: as all else, for callers who are known."""

    @cache
    def document() -> bytes:
        return msgspec.json.encode(finished(dict(api.get_openapi_schema())))

    @require_GET
    def view(request: HttpRequest) -> HttpResponse:
        if grant_of_request(request) is None:
            return problem_response(401, "Send `Authorization: Bearer <token>`, or sign in.")
        return HttpResponse(document(), content_type="application/json")

    return view
