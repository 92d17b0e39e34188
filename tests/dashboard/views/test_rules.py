"""Pages of lint rules."""

from __future__ import annotations

import pytest
from django.test import Client

from dashboard.rule_pages import CODES, rule_page
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_every_rule_has_a_page_to_read(client: Client) -> None:
    client.force_login(make_user("viewer"))
    for code in sorted(CODES):
        page = client.get(f"/rules/{code}/").content.decode()
        assert f"<h1>{code} " in page
        assert "<h2>What to do</h2>" in page


@pytest.mark.parametrize("code", ["PL999", "pl001", "../PL001", "README"])
def test_what_is_no_rule_is_not_found(client: Client, code: str) -> None:
    client.force_login(make_user("viewer"))
    assert client.get(f"/rules/{code}/").status_code == 404
    assert rule_page(code) is None


def test_only_who_is_signed_in_reads(client: Client) -> None:
    assert client.get("/rules/PL001/").status_code == 302
