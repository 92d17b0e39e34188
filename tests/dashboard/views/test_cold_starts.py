"""The list of cold starts, from rows."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from dashboard.access.rules import Grant, Role
from dashboard.ranges import moment_text
from dashboard.views import starts_page as pages
from dashboard.views.starts_page import starts_found
from dashboard.views.starts_query import StartsQuery
from fleet.models import ServedModel
from tests.factories import HOSTILE, make_cluster, make_model, make_start, make_user

pytestmark = pytest.mark.django_db
PATH = "/cold-starts/"


def page(client: Client, address: str = PATH) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def shown(html: str) -> list[int]:
    """Ids of the starts on the page, in order."""
    return [int(pk) for pk in re.findall(r'<tr id="start-(\d+)"', html)]


def following(html: str) -> str:
    found = re.search(r'rel="next" href="([^"]+)"', html)
    return found.group(1).replace("&amp;", "&") if found else ""


def test_nobody_sees_it_without_signing_in(client: Client) -> None:
    assert client.get(PATH)["Location"] == f"/sign-in/?next={PATH}"


def test_the_newest_comes_first_whatever_the_model(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    one, two = make_model("one"), make_model("two")
    made = [
        make_start(model, started_at=now - timedelta(minutes=age)).pk
        for model, age in ((one, 30), (two, 20), (one, 10))
    ]
    html = page(admin)
    assert shown(html) == made[::-1]
    assert f'href="/cold-starts/{made[0]}/"' in html
    assert 'href="/models/demo-a/InferenceService/chat/two/"' in html


def labelled(now: datetime) -> dict[str, int]:
    """Starts that differ in one thing each, and one of another model and cluster."""
    make_cluster(now=now)
    make_cluster("demo-b", now=now)
    plain = make_model("llama")
    other = make_model("qwen", cluster="demo-b", namespace="rag", team="ads", environment="test")
    at = now - timedelta(hours=1)
    differing: dict[str, dict[str, Any]] = {
        "plain": {},
        "failed": {"outcome": "failed", "failure_class": "crash"},
        "rollout": {"trigger": "rollout"},
        "full": {"start_mode": "cold"},
        "node": {"node": "gpu-9"},
        "revision": {"revision": "llama-predictor-00002"},
        "old": {"started_at": now - timedelta(days=20)},
    }
    made = {
        name: make_start(plain, **{"started_at": at, **columns})
        for name, columns in differing.items()
    }
    made["other"] = make_start(other, started_at=at)
    return {name: start.pk for name, start in made.items()}


RECENT = ["plain", "failed", "rollout", "full", "node", "revision", "other"]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        pytest.param("", RECENT, id="nothing asked: seven days"),
        pytest.param("range=30d", [*RECENT, "old"], id="a longer range"),
        pytest.param("range=24h&cluster=demo-b", ["other"], id="by cluster"),
        pytest.param("namespace=rag", ["other"], id="by namespace"),
        pytest.param("team=ads", ["other"], id="by the team of its model"),
        pytest.param("environment=test", ["other"], id="by the environment of its model"),
        pytest.param("q=QWE", ["other"], id="by a part of the name, letters' case aside"),
        pytest.param(
            "model=demo-b/InferenceService/rag/qwen", ["other"], id="by the whole key of a model"
        ),
        pytest.param("revision=llama-predictor-00002", ["revision"], id="by revision"),
        pytest.param("node=gpu-9", ["node"], id="by node"),
        pytest.param("outcome=failed", ["failed"], id="by outcome"),
        pytest.param("trigger=rollout", ["rollout"], id="by trigger"),
        pytest.param("mode=cold", ["full"], id="by start mode"),
        pytest.param("outcome=failed&trigger=rollout", [], id="filters narrow one another"),
        pytest.param("outcome=perhaps", RECENT, id="what is no outcome counts as not said"),
        pytest.param("q=%25", [], id="a per cent sign is only text"),
        pytest.param("q=' OR 1=1 --", [], id="SQL is only text"),
    ],
)
def test_filters_stand_in_the_address(
    admin: Client, now: datetime, asked: str, names: list[str]
) -> None:
    made = labelled(now)
    assert sorted(shown(page(admin, f"{PATH}?{asked}"))) == sorted(made[name] for name in names)


def test_a_range_of_moments_takes_its_beginning_and_leaves_its_end(
    admin: Client, now: datetime
) -> None:
    make_cluster(now=now)
    model = make_model()
    hours = [now.replace(microsecond=0) - timedelta(hours=age) for age in (3, 2, 1)]
    made = [make_start(model, started_at=at).pk for at in hours]
    asked = f"since={moment_text(hours[0])}&until={moment_text(hours[2])}"
    html = page(admin, f"{PATH}?{asked}")
    assert shown(html) == [made[1], made[0]]
    assert "chosen moments" in html


def test_what_is_not_understood_of_a_range_is_said(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    assert "could not be read" in page(admin, f"{PATH}?since=tomorrow")


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        pytest.param("slowest", [1, 0, 2], id="slowest first, what has no length last"),
        pytest.param("unexplained", [2, 0, 1], id="most unexplained first"),
        pytest.param("newest", [2, 1, 0], id="newest first"),
    ],
)
def test_orders(admin: Client, now: datetime, sort: str, order: list[int]) -> None:
    make_cluster(now=now)
    model = make_model()
    made = [
        make_start(
            model, started_at=now - timedelta(minutes=9 - n), total_s=total, unexplained_s=rest
        ).pk
        for n, (total, rest) in enumerate([(50.0, 2.0), (90.0, 0.0), (None, 7.0)])
    ]
    assert shown(page(admin, f"{PATH}?sort={sort}")) == [made[n] for n in order]


@pytest.mark.parametrize("sort", ["newest", "slowest"])
def test_pages_hold_every_start_once(
    admin: Client, now: datetime, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    monkeypatch.setattr(pages, "PAGE_SIZE", 4)
    make_cluster(now=now)
    model = make_model()
    at = now - timedelta(hours=1)
    made = {make_start(model, started_at=at - timedelta(minutes=n // 3)).pk for n in range(10)}
    address, seen = f"{PATH}?sort={sort}", []
    while address:
        html = page(admin, address)
        seen += shown(html)
        address = following(html)
    assert len(seen) == len(made)
    assert set(seen) == made


def test_a_cursor_of_another_list_leads_to_the_first_page(
    admin: Client, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGE_SIZE", 1)
    make_cluster(now=now)
    model = make_model()
    newest = [make_start(model, started_at=now - timedelta(minutes=n)).pk for n in (1, 2)][0]
    cursor = following(page(admin, f"{PATH}?sort=slowest")).split("cursor=")[1]
    for wrong in (cursor, "x", "é" * 400):
        assert shown(page(admin, f"{PATH}?cursor={wrong}")) == [newest]


def test_the_slowest_of_more_than_can_be_ranked_say_so(
    admin: Client, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MOST_RANKED", 2)
    make_cluster(now=now)
    model = make_model()
    for n in range(3):
        make_start(model, started_at=now - timedelta(minutes=n + 1))
    html = page(admin, f"{PATH}?sort=slowest")
    assert len(shown(html)) == 2
    assert "narrow the filters" in html


def test_only_what_is_in_scope(client: Client, now: datetime) -> None:
    client.force_login(make_user(role="viewer", clusters=["demo-a"], namespaces=["chat"]))
    made = labelled(now)
    html = page(client, f"{PATH}?range=30d")
    assert made["other"] not in shown(html)
    assert len(shown(html)) == len(made) - 1
    assert "demo-b" not in html
    assert shown(page(client, f"{PATH}?model=demo-b/InferenceService/rag/qwen")) == []


@pytest.mark.parametrize(
    ("rows", "asked", "says"),
    [
        pytest.param("", "", "No cluster yet", id="no cluster"),
        pytest.param("cluster", "", "No start seen yet", id="no start at all"),
        pytest.param("old", "", "No start in this time", id="none in this range"),
        pytest.param("old", "?node=x&range=90d", "No start matches", id="none for the filters"),
        pytest.param("elsewhere", "", "No start seen yet", id="none in scope"),
    ],
)
def test_an_empty_list_says_what_to_do(
    client: Client, now: datetime, rows: str, asked: str, says: str
) -> None:
    client.force_login(make_user(role="viewer", namespaces=["chat"]))
    if rows:
        make_cluster(now=now)
    if rows == "old":
        make_start(make_model(), started_at=now - timedelta(days=60))
    if rows == "elsewhere":
        make_start(make_model(namespace="rag"), started_at=now - timedelta(minutes=1))
    html = page(client, f"{PATH}{asked}")
    assert says in html
    assert 'class="button' in html or "admin can add one" in html


def test_a_failure_is_told_in_words_and_hostile_text_is_escaped(
    admin: Client, now: datetime
) -> None:
    make_cluster(now=now)
    make_start(
        make_model(HOSTILE),
        started_at=now - timedelta(minutes=5),
        outcome="failed",
        failure_class="image-pull",
        failure_reason=HOSTILE,
        node=HOSTILE,
        revision=HOSTILE,
        trigger=HOSTILE[:20],
        start_mode=HOSTILE[:20],
    )
    html = page(admin)
    assert "the image cannot be pulled: " in html
    assert escape(HOSTILE) in html
    assert HOSTILE[:20] not in html


def test_bars_share_one_scale_that_one_very_long_start_does_not_spoil(
    admin: Client, now: datetime
) -> None:
    make_cluster(now=now)
    model = make_model()
    for n in range(5):
        make_start(model, [("load-engine", 100.0)], started_at=now - timedelta(minutes=n + 1))
    long = make_start(model, [("schedule", 5000.0)], started_at=now - timedelta(hours=3))
    html = page(admin)
    assert "A whole bar is 5:00 long" in html
    assert html.count("goes-on") == 1
    row = html[html.index(f'<tr id="start-{long.pk}"') :]
    assert "goes-on" in row[: row.index("</tr>")]


def test_a_late_cluster_is_named(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    make_cluster("demo-b", now=now - timedelta(minutes=5), state="unreachable")
    html = page(admin)
    assert "Starts of these clusters may be missing or old" in html
    assert "demo-b" in html[html.index("may be missing") :]


def test_the_number_of_queries_does_not_grow_with_the_rows(admin: Client, now: datetime) -> None:
    make_cluster(now=now)
    counts = []
    for _ in range(2):
        for n in range(10):
            model = make_model(f"model-{n}")
            make_start(model, started_at=now - timedelta(minutes=n + 1))
            make_start(model, outcome="running", started_at=now - timedelta(seconds=n))
        with CaptureQueriesContext(connection) as queries:
            page(admin)
        counts.append(len(queries))
        ServedModel.objects.all().delete()
    assert counts[0] == counts[1]
    assert counts[0] <= 14


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan of SQLite")
@pytest.mark.parametrize("clusters", [None, {"demo-a"}, {"demo-a", "demo-b"}])
@pytest.mark.parametrize(
    ("asked", "index"),
    [
        pytest.param("", "newest", id="the default view"),
        pytest.param("range=90d&trigger=restart", "newest", id="by a column without an index"),
        pytest.param("range=90d&node=gpu-1", "of_node", id="by node"),
        pytest.param("range=90d&revision=llama-00002", "of_revision", id="by revision"),
        pytest.param("cluster=demo-a", "newest", id="by cluster"),
        pytest.param("cluster=demo-a&namespace=chat", "of_namespace", id="by namespace"),
        pytest.param("outcome=failed", "by_outcome", id="by outcome"),
        pytest.param("team=search&q=llama", "of_model_uid", id="by the labels of few models"),
        pytest.param("model=demo-a/InferenceService/chat/llama", "of_model", id="of a model"),
    ],
)
def test_a_page_is_read_in_the_order_of_an_index(
    now: datetime, clusters: set[str] | None, asked: str, index: str
) -> None:
    make_model("llama")
    scope = None if clusters is None else frozenset(clusters)
    grant = Grant(who="x", role=Role.ADMIN, clusters=scope)
    query = StartsQuery.read(QueryDict(asked), now=now)
    plan = starts_found(query, grant).newest_first()[:51].explain()
    assert f"SEARCH fleet_coldstart USING INDEX cold_starts_{index} " in plan
    assert "SCAN fleet_coldstart" not in plan
    # Starts of few models are few: those are put in order.
    assert index == "of_model_uid" or "USE TEMP B-TREE FOR ORDER BY" not in plan
