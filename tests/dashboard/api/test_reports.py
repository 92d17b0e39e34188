"""Reports over the API: those made, and one week whole."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from fleet.domain.reports.week import Week
from fleet.models import Report
from fleet.reporting.weekly import make_again, make_report
from tests.dashboard.api import rows
from tests.dashboard.api.conftest import Get
from tests.factories import make_cluster, make_model, make_start

WEEK = Week(2026, 48)
MADE_AT = WEEK.until + timedelta(minutes=15)


@pytest.fixture
def _weeks(db: None) -> None:
    """Two models of two teams; the report of their week, made twice."""
    make_cluster(created_at=WEEK.before.since, last_proof_at=MADE_AT)
    for name, team, namespace in (("llama", "search", "chat"), ("qwen", "ads", "rag")):
        model = make_model(name, team=team, namespace=namespace, created_at=WEEK.before.since)
        for n in range(5):
            make_start(model, started_at=WEEK.since + timedelta(hours=n))
    make_report(WEEK, now=MADE_AT)
    make_again(WEEK, why="late starts", now=MADE_AT + timedelta(minutes=1))


@pytest.mark.usefixtures("_weeks")
def test_reports_made_newest_first(get: Get) -> None:
    status, body = get("reports", team="search")
    assert status == 200
    assert [(r["week"], r["revision"], r["why"]) for r in body["items"]] == [
        ("2026-W48", 2, "late starts"),
        ("2026-W48", 1, None),
    ]
    assert body["items"][0] == {
        "week": "2026-W48",
        "team": "search",
        "environment": None,
        "cluster": None,
        "revision": 2,
        "created_at": "2026-11-30T00:16:00Z",
        "why": "late starts",
        "url": "http://testserver/reports/2026-W48/?team=search&revision=2",
    }


@pytest.mark.usefixtures("_weeks")
def test_the_list_is_paged_and_asked_by_week(get: Get) -> None:
    _, first = get("reports", page_size=1)
    _, second = get("reports", page_size=1, cursor=first["next"])
    assert [r["revision"] for r in (*first["items"], *second["items"])] == [2, 1]
    assert second["next"] is None
    assert get("reports", week="2026-W47")[1]["items"] == []


@pytest.mark.usefixtures("_weeks")
@pytest.mark.parametrize(
    ("query", "starts"),
    [
        pytest.param({}, 10, id="the whole fleet"),
        pytest.param({"team": "ads"}, 5, id="a team"),
        pytest.param({"cluster": "nowhere"}, 0, id="an unknown cluster"),
        pytest.param({"revision": 1}, 10, id="an older revision"),
    ],
)
def test_one_week(get: Get, query: dict[str, Any], starts: int) -> None:
    status, body = get("reports/2026-W48", **query)
    assert status == 200
    assert body["this_week"]["starts"] == starts
    assert body["revision"] == query.get("revision", 2)
    assert body["last_week"]["starts"] == 0


@pytest.mark.usefixtures("_weeks")
def test_scope_leaves_nothing_of_others(client: Client) -> None:
    rows.token(rows.user("nora", namespaces=["rag"]), text="token-of-nora", role="viewer")
    asked = Client(headers={"Authorization": "Bearer token-of-nora"})
    response = asked.get("/api/v1/reports/2026-W48")
    assert response.json()["this_week"]["starts"] == 5
    assert b"llama" not in response.content
    assert b"search" not in response.content


@pytest.mark.usefixtures("_weeks")
def test_the_same_bytes_however_the_rows_change(client: Client) -> None:
    first = client.get("/api/v1/reports/2026-W48").content
    model = make_model("more")
    make_start(model, started_at=WEEK.since)
    assert client.get("/api/v1/reports/2026-W48").content == first


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        pytest.param("reports/2026-W60", 422, "W01 to W53", id="no such week"),
        pytest.param("reports/W1", 422, "like 2026-W48", id="no week at all"),
        pytest.param("reports/2026-W50", 404, "has not begun", id="a future week"),
        pytest.param("reports/2026-W48?revision=3", 404, "no report of revision 3", id="revision"),
        pytest.param("reports/2026-W48?revision=0", 422, "revision", id="revisions begin at 1"),
        pytest.param("reports?week=2026", 422, "like 2026-W48", id="no week to list"),
    ],
)
def test_wrong_input_is_said(get: Get, path: str, status: int, says: str) -> None:
    found, body = get(path)
    assert (found, body["status"]) == (status, status)
    assert says in body["detail"]


def test_a_week_before_anything_was_watched_has_no_figures(get: Get) -> None:
    status, body = get("reports/2026-W40")
    assert (status, body["this_week"], body["first_data_at"]) == (200, None, None)


def test_reading_makes_no_report(get: Get) -> None:
    make_cluster(created_at=WEEK.before.since)
    assert get("reports/2026-W48")[1]["revision"] is None
    assert Report.objects.count() == 0
