"""What holds for every page: the policy, no inline code, error pages in the same look."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.template.loader import render_to_string
from django.test import Client
from pytest_django import Settings

from tests.factories import make_cluster, make_model, make_start, make_user

pytestmark = pytest.mark.django_db
PAGES = (
    "/",
    "/?q=nothing",
    "/models/demo-a/InferenceService/chat/llama-3-8b/",
    "/clusters/",
    "/users/",
    "/tokens/",
    "/nowhere/",
)
INLINE = re.compile(
    r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", re.IGNORECASE
)


@pytest.fixture
def admin(client: Client) -> Client:
    now = datetime.now(UTC)
    make_cluster(now=now)
    make_start(make_model(), started_at=now, outcome="running")
    client.force_login(make_user(role="admin"))
    return client


@pytest.mark.parametrize("path", PAGES)
def test_the_policy_allows_nothing_inline_and_nothing_is(admin: Client, path: str) -> None:
    response = admin.get(path)
    policy = response["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert INLINE.search(response.content.decode()) is None
    assert response["X-Frame-Options"] == "DENY"


def test_what_is_not_there_is_said_in_the_same_look(admin: Client) -> None:
    response = admin.get("/nowhere/")
    assert response.status_code == 404
    assert "There is nothing at this address" in response.content.decode()
    assert 'class="top"' in response.content.decode()


def test_a_broken_server_can_still_say_so() -> None:
    html = render_to_string("500.html")
    assert "Something broke on this server" in html
    assert INLINE.search(html) is None


def test_a_form_without_its_token_is_refused_in_the_same_look() -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_user(role="admin"))
    response = strict.post("/clusters/add/", {"name": "x"})
    assert response.status_code == 403
    assert "reload the page and try again" in response.content.decode()


def test_patterns_are_for_debug_alone(admin: Client, settings: Settings) -> None:
    assert admin.get("/patterns/").status_code == 404
    settings.DEBUG = True
    html = admin.get("/patterns/").content.decode()
    assert "Cannot start: 4 Insufficient nvidia.com/gpu." in html
    assert html.count('class="bar"') == 5


@pytest.mark.parametrize(
    ("path", "form"),
    [
        pytest.param("/?cluster=%00", None, id="a filter"),
        pytest.param("/models/demo-a/InferenceService/chat/a%00b/", None, id="a name in the path"),
        pytest.param("/actions/?by=%00", None, id="a filter of actions"),
        pytest.param("/plans/", {"reason": "a\0b"}, id="a reason"),
    ],
)
def test_nul_is_refused_before_a_database_fails_on_it(
    admin: Client, path: str, form: dict[str, str] | None
) -> None:
    response = admin.get(path) if form is None else admin.post(path, form)
    assert response.status_code == 400
