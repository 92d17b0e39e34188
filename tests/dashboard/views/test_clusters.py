"""The clusters page: what it shows, and what admins do there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from dashboard.views.strips import cluster_line
from fleet import wiring
from fleet.domain.records.keys import Resource
from fleet.errors import ClusterUnreachable, CredentialsExpired
from fleet.history.streams import Stream
from fleet.models import AuditEntry, Cluster, NotTaken
from fleet.observe.account import Account
from fleet.observe.board import Board
from fleet.observe.inbox import Letter
from fleet.observe.trouble import code_of
from fleet.ports import ClusterFacts, Odd
from tests.factories import HOSTILE, NOW, make_cluster, make_model, make_user

pytestmark = pytest.mark.django_db
FACTS = ClusterFacts(kubernetes="1.36", kserve=None, knative=None, served=(), missing=())
EXPIRED = CredentialsExpired("GET /version", status=401)
TYPED = {
    "name": "tokyo",
    "server": "https://tokyo.example:6443",
    "namespaces": "chat, rag",
    "ca_pem": "",
    "token": "reader-secret",
}


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(make_user("root", role="admin"))
    return client


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Cluster]:
    """Every cluster answers; gives those that were looked at."""
    looked: list[Cluster] = []

    def look_at(cluster: Cluster) -> ClusterFacts:
        looked.append(cluster)
        return FACTS

    monkeypatch.setattr(wiring, "look_at", look_at)
    return looked


@pytest.mark.parametrize(
    ("fields", "age_s", "tone", "trouble"),
    [
        pytest.param({}, 0.8, "live", "", id="live"),
        pytest.param({}, 30, "late", "no news", id="silent for half a minute"),
        pytest.param({"state": "slow"}, 41, "late", "API slow, retrying", id="slow"),
        pytest.param({"state": "unreachable"}, 90, "old", "unreachable, retrying", id="gone"),
        pytest.param(
            {"state": "unreachable", "state_detail": {"code": code_of(EXPIRED)}},
            90,
            "old",
            "token refused, retrying",
            id="its token expired",
        ),
        pytest.param({"paused": True}, 90, "paused", "paused", id="paused"),
        pytest.param({"state": "connecting"}, None, "old", "connecting", id="not yet reached"),
    ],
)
def test_how_fresh_a_cluster_reads(
    fields: dict[str, Any], age_s: float | None, tone: str, trouble: str
) -> None:
    proof = None if age_s is None else NOW - timedelta(seconds=age_s)
    line = cluster_line(
        Cluster(**{"name": "a", "state": "live", **fields}, last_proof_at=proof), now=NOW
    )
    assert (line.tone, line.trouble) == (tone, trouble)


def test_it_shows_what_is_missing_and_what_was_not_taken(admin: Client) -> None:
    missing = [{"permission": "pods/log", "costs": "engine phases"}]
    make_cluster("demo-a", now=datetime.now(UTC), missing=missing, watching=["pods"])
    make_model("one")
    NotTaken.objects.create(
        cluster="demo-a",
        kind="InferenceService",
        namespace="ml",
        name="iris",
        rule="no-sign",
        detail=HOSTILE,
    )
    html = admin.get("/clusters/").content.decode()
    for text in ("pods/log", "engine phases", "ml/iris", "neither runtime, image nor command"):
        assert text in html
    assert "<img" not in html


def test_trouble_is_told_as_the_follower_notes_it_to_who_sees_all_namespaces(
    client: Client,
) -> None:
    """The columns are made by the follower's own account of a pulse in trouble."""
    board = Board()
    board.unanswered(trouble=code_of(EXPIRED), detail=f"GET /version answered 401: {HOSTILE}")
    account = Account({})
    odd = Odd(
        resource=Resource.PODS, name="web/half", problem="metadata.uid is missing", received_at=NOW
    )
    account.note(Letter(Stream(Resource.PODS), odd))
    make_cluster("demo-a", now=datetime.now(UTC), **account.columns(board))
    client.force_login(make_user("whole", role="viewer"))
    html = client.get("/clusters/").content.decode()
    for text in ("GET /version answered 401", "pods/web/half", "metadata.uid is missing"):
        assert text in html
    assert "<img" not in html
    client.force_login(make_user("part", role="viewer", namespaces=["chat"]))
    html = client.get("/clusters/").content.decode()
    assert "demo-a" in html
    assert "pods/web/half" not in html
    assert "GET /version" not in html


