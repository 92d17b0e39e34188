"""The grant of the person behind a request."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from dashboard.access.grants import grant_of_user
from dashboard.access.rules import Grant, Role, may

NO_ROLE = "This account has no role. An admin can give it one under Users."


def grant_of_request(request: HttpRequest) -> Grant:
    """The grant, looked up once a request. PermissionDenied for an account without a role."""
    known: Grant | None = getattr(request, "known_grant", None)
    grant = known or grant_of_user(request.user)
    if grant is None:
        raise PermissionDenied(NO_ROLE)
    request.known_grant = grant  # type: ignore[attr-defined]  # ours, for this request only
    return grant


def require(request: HttpRequest, role: Role, cluster: str = "", namespace: str = "") -> Grant:
    """The grant if it gives at least `role` there, else PermissionDenied with what would do."""
    grant = grant_of_request(request)
    if not may(grant, role, cluster, namespace):
        where = f" on cluster {cluster}" if cluster else ""
        raise PermissionDenied(f"This needs the role {role}{where}; yours is {grant.role}.")
    return grant
