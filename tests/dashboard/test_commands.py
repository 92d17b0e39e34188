"""manage.py user and token."""

from __future__ import annotations

import hashlib
import io
import sys
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from fleet.models import ApiToken, AuditEntry, Membership
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def said(*words: Any) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue().strip()


def test_the_first_admin_link_is_a_path_and_only_while_there_is_no_admin() -> None:
    assert said("user", "--first-admin-link").startswith("/setup/")
    make_user(role="admin")
    with pytest.raises(CommandError, match="there is an admin already"):
        said("user", "--first-admin-link")


def test_a_user_is_added_listed_and_given_another_role(monkeypatch: pytest.MonkeyPatch) -> None:
    make_user("root", role="admin")
    monkeypatch.setattr(sys, "stdin", io.StringIO("a long enough phrase\n"))
    assert said("user", "add", "ann", "--cluster", "demo-a", "--password-stdin") == "added ann"
    assert User.objects.get(username="ann").check_password("a long enough phrase")
    assert "ann\tviewer\tdemo-a\tall" in said("user", "list")
    said("user", "role", "ann", "--role", "operator")
    row = Membership.objects.get(user__username="ann")
    assert (row.role, row.clusters) == ("operator", [])
    assert AuditEntry.objects.filter(who="manage.py").count() == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        pytest.param(("user",), "say add, list, role", id="no verb"),
        pytest.param(("user", "add", "root"), "is taken", id="a name twice"),
        pytest.param(("user", "role", "nobody"), "no user", id="nobody"),
        pytest.param(("token", "create", "nobody", "x"), "no user", id="a token for nobody"),
        *(
            pytest.param(
                ("token", "create", "root", "x", "--days", days), "number of days", id=days
            )
            for days in ("0", "-1", "nan", "inf", "3651", "soon")
        ),
        pytest.param(("token", "revoke", "zzz"), "no tokens", id="no such token"),
    ],
)
def test_what_cannot_be_done_is_said(words: tuple[str, ...], why: str) -> None:
    make_user("root", role="admin")
    with pytest.raises(CommandError, match=why):
        said(*words)


def test_a_token_is_printed_once_kept_as_a_digest_and_revoked_by_its_beginning() -> None:
    make_user("root", role="admin")
    secret = said("token", "create", "root", "scripts", "--role", "operator", "--days", "7")
    row = ApiToken.objects.get()
    assert row.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert row.prefix in said("token", "list")
    assert secret not in said("token", "list")
    said("token", "revoke", row.prefix)
    assert "revoked" in said("token", "list")
