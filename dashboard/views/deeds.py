"""Who does something on a page, for the audit trail."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib.auth.models import User
from django.http import HttpRequest

from fleet.history.access import Deed


def deed_of(request: HttpRequest) -> Deed:
    """The signed-in person, now."""
    user = request.user
    name = user.get_username()
    return Deed(by=name, now=datetime.now(UTC), user=user if isinstance(user, User) else None)
