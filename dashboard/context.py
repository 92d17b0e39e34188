"""What every page knows: who looks at it and what they may do."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from dashboard.access.grants import grant_of_user
from dashboard.access.rules import Role, may


def viewer(request: HttpRequest) -> dict[str, Any]:
    """grant: None for who is not signed in or has no role."""
    known = getattr(request, "known_grant", None)
    grant = known or grant_of_user(getattr(request, "user", None))
    return {
        "grant": grant,
        "is_admin": may(grant, Role.ADMIN),
        "debug": settings.DEBUG,
    }
