"""manage.py token create|list|revoke: API tokens, shown once."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from fleet.errors import BadInput
from fleet.history.access import ROLES, Deed, Reach, add_token, revoke_token
from fleet.models import ApiToken

LONGEST_DAYS = 3650.0


def _days(text: str) -> float:
    """A lifetime as it is typed."""
    try:
        days = float(text)
    except ValueError:
        days = 0.0
    # Not a number and infinity lie in no range.
    if not 0 < days <= LONGEST_DAYS:
        raise ArgumentTypeError(f"{text!r} is no number of days from 0 to {LONGEST_DAYS:.0f}")
    return days


class Command(BaseCommand):
    """Thin: each verb calls one function."""

    help = "Create, list and revoke API tokens; the secret is printed once and not kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        create = verbs.add_parser("create", help="prints the token, alone on a line")
        create.add_argument("user")
        create.add_argument("name", help="what it is for")
        create.add_argument("--role", choices=ROLES, default="viewer")
        create.add_argument("--cluster", action="append", default=[], help="may be repeated")
        create.add_argument("--namespace", action="append", default=[], help="may be repeated")
        create.add_argument("--days", type=_days, default=90.0, help="at most 3650")
        verbs.add_parser("list", help="users, names, roles, expiry")
        verbs.add_parser("revoke", help="by its first characters").add_argument("prefix")

    def handle(self, *_: Any, verb: str, **options: Any) -> None:
        try:
            getattr(self, f"_{verb}")(**options)
        except BadInput as error:
            raise CommandError(str(error)) from error

    def _create(self, *, user: str, name: str, days: float, **options: Any) -> None:
        holder = User.objects.filter(username=user).first()
        if holder is None:
            raise CommandError(f"there is no user {user!r}")
        reach = Reach(
            role=options["role"], clusters=options["cluster"], namespaces=options["namespace"]
        )
        _, secret = add_token(holder, name, reach, _deed(), lasts=timedelta(days=days))
        self.stdout.write(secret)

    def _list(self, **_: Any) -> None:
        for row in ApiToken.objects.select_related("user").order_by("user__username", "pk"):
            state = "revoked" if row.revoked_at else f"until {row.expires_at:%F %R} UTC"
            self.stdout.write(
                f"{row.user.username}\t{row.prefix}…\t{row.name}\t{row.role}\t{state}"
            )

    def _revoke(self, *, prefix: str, **_: Any) -> None:
        rows = list(ApiToken.objects.select_related("user").filter(prefix__startswith=prefix)[:2])
        if len(rows) != 1:
            raise CommandError(f"{len(rows) or 'no'} tokens begin with {prefix!r}: one is needed")
        revoke_token(rows[0], _deed())
        self.stdout.write(f"revoked {rows[0].prefix}…")


def _deed() -> Deed:
    return Deed(by="manage.py", now=datetime.now(UTC))
