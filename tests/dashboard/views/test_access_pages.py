"""Signing in, one-time links, users and tokens."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client, RequestFactory

from fleet.errors import BadInput
from fleet.history.access import Deed, first_admin_link, open_link, password_link, use_link
from fleet.models import ApiToken, AuditEntry, Membership, OneTimeLink
from tests.factories import make_user

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough phrase"


@pytest.fixture
def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def admin(client: Client) -> Client:
    cache.clear()
    client.force_login(make_user("root", role="admin"))
    return client


def link(now: datetime) -> str:
    return f"/setup/{first_admin_link(Deed(by='test', now=now))}/"


def signs_in(name: str, password: str) -> bool:
    request = RequestFactory().post("/sign-in/")
    return authenticate(request, username=name, password=password) is not None


@pytest.mark.parametrize(
    "path", ["/", "/clusters/", "/users/", "/tokens/", "/patterns/", "/models/a/b/c/d/"]
)
def test_nothing_is_anonymous(client: Client, path: str) -> None:
    assert client.get(path)["Location"] == f"/sign-in/?next={path}"


def test_name_and_password_let_in(client: Client) -> None:
    make_user("ann", password=PASSWORD)
    typed = {"username": "ann", "password": PASSWORD, "next": "/clusters/"}
    assert client.post("/sign-in/", typed)["Location"] == "/clusters/"


def test_a_foreign_address_is_not_followed_after_signing_in(client: Client) -> None:
    make_user("ann", password=PASSWORD)
    typed = {"username": "ann", "password": PASSWORD, "next": "https://evil.example/"}
    assert client.post("/sign-in/", typed)["Location"] == "/"


def test_too_many_wrong_passwords_lock_out(client: Client) -> None:
    make_user("ann", password=PASSWORD)
    for _ in range(10):
        response = client.post("/sign-in/", {"username": "ann", "password": "wrong"})
    assert response.status_code == 429
    assert "Too many wrong passwords" in response.content.decode()
    right = client.post("/sign-in/", {"username": "ann", "password": PASSWORD})
    assert right.status_code == 429


def test_the_one_time_link_makes_one_admin_and_signs_in(client: Client, now: datetime) -> None:
    path = link(now)
    assert "The first admin" in client.get(path).content.decode()
    typed = {"username": "root", "password": PASSWORD, "again": PASSWORD}
    assert client.post(path, typed)["Location"] == "/"
    assert Membership.objects.get(user__username="root").role == "admin"
    assert client.get("/").status_code == 200
    assert Client().get(path).status_code == 404


@pytest.mark.parametrize(
    ("password", "again", "says"),
    [
        pytest.param("short", "short", "too short", id="too short"),
        pytest.param(PASSWORD, "another phrase", "differ", id="not the same twice"),
        pytest.param("1234567890123", "1234567890123", "numeric", id="only digits"),
    ],
)
def test_a_poor_password_is_refused_and_the_link_still_works(
    client: Client, now: datetime, password: str, again: str, says: str
) -> None:
    path = link(now)
    response = client.post(path, {"username": "root", "password": password, "again": again})
    assert (response.status_code, User.objects.count()) == (422, 0)
    assert says in response.content.decode()
    assert client.get(path).status_code == 200


def test_a_link_is_over_after_a_day_or_once_there_is_an_admin(
    client: Client, now: datetime
) -> None:
    path = link(now - timedelta(hours=25))
    assert client.get(path).status_code == 404
    path = link(now)
    make_user("root", role="admin")
    assert client.get(path).status_code == 404
    assert OneTimeLink.objects.filter(used_at=None).count() == 2


@pytest.mark.parametrize(
    "meanwhile",
    [
        pytest.param("deactivated", id="its user was kept out meanwhile"),
        pytest.param("used", id="somebody used it meanwhile"),
    ],
)
def test_a_link_for_a_password_never_makes_an_admin(now: datetime, meanwhile: str) -> None:
    ann = make_user("ann", role="viewer")
    opened = open_link(password_link(ann, Deed(by="root", now=now)), now=now)
    assert opened is not None
    if meanwhile == "deactivated":
        User.objects.update(is_active=False)
    else:
        OneTimeLink.objects.update(used_at=now)
    with pytest.raises(BadInput):
        use_link(opened, name="eve", password=PASSWORD, now=now)
    assert list(User.objects.values_list("username", flat=True)) == ["ann"]


def test_of_two_links_for_the_first_admin_one_counts(now: datetime) -> None:
    links = [first_admin_link(Deed(by="manage.py", now=now)) for _ in range(2)]
    first, second = (open_link(secret, now=now) for secret in links)
    assert first is not None
    assert second is not None
    use_link(first, name="root", password=PASSWORD, now=now)
    with pytest.raises(BadInput, match="an admin already"):
        use_link(second, name="eve", password=PASSWORD, now=now)


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_users_are_for_admins(client: Client, role: str) -> None:
    client.force_login(make_user("ann", role=role))
    assert client.get("/users/").status_code == 403
    assert client.post("/users/add/", {"username": "x", "role": "admin"}).status_code == 403


def test_an_admin_of_one_cluster_is_no_admin_of_users(client: Client) -> None:
    client.force_login(make_user("ann", role="admin", clusters=["demo-a"]))
    assert client.get("/users/").status_code == 403


def test_a_new_user_gets_a_link_to_set_a_password(admin: Client) -> None:
    typed = {"username": "bob", "role": "operator", "clusters": "demo-a, demo-b", "namespaces": ""}
    html = admin.post("/users/add/", typed).content.decode()
    row = Membership.objects.get(user__username="bob")
    assert (row.role, row.clusters, row.namespaces) == ("operator", ["demo-a", "demo-b"], [])
    found = re.search(r"/setup/[^<]+/", html)
    assert found is not None
    Client().post(found.group(), {"password": PASSWORD, "again": PASSWORD})
    assert signs_in("bob", PASSWORD)
    assert found.group() not in str(list(AuditEntry.objects.values()))


def test_a_role_is_changed_and_audited(admin: Client) -> None:
    user = make_user("bob", role="viewer")
    admin.post(f"/users/{user.pk}/", {"role": "operator", "clusters": "demo-a", "namespaces": ""})
    entry = AuditEntry.objects.get(what="user-role")
    assert (entry.who, entry.target) == ("root", "bob")
    assert entry.before == {"role": "viewer", "clusters": [], "namespaces": []}
    assert entry.after == {"role": "operator", "clusters": ["demo-a"], "namespaces": []}


@pytest.mark.parametrize(
    "typed",
    [
        pytest.param({"do": "deactivate"}, id="deactivated"),
        pytest.param({"role": "viewer"}, id="another role"),
        pytest.param({"role": "admin", "clusters": "demo-a"}, id="a narrower scope"),
    ],
)
def test_the_last_admin_stays(admin: Client, typed: dict[str, str]) -> None:
    root = User.objects.get(username="root")
    html = admin.post(f"/users/{root.pk}/", typed, follow=True).content.decode()
    assert "would leave no admin" in html
    row = Membership.objects.get(user=root)
    assert (row.role, row.clusters, row.user.is_active) == ("admin", [], True)


def test_a_deactivated_user_is_out_at_once(admin: Client) -> None:
    user = make_user("bob")
    bob = Client()
    bob.force_login(user)
    assert bob.get("/").status_code == 200
    admin.post(f"/users/{user.pk}/", {"do": "deactivate"})
    assert bob.get("/").status_code == 302


def test_a_token_is_shown_once_and_kept_as_a_digest(client: Client) -> None:
    client.force_login(make_user("ann", role="viewer"))
    typed = {"name": "scripts", "days": "30", "role": "viewer"}
    html = client.post("/tokens/add/", typed).content.decode()
    found = re.search(r"plt_[\w-]{40,}", html)
    assert found is not None
    secret = found.group()
    row = ApiToken.objects.get()
    assert secret not in str(row.__dict__)
    assert secret not in client.get("/tokens/").content.decode()
    assert secret not in str(list(AuditEntry.objects.values()))


def test_tokens_of_others_are_neither_seen_nor_revoked(admin: Client, client: Client) -> None:
    admin.post("/tokens/add/", {"name": "of-root", "days": "30", "role": "admin"})
    row = ApiToken.objects.get()
    ann = Client()
    ann.force_login(make_user("ann", role="operator"))
    assert "of-root" not in ann.get("/tokens/").content.decode()
    assert ann.post(f"/tokens/{row.pk}/revoke/").status_code == 404
    admin.post(f"/tokens/{row.pk}/revoke/")
    row.refresh_from_db()
    assert row.revoked_at is not None
