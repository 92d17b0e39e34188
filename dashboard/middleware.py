"""Nothing but health is anonymous."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase

# These answer for themselves: health is open, the API and the metrics ask for a token.
OWN_RULES = ("/api/", "/healthz", "/readyz", "/metrics")


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
