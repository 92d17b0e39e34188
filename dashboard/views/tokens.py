"""API tokens: one's own; an admin over everything sees and revokes all."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from dashboard.access.requests import grant_of_request
from dashboard.access.rules import Role, may
from dashboard.forms.access import TokenForm
from dashboard.views.deeds import deed_of
from fleet.errors import BadInput
from fleet.history.access import add_token, revoke_token
from fleet.models import ApiToken


def tokens(request: HttpRequest) -> HttpResponse:
    """Tokens that are not revoked."""
    return _page(request, TokenForm())


@require_POST
def token_add(request: HttpRequest) -> HttpResponse:
    """A token for oneself, shown once. It never does more than its holder may."""
    grant_of_request(request)
    form = TokenForm(request.POST)
    user = request.user
    if not form.is_valid() or not isinstance(user, User):
        return _page(request, form, status=422)
    try:
        _, secret = add_token(
            user, form.cleaned_data["name"], form.reach(), deed_of(request), lasts=form.lasts()
        )
    except BadInput as error:
        form.add_error(None, str(error))
        return _page(request, form, status=422)
    return _page(request, TokenForm(), secret=secret)


@require_POST
def token_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """The token works no more."""
    revoke_token(get_object_or_404(_visible(request), pk=pk), deed_of(request))
    return redirect("tokens")


def _visible(request: HttpRequest) -> QuerySet[ApiToken]:
    rows = ApiToken.objects.select_related("user").filter(revoked_at=None)
    if may(grant_of_request(request), Role.ADMIN):
        return rows
    return rows.filter(user__username=request.user.get_username())


def _page(
    request: HttpRequest, form: TokenForm, *, secret: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "tokens": _visible(request).order_by("user__username", "-created_at"),
        "form": form,
        "secret": secret,
        "now": datetime.now(UTC),
        "here": "tokens",
    }
    response = render(request, "pages/tokens.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response
