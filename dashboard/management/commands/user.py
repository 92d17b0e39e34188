"""manage.py user add|list|role, and the one-time link that makes the first admin."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from fleet.errors import BadInput
from fleet.history.access import ROLES, Deed, Reach, add_user, first_admin_link, password_link
from fleet.history.access import set_reach as give
from fleet.models import Membership


class Command(BaseCommand):
    """Thin: each verb calls one function."""

    help = "Add and list users, change their role and scope, make the first admin."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--first-admin-link",
            action="store_true",
            help="print the path of a one-time link that makes the first admin",
        )
        verbs = parser.add_subparsers(dest="verb")
        add = verbs.add_parser("add", help="a user with a role; prints a link to set a password")
        _name_and_reach(add)
        add.add_argument("--password-stdin", action="store_true", help="read the password instead")
        _name_and_reach(verbs.add_parser("role", help="another role or scope"))
        verbs.add_parser("list", help="names, roles, scopes")

    def handle(self, *_: Any, verb: str | None, first_admin_link: bool, **options: Any) -> None:
        try:
            if first_admin_link:
                self._first_admin_link()
            elif verb is None:
                raise CommandError("say add, list, role or --first-admin-link")
            else:
                getattr(self, f"_{verb}")(**options)
        except BadInput as error:
            raise CommandError(str(error)) from error

    def _first_admin_link(self) -> None:
        self.stdout.write(f"/setup/{first_admin_link(_deed())}/")

    def _add(self, *, name: str, password_stdin: bool, **options: Any) -> None:
        password = input() if password_stdin else None
        user = add_user(name, _reach(**options), _deed(), password=password)
        if password is None:
            self.stdout.write(f"/setup/{password_link(user, _deed())}/")
        else:
            self.stdout.write(f"added {name}")

    def _role(self, *, name: str, **options: Any) -> None:
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"there is no user {name!r}")
        give(user, _reach(**options), _deed())
        self.stdout.write(f"{name}: {options['role']}")

    def _list(self, **_: Any) -> None:
        for row in Membership.objects.select_related("user").order_by("user__username"):
            where = f"{','.join(row.clusters) or 'all'}\t{','.join(row.namespaces) or 'all'}"
            state = "" if row.user.is_active else "\tdeactivated"
            self.stdout.write(f"{row.user.username}\t{row.role}\t{where}{state}")


def _name_and_reach(parser: ArgumentParser) -> None:
    parser.add_argument("name")
    parser.add_argument("--role", choices=ROLES, default="viewer")
    parser.add_argument("--cluster", action="append", default=[], help="only there; may repeat")
    parser.add_argument("--namespace", action="append", default=[], help="only there; may repeat")


def _reach(*, role: str, cluster: list[str], namespace: list[str], **_: Any) -> Reach:
    return Reach(role=role, clusters=cluster, namespaces=namespace)


def _deed() -> Deed:
    return Deed(by="manage.py", now=datetime.now(UTC))
