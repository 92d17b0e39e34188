"""Nothing but health is anonymous, and no page is asked with what no database keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase

# These answer for themselves: health is open, the API and the metrics ask for a token.
OWN_RULES = ("/api/", "/healthz", "/readyz", "/metrics")
NUL = "\x00"


def refuse_nul(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """400 for NUL in an address or a form: PostgreSQL keeps none in text and fails on it.

    The API words its own refusals.
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(OWN_RULES) and _holds_nul(request):
            return HttpResponse("Refused: a NUL in the request.", status=400)
        return get_response(request)

    return answer


def _holds_nul(request: HttpRequest) -> bool:
    given = (request.GET, request.POST)
    values = (text for form in given for texts in form.lists() for text in texts[1])
    return NUL in request.path or any(NUL in str(text) for text in values)


class SignInRequired(LoginRequiredMiddleware):
    """Sends who is not signed in to the sign-in page, save where a path has rules of its own."""

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., Any],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        if request.path.startswith(OWN_RULES):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)
