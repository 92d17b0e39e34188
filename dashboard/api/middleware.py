"""Turns what Django itself refuses under `/api/` into problems: no such address, wrong method."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from dashboard.api.problems import PROBLEM_JSON, problem_response

API_PREFIX = "/api/"
DETAILS = {
    400: "The request cannot be read.",
    403: "Refused.",
    404: "There is nothing at this address; `/api/v1/openapi.json` lists what there is.",
    405: "This address does not take this method; see the Allow header.",
    500: "The server failed; its log says why.",
}
KEPT_HEADERS = ("Allow", "Retry-After", "WWW-Authenticate")


class ProblemMiddleware(MiddlewareMixin):
    """Outside of all that may refuse a request, so that it sees their refusals too."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """The same answer, as a problem if it is an error in another form."""
        if not request.path.startswith(API_PREFIX) or response.status_code < 400:
            return response
        if response.headers.get("Content-Type", "").startswith(PROBLEM_JSON):
            return response
        return _as_problem(response)


def _as_problem(response: HttpResponseBase) -> HttpResponse:
    kept = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    detail = DETAILS.get(response.status_code, response.reason_phrase)
    return problem_response(response.status_code, detail, headers=kept)
