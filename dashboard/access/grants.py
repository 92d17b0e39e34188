"""From rows to grants."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

from dashboard.access.rules import Grant, Role, scope
from fleet.models import ApiToken, Membership


def grant_of_user(user: AbstractBaseUser | AnonymousUser | None) -> Grant | None:
    """The user's grant; None for nobody, the deactivated, and users without a membership.

    A superuser (made by `createsuperuser`) without a membership is an admin everywhere.
    """
    if not isinstance(user, User) or not user.is_active:
        return None
    membership = Membership.objects.filter(user=user).first()
    if membership is None:
        return Grant(who=user.username, role=Role.ADMIN) if user.is_superuser else None
    return Grant(
        who=user.username,
        role=Role(membership.role),
        clusters=scope(membership.clusters),
        namespaces=scope(membership.namespaces),
    )


def grant_of_token(token: ApiToken) -> Grant | None:
    """What a usable token allows: its own role and scope, within those of its user."""
    holder = grant_of_user(token.user)
    if holder is None:
        return None
    own = Grant(
        who=holder.who,
        role=Role(token.role),
        clusters=scope(token.clusters),
        namespaces=scope(token.namespaces),
    )
    return holder.narrowed(own)
