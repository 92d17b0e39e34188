"""Who may ask: tokens, sessions, scopes, roles."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import OperationalError
from django.test import Client

from dashboard.api import callers
from fleet.domain.records.keys import ModelKey
from fleet.models import ApiToken, Membership
from tests.dashboard.api import rows

RAG = ModelKey("demo-b", "InferenceService", "rag", "reader")
READS = [
    "models",
    f"models/{rows.PILOT}",
    f"models/{rows.PILOT}/cold-starts",
    f"models/{rows.PILOT}/timeline",
    "cold-starts",
    "scale-events",
    "probe-failures",
    "clusters",
    "actions",
    "actions/action-pilot-1",
    "openapi.json",
]


def bearer(text: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {text}"})


@pytest.mark.parametrize("path", READS)
def test_nothing_is_told_to_who_does_not_say_who_asks(path: str) -> None:
    response = Client().get(f"/api/v1/{path}")
    assert response.status_code == 401
    assert response["Content-Type"] == "application/problem+json"
    assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param({}, 200, id="a usable token"),
        pytest.param({"expires_at": rows.NOW}, 401, id="expired just now"),
        pytest.param({"revoked_at": rows.ago(1)}, 401, id="revoked"),
    ],
)
def test_a_token_counts_while_it_is_usable(given: dict[str, Any], status: int) -> None:
    text = rows.token(rows.user(), **given)
    assert bearer(text).get("/api/v1/models").status_code == status


@pytest.mark.parametrize(
    "header",
    [
        pytest.param("Bearer wrong", id="an unknown token"),
        pytest.param("Bearer ", id="no token"),
        pytest.param("Bearer \xff\xfe", id="bytes that are no text"),
        pytest.param("Basic dmVyYTp4", id="another scheme"),
        pytest.param("secret-token", id="no scheme"),
    ],
)
def test_other_headers_are_refused(header: str) -> None:
    rows.token(rows.user())
    client = Client(headers={"Authorization": header})
    assert client.get("/api/v1/models").status_code == 401


def test_a_token_of_a_deactivated_person_is_refused() -> None:
    person = rows.user()
    text = rows.token(person)
    person.is_active = False
    person.save()
    assert bearer(text).get("/api/v1/models").status_code == 401


def test_a_wrong_token_is_refused_even_beside_a_session() -> None:
    client = Client(headers={"Authorization": "Bearer wrong"})
    client.force_login(rows.user(), backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/api/v1/models").status_code == 401


def test_who_is_signed_in_needs_no_token() -> None:
    client = Client()
    client.force_login(rows.user(), backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/api/v1/models").status_code == 200


@pytest.fixture
def two_models() -> None:
    rows.cluster("demo-a")
    rows.cluster("demo-b")
    for number, key in enumerate((rows.PILOT, RAG), start=1):
        rows.served_model(key)
        rows.cold_start(key)
        rows.scale_event(key)
        rows.probe_failure(key)
        rows.action(key, number=number)


@pytest.mark.usefixtures("two_models")
@pytest.mark.parametrize(
    ("scope", "seen"),
    [
        pytest.param({}, ["demo-a", "demo-b"], id="everywhere"),
        pytest.param({"clusters": ["demo-b"]}, ["demo-b"], id="one cluster"),
        pytest.param({"namespaces": ["chat"]}, ["demo-a"], id="one namespace"),
        pytest.param(
            {"clusters": ["demo-b"], "namespaces": ["chat"]}, [], id="a place without models"
        ),
    ],
)
@pytest.mark.parametrize(
    "path", ["models", "cold-starts", "scale-events", "probe-failures", "actions"]
)
def test_lists_hold_what_is_in_scope(scope: dict[str, Any], seen: list[str], path: str) -> None:
    text = rows.token(rows.user(**scope))
    body = bearer(text).get(f"/api/v1/{path}").json()
    name = {"models": "key", "actions": "target"}.get(path, "model")
    assert sorted(item[name].split("/")[0] for item in body["items"]) == seen


@pytest.mark.usefixtures("two_models")
def test_a_token_narrows_its_person_and_never_widens() -> None:
    text = rows.token(rows.user(clusters=["demo-a"]), clusters=["demo-a", "demo-b"])
    body = bearer(text).get("/api/v1/models").json()
    assert [item["cluster"] for item in body["items"]] == ["demo-a"]


@pytest.mark.usefixtures("two_models")
@pytest.mark.parametrize("path", [path for path in READS if "pilot" in path])
def test_what_is_out_of_scope_is_not_there(path: str) -> None:
    text = rows.token(rows.user(clusters=["demo-b"]))
    assert bearer(text).get(f"/api/v1/{path}").status_code == 404


def test_clusters_and_their_counts_are_those_in_scope() -> None:
    for name in ("demo-a", "demo-b"):
        rows.cluster(name)
    rows.served_model()
    rows.served_model(ModelKey("demo-a", "InferenceService", "rag", "reader"))
    text = rows.token(rows.user(clusters=["demo-a"], namespaces=["chat"]))
    body = bearer(text).get("/api/v1/clusters").json()
    assert [(item["name"], item["models"]) for item in body["items"]] == [("demo-a", 1)]


def test_a_membership_that_ends_ends_the_token() -> None:
    person = rows.user()
    text = rows.token(person)
    Membership.objects.filter(user=person).delete()
    assert bearer(text).get("/api/v1/models").status_code == 401


def test_a_token_is_usable_until_its_last_moment() -> None:
    text = rows.token(rows.user(), expires_at=rows.NOW + timedelta(microseconds=1))
    assert bearer(text).get("/api/v1/models").status_code == 200


def test_a_tokens_last_use_is_kept_to_the_minute() -> None:
    text = rows.token(rows.user())
    client = bearer(text)
    seen = []
    for seconds in (0, 59, 60):
        with time_machine.travel(rows.NOW + timedelta(seconds=seconds), tick=False):
            client.get("/api/v1/models")
        seen.append(ApiToken.objects.get().last_used_at)
    assert seen == [rows.NOW, rows.NOW, rows.NOW + timedelta(seconds=60)]


def test_a_locked_database_stops_no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_args: object, **_more: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(callers, "token_used", locked)
    assert bearer(rows.token(rows.user())).get("/api/v1/models").status_code == 200
