"""Every error of the API as `application/problem+json` (RFC 9457)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from fleet.errors import BadInput

PROBLEM_JSON = "application/problem+json"
# What a caller sent is named in an error at most this long.
SHOWN_CHARACTERS = 200
SHOWN_ERRORS = 20

logger = logging.getLogger(__name__)


class ApiProblem(Exception):
    """An answer that is not the one asked for. `detail` says what to do about it."""

    def __init__(self, status: int, detail: str, *, headers: Mapping[str, str] | None = None):
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})


def not_found(what: str) -> ApiProblem:
    """Also for what exists out of the caller's scope: the two must look alike."""
    return ApiProblem(404, f"No such {what}, or it is out of your scope.")


def invalid(where: str, message: str) -> ApiProblem:
    """422 for one parameter."""
    return ApiProblem(422, f"{where}: {message}")


def title_of(status: int) -> str:
    """The standard's words for a status."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"


def problem_response(
    status: int,
    detail: str,
    *,
    errors: Sequence[Mapping[str, Any]] = (),
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """The response; `errors` lists what was wrong where, one entry a parameter.

    Written in ASCII, since a detail may quote text that is no proper Unicode.
    """
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": title_of(status),
        "status": status,
        "detail": detail,
    }
    if errors:
        body["errors"] = list(errors)
    all_headers = dict(headers or {})
    if status == 401:
        all_headers.setdefault("WWW-Authenticate", 'Bearer realm="pilot-light"')
    return HttpResponse(
        json.dumps(body).encode(), status=status, content_type=PROBLEM_JSON, headers=all_headers
    )


def _from_api_problem(_request: HttpRequest, problem: ApiProblem) -> HttpResponse:
    return problem_response(problem.status, problem.detail, headers=problem.headers)


def _from_http_error(_request: HttpRequest, error: HttpError) -> HttpResponse:
    if error.status_code == 401:
        return problem_response(401, "Send `Authorization: Bearer <token>`, or sign in.")
    return problem_response(error.status_code, str(error)[:SHOWN_CHARACTERS])


def _from_validation(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = [
        {"where": ".".join(str(part) for part in one["loc"])[:SHOWN_CHARACTERS], "says": one["msg"]}
        for one in error.errors[:SHOWN_ERRORS]
    ]
    detail = "; ".join(f"{one['where']}: {one['says']}" for one in errors[:3])
    return problem_response(422, detail[: 2 * SHOWN_CHARACTERS], errors=errors)


def _from_bad_input(_request: HttpRequest, error: BadInput) -> HttpResponse:
    return problem_response(422, str(error)[: 2 * SHOWN_CHARACTERS])


def _from_missing(_request: HttpRequest, _error: Http404) -> HttpResponse:
    return problem_response(404, "There is nothing at this address.")


def _from_denied(_request: HttpRequest, _error: PermissionDenied) -> HttpResponse:
    return problem_response(403, "Your role may not do this.")


def _from_suspicious(_request: HttpRequest, error: SuspiciousOperation) -> HttpResponse:
    if isinstance(error, RequestDataTooBig):
        return problem_response(413, "The body is too large.")
    return problem_response(400, "The request cannot be read.")


def _from_anything(request: HttpRequest, error: Exception) -> HttpResponse:
    logger.error("failed method=%s path=%s", request.method, request.path, exc_info=error)
    return problem_response(500, "The server failed; its log says why.")


# Found by the class of an exception, else by the nearest of its bases.
HANDLERS: Mapping[type[Exception], Callable[[HttpRequest, Any], HttpResponse]] = {
    ApiProblem: _from_api_problem,
    HttpError: _from_http_error,
    ValidationError: _from_validation,
    BadInput: _from_bad_input,
    Http404: _from_missing,
    PermissionDenied: _from_denied,
    SuspiciousOperation: _from_suspicious,
    Exception: _from_anything,
}


def register(api: NinjaAPI) -> None:
    """Hand every exception of an operation to the function that words it."""
    for error_type, handler in HANDLERS.items():
        api.add_exception_handler(error_type, handler)
