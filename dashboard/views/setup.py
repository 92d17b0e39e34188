"""One-time links: the first admin, or a password for a new user."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from dashboard.forms.access import FirstAdminForm, PasswordForm
from fleet.errors import BadInput
from fleet.history.access import FIRST_ADMIN, open_link, use_link, user_of
from fleet.models import OneTimeLink

BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_not_required
@never_cache
@sensitive_post_parameters("password", "again")
def setup(request: HttpRequest, token: str) -> HttpResponse:
    """Looking does not use the link up; setting the password does, and signs in."""
    now = datetime.now(UTC)
    link = open_link(token, now=now)
    if link is None:
        return render(request, "pages/link_over.html", status=404)
    form = _form(request, link)
    if request.method == "POST" and form.is_valid():
        try:
            user = use_link(
                link,
                name=form.cleaned_data.get("username", ""),
                password=form.cleaned_data["password"],
                now=now,
            )
        except BadInput:
            return render(request, "pages/link_over.html", status=404)
        login(request, user, backend=BACKEND)
        return redirect("fleet")
    whose = user_of(link)
    status = 422 if request.method == "POST" else 200
    return render(request, "pages/setup.html", {"form": form, "whose": whose}, status=status)


def _form(request: HttpRequest, link: OneTimeLink) -> PasswordForm:
    kind = FirstAdminForm if link.purpose == FIRST_ADMIN else PasswordForm
    return kind(request.POST) if request.method == "POST" else kind()
