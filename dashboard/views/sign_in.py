"""Signing in and out."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class SignIn(LoginView):
    """Name and password; too many wrong ones lock the pair of name and address out."""

    template_name = "pages/sign_in.html"
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """Ends the session; open sockets of it are closed within half a minute."""


def locked_out(request: HttpRequest, credentials: Any, *args: Any, **kwargs: Any) -> HttpResponse:
    """Answered instead of the sign-in page after too many wrong passwords."""
    response = render(request, "pages/locked_out.html", status=429)
    response["Retry-After"] = "900"
    return response
