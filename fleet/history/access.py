"""Users, their roles and scopes, API tokens and one-time links: written with their audit entry.

Secrets are made here, given back once, and kept as a SHA-256.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from fleet.errors import BadInput
from fleet.models import ApiToken, AuditEntry, Membership, OneTimeLink

ROLES = ("viewer", "operator", "admin")
TOKEN_PREFIX = "plt_"
SHOWN_OF_TOKEN = 12
FIRST_ADMIN = "first-admin"
PASSWORD_OF = "password:"
LINK_LASTS = timedelta(hours=24)
LONGEST_TOKEN_DAYS = 366
USE_KEPT_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """A role and where it holds. Empty clusters or namespaces = all."""

    role: str
    clusters: Sequence[str] = ()
    namespaces: Sequence[str] = ()

    def columns(self) -> dict[str, Any]:
        """As columns of a row; BadInput for a role that is none."""
        if self.role not in ROLES:
            raise BadInput(f"role {self.role[:40]!r} is not one of {', '.join(ROLES)}")
        return {
            "role": self.role,
            "clusters": sorted(set(self.clusters)),
            "namespaces": sorted(set(self.namespaces)),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """Who does something, when; for the audit trail."""

    by: str
    now: datetime
    user: User | None = field(default=None, compare=False)


def note(
    deed: Deed,
    what: str,
    target: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """One entry of the audit trail for a thing done. Never give it a secret."""
    AuditEntry.objects.create(
        at=deed.now,
        who=deed.by,
        user=deed.user,
        what=what,
        target=target[:700],
        outcome="done",
        before=before,
        after=after,
    )


@transaction.atomic
def add_user(name: str, reach: Reach, deed: Deed, *, password: str | None = None) -> User:
    """A user with a role; without a password they need a link. BadInput when the name is taken."""
    if User.objects.filter(username__iexact=name).exists():
        raise BadInput(f"user name {name[:150]!r} is taken")
    columns = reach.columns()
    user = User.objects.create_user(name, password=password)
    Membership.objects.create(user=user, **columns)
    note(deed, "user-added", name, after=columns)
    return user


@transaction.atomic
def set_reach(user: User, reach: Reach, deed: Deed) -> None:
    """Another role or scope. BadInput when no admin over everything would be left."""
    columns = reach.columns()
    membership, _ = Membership.objects.get_or_create(user=user)
    before = _reach_of(membership)
    for column, value in columns.items():
        setattr(membership, column, value)
    membership.save()
    _an_admin_is_left()
    note(deed, "user-role", user.username, before=before, after=columns)


@transaction.atomic
def set_active(user: User, deed: Deed, *, active: bool) -> None:
    """Let them in or keep them out. Their tokens stop working with them, their sockets close."""
    user.is_active = active
    user.save(update_fields=["is_active"])
    _an_admin_is_left()
    note(deed, "user-activated" if active else "user-deactivated", user.username)


def _reach_of(row: Membership) -> dict[str, Any]:
    return {"role": row.role, "clusters": row.clusters, "namespaces": row.namespaces}


def _an_admin_is_left() -> None:
    admins = Membership.objects.filter(role="admin", user__is_active=True)
    if not any(not row.clusters and not row.namespaces for row in admins):
        raise BadInput("this would leave no admin over everything: make another one first")


def add_token(
    user: User, name: str, reach: Reach, deed: Deed, *, lasts: timedelta
) -> tuple[ApiToken, str]:
    """A token and its secret, which is not kept. BadInput when it should last over a year."""
    if not timedelta(0) < lasts <= timedelta(days=LONGEST_TOKEN_DAYS):
        raise BadInput(f"a token lasts between one second and {LONGEST_TOKEN_DAYS} days")
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    columns = reach.columns()
    with transaction.atomic():
        row = ApiToken.objects.create(
            user=user,
            name=name[:80],
            prefix=secret[:SHOWN_OF_TOKEN],
            digest=digest(secret),
            created_at=deed.now,
            expires_at=deed.now + lasts,
            **columns,
        )
        until = row.expires_at.isoformat(timespec="seconds")
        note(deed, "token-added", _token(row), after={**columns, "expires_at": until})
    return row, secret


@transaction.atomic
def revoke_token(row: ApiToken, deed: Deed) -> None:
    """The token works no more; revoking twice is harmless."""
    if ApiToken.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=deed.now):
        note(deed, "token-revoked", _token(row))


def token_used(row: ApiToken, *, now: datetime) -> None:
    """Keep when a token was last used, to the minute: most uses write nothing."""
    if row.last_used_at is None or now - row.last_used_at >= USE_KEPT_EVERY:
        ApiToken.objects.filter(pk=row.pk).update(last_used_at=now)


def _token(row: ApiToken) -> str:
    return f"{row.user.username}: {row.name} ({row.prefix}…)"


def first_admin_link(deed: Deed) -> str:
    """The secret of a link that makes the first admin. BadInput when there is one already."""
    if _an_admin_exists():
        raise BadInput("there is an admin already: sign in, or use `user role`")
    return _link(FIRST_ADMIN, deed)


def _an_admin_exists() -> bool:
    return Membership.objects.filter(role="admin", user__is_active=True).exists()


@transaction.atomic
def password_link(user: User, deed: Deed) -> str:
    """The secret of a link by which the user sets a password; earlier ones stop working."""
    purpose = f"{PASSWORD_OF}{user.pk}"
    OneTimeLink.objects.filter(purpose=purpose, used_at=None).update(used_at=deed.now)
    note(deed, "password-link", user.username)
    return _link(purpose, deed)


def _link(purpose: str, deed: Deed) -> str:
    secret = secrets.token_urlsafe(32)
    OneTimeLink.objects.create(
        digest=digest(secret),
        purpose=purpose,
        created_at=deed.now,
        expires_at=deed.now + LINK_LASTS,
    )
    return secret


def open_link(secret: str, *, now: datetime) -> OneTimeLink | None:
    """The link if it still works: not used, not expired, its purpose still open."""
    rows = OneTimeLink.objects.filter(used_at=None, expires_at__gt=now)
    link = rows.filter(digest=digest(secret)).first()
    if link is None:
        return None
    if link.purpose == FIRST_ADMIN:
        return None if _an_admin_exists() else link
    return link if user_of(link) else None


def user_of(link: OneTimeLink) -> User | None:
    """Whose password the link sets; None for other links and for the deactivated."""
    if not link.purpose.startswith(PASSWORD_OF):
        return None
    return User.objects.filter(pk=link.purpose.removeprefix(PASSWORD_OF), is_active=True).first()


@transaction.atomic
def use_link(link: OneTimeLink, *, name: str, password: str, now: datetime) -> User:
    """Make the first admin, or set the password. BadInput when somebody was faster."""
    used = OneTimeLink.objects.filter(pk=link.pk, used_at=None).update(used_at=now)
    if not used:
        raise BadInput("this link was used already")
    if link.purpose == FIRST_ADMIN:
        if _an_admin_exists():
            raise BadInput("there is an admin already")
        return add_user(name, Reach(role="admin"), Deed(by=name, now=now), password=password)
    user = user_of(link)
    if user is None:
        raise BadInput("this link's user is there no more")
    user.set_password(password)
    user.save(update_fields=["password"])
    note(Deed(by=user.username, now=now, user=user), "password-set", user.username)
    return user


def digest(secret: str) -> str:
    """How a secret is kept. Ours have 256 random bits: a plain hash cannot be searched."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