@pytest.mark.parametrize("role", ["viewer", "operator"])
@pytest.mark.parametrize("path", ["add/", "demo-a/test/", "demo-a/change/"])
def test_changes_are_for_admins(client: Client, role: str, path: str) -> None:
    make_cluster("demo-a")
    client.force_login(make_user("ann", role=role))
    assert client.post(f"/clusters/{path}", {"do": "remove"}).status_code == 403
    assert "Pause following" not in client.get("/clusters/").content.decode()


def test_a_cluster_is_tried_then_added_with_its_token_sealed(
    admin: Client, answers: list[Cluster]
) -> None:
    assert admin.post("/clusters/add/", TYPED)["Location"] == "/clusters/#tokyo"
    row = Cluster.objects.get(name="tokyo")
    assert (row.source, row.namespaces, len(answers)) == ("token", ["chat", "rag"], 1)
    assert b"reader-secret" not in bytes(row.reader_secret)
    assert wiring.reader_token(row) == "reader-secret"
    entry = AuditEntry.objects.get(what="cluster-added")
    assert "reader-secret" not in str(entry.__dict__)


def test_one_that_does_not_answer_is_not_added(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look_at(cluster: Cluster) -> ClusterFacts:
        raise ClusterUnreachable("GET /version: connection refused")

    monkeypatch.setattr(wiring, "look_at", look_at)
    response = admin.post("/clusters/add/", TYPED)
    assert (response.status_code, Cluster.objects.count()) == (422, 0)
    html = response.content.decode()
    assert "connection refused" in html
    assert "reader-secret" not in html


@pytest.mark.parametrize(
    "typed",
    [
        pytest.param({"name": "Tokyo_1"}, id="a name with other letters"),
        pytest.param({"server": "http://tokyo.example"}, id="no TLS"),
        pytest.param({"server": "https://a:b@tokyo.example"}, id="a name in the address"),
        pytest.param({"server": "file:///etc/passwd"}, id="a file"),
        pytest.param({"server": "https://[::1"}, id="a bracket that is not closed"),
        pytest.param({"server": "https://[tokyo]"}, id="brackets round a name"),
        pytest.param({"ca_pem": "/etc/ssl/ca.pem"}, id="a path for a certificate"),
        pytest.param({"token": ""}, id="no token"),
        pytest.param({"name": "demo-a"}, id="a name that is taken"),
    ],
)
def test_what_is_not_taken(admin: Client, answers: list[Cluster], typed: dict[str, str]) -> None:
    make_cluster("demo-a")
    assert admin.post("/clusters/add/", {**TYPED, **typed}).status_code == 422
    assert answers == []


@pytest.mark.parametrize(
    ("do", "column", "value"),
    [("pause", "paused", True), ("read-only", "read_only", True)],
)
def test_switches(admin: Client, do: str, column: str, *, value: bool) -> None:
    make_cluster("demo-a")
    admin.post("/clusters/demo-a/change/", {"do": do})
    assert getattr(Cluster.objects.get(), column) is value
    assert AuditEntry.objects.filter(who="root", target="demo-a").count() == 1


def test_a_removed_cluster_is_gone_and_its_history_stays(admin: Client) -> None:
    make_cluster("demo-a", reader_secret=b"sealed")
    model = make_model("one")
    admin.post("/clusters/demo-a/change/", {"do": "remove"})
    row = Cluster.objects.get()
    assert row.removed_at is not None
    assert bytes(row.reader_secret) == b""
    assert "one" in admin.get(f"/models/{model.key}/").content.decode()
    assert "No cluster yet" in admin.get("/clusters/").content.decode()


def test_testing_says_what_was_found(admin: Client, answers: list[Cluster]) -> None:
    make_cluster("demo-a")
    html = admin.post("/clusters/demo-a/test/", follow=True).content.decode()
    assert "demo-a answers: Kubernetes 1.36" in html
