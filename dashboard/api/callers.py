"""Who calls: a bearer token, or a signed-in person's session cookie (then with CSRF for writes)."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest
from ninja.errors import AuthenticationError
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from dashboard.access import Grant, Role, grant_of_token, grant_of_user, may
from dashboard.access.writes import WINDOW_S, TooManyWrites, count_write
from dashboard.api.problems import ApiProblem, not_found
from fleet.actions.requests import record_refusal
from fleet.domain.records.keys import ModelKey
from fleet.history.access import digest, token_used
from fleet.models import ApiToken

logger = logging.getLogger(__name__)


class BearerToken(HttpBearer):
    """`Authorization: Bearer …`. A wrong token is refused, whatever cookie comes with it."""

    def authenticate(self, request: HttpRequest, token: str) -> Grant:
        """The grant of a token that is neither revoked nor expired; else 401."""
        grant = grant_of_bearer(token)
        if grant is None:
            raise AuthenticationError
        return grant


class SessionCookie(APIKeyCookie):
    """The cookie that sign-in gives. Writes also need the CSRF token, as forms do."""

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> Grant | None:
        """The person's grant; None when nobody is signed in; 403 without the CSRF token."""
        grant = grant_of_user(getattr(request, "user", None))
        if grant is not None and check_csrf(request):
            raise ApiProblem(403, "Send the CSRF token in `X-CSRFToken`, or use an API token.")
        return grant

    def authenticate(self, request: HttpRequest, key: str | None) -> Grant | None:
        """As calling it: the cookie itself was read by the session middleware."""
        return self(request)


def grant_of_bearer(token: str) -> Grant | None:
    """What this token allows now; None when it is unknown, expired or revoked."""
    now = datetime.now(UTC)
    usable = ApiToken.objects.usable(now=now).select_related("user")
    row = usable.filter(digest=digest(token)).first()
    if row is None:
        return None
    try:
        token_used(row, now=now)
    except OperationalError as error:
        # Another process writes; reading goes on without this note.
        logger.warning("kept no use of token=%s because=%s", row.prefix, error)
    return grant_of_token(row)


def grant_of_request(request: HttpRequest) -> Grant | None:
    """The caller's grant, for reads outside the API's own operations."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return grant_of_bearer(token)
    return grant_of_user(getattr(request, "user", None))


def caller(request: HttpRequest) -> Grant:
    """The grant that authentication put on the request."""
    grant = getattr(request, "auth", None)
    if not isinstance(grant, Grant):
        raise AuthenticationError
    return grant


def require_sight(grant: Grant, key: ModelKey) -> None:
    """404 for what lies out of scope, as for what does not exist."""
    if not grant.sees(key.cluster, key.namespace):
        raise not_found("model")


def require_operator(grant: Grant, key: ModelKey, *, asked: str) -> None:
    """403 for a role that only looks, kept in the audit trail; 429 when asked too often.

    asked: what was asked for, in the trail's words. What is out of scope was a 404 before.
    """
    _count_write(grant.who)
    if may(grant, Role.OPERATOR, key.cluster, key.namespace):
        return
    detail = "This needs the role operator in this cluster and namespace."
    record_refusal(
        action=asked, target=key, by=grant.who, reason="", detail=detail, now=datetime.now(UTC)
    )
    raise ApiProblem(403, detail)


def _count_write(who: str) -> None:
    try:
        count_write(who)
    except TooManyWrites as error:
        raise ApiProblem(429, str(error), headers={"Retry-After": str(WINDOW_S)}) from error
