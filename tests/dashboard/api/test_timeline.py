"""The timeline: replicas at even steps and what happened, oldest first."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from dashboard.api import timeline
from dashboard.api.series import Life, Wish, moments, ready_counts, wished_counts
from tests.dashboard.api import rows
from tests.dashboard.api.conftest import Get

PATH = f"models/{rows.PILOT}/timeline"
AT = [rows.ago(seconds) for seconds in (30, 20, 10, 0)]


@pytest.mark.parametrize(
    ("lives", "counts"),
    [
        pytest.param([], [0, 0, 0, 0], id="no replica"),
        pytest.param([(20, None)], [0, 1, 1, 1], id="ready from its moment on"),
        pytest.param([(100, 10)], [1, 1, 0, 0], id="gone from its moment on"),
        pytest.param([(25, 15), (12, None)], [0, 1, 1, 1], id="one after the other"),
        pytest.param([(100, None), (15, None)], [1, 1, 2, 2], id="two at once"),
        pytest.param([(10, 20)], [0, 0, 0, 0], id="gone before it was ready (clocks differ)"),
    ],
)
def test_ready_counts(lives: list[tuple[float, float | None]], counts: list[int]) -> None:
    given = [
        Life(ready_at=rows.ago(ready), gone_at=None if gone is None else rows.ago(gone))
        for ready, gone in lives
    ]
    assert ready_counts(given, AT) == counts


@pytest.mark.parametrize(
    ("wishes", "counts"),
    [
        pytest.param([], [None, None, None, None], id="nothing known is not 0"),
        pytest.param([("a", 20, 1)], [None, 1, 1, 1], id="known from the first wish on"),
        pytest.param([("a", 99, 2), ("a", 10, 0)], [2, 2, 0, 0], id="the newest wish counts"),
        pytest.param([("a", 99, 1), ("b", 20, 2)], [1, 3, 3, 3], id="revisions add up"),
        pytest.param([("a", 10, 0), ("a", 99, 2)], [2, 2, 0, 0], id="in any order"),
    ],
)
def test_wished_counts(wishes: list[tuple[str, float, int]], counts: list[int | None]) -> None:
    given = [Wish(revision=name, at=rows.ago(s), count=count) for name, s, count in wishes]
    assert wished_counts(given, AT) == counts


def test_the_last_moment_is_the_end_itself() -> None:
    at = moments(rows.ago(25), rows.NOW, step_s=10)
    assert at == [rows.ago(25), rows.ago(15), rows.ago(5), rows.NOW]


def test_a_models_past_hour(get: Get) -> None:
    rows.served_model()
    rows.revision()
    rows.replica(ready_s=900)
    rows.scale_event(at_s=7200, from_count=0, to_count=1)
    rows.scale_event(at_s=1000, from_count=1, to_count=2, change="up")
    rows.probe_failure(at_s=950)
    rows.action(at_s=1100)
    status, body = get(PATH, since="2026-11-30T11:00:00Z", step=600)
    assert status == 200
    assert body["step_s"] == 600
    assert [(p["desired"], p["ready"]) for p in body["replicas"]] == [
        (1, 0), (1, 0), (1, 0), (1, 0), (1, 0), (2, 1), (2, 1),
    ]  # fmt: skip
    assert body["replicas"][-1]["at"] == "2026-11-30T12:00:00Z"
    assert [event["to"] for event in body["scale_events"]] == [2]
    assert [one["count"] for one in body["probe_failures"]] == [9]
    assert [one["name"] for one in body["revisions"]] == ["pilot-00001"]
    assert [one["by"] for one in body["actions"]] == ["olga"]
    assert body["cut"] == []


def test_a_revision_that_is_gone_wants_nothing(get: Get) -> None:
    rows.served_model()
    rows.scale_event(at_s=3000, to_count=2)
    rows.revision(gone_at=rows.ago(1000))
    _, body = get(PATH, since="2026-11-30T11:10:00Z", step=1500)
    assert [point["desired"] for point in body["replicas"]] == [2, 2, 0]


def test_lists_that_are_too_long_keep_the_newest_and_say_so(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "MOST_EVENTS", 2)
    rows.served_model()
    for at_s in (30, 20, 10):
        rows.probe_failure(at_s=at_s, count=int(at_s))
    _, body = get(PATH)
    assert [one["count"] for one in body["probe_failures"]] == [20, 10]
    assert body["cut"] == ["probe_failures"]


def test_without_bounds_it_is_the_last_six_hours(get: Get) -> None:
    rows.served_model()
    _, body = get(PATH)
    assert (body["since"], body["until"]) == ("2026-11-30T06:00:00Z", "2026-11-30T12:00:00Z")
    assert body["step_s"] == 90
    assert len(body["replicas"]) == 241


@pytest.mark.parametrize(
    ("query", "where"),
    [
        pytest.param({"since": "2026-11-30T12:00:00Z"}, "since", id="an empty span"),
        pytest.param({"since": "2026-11-30T13:00:00Z"}, "since", id="begins after its end"),
        pytest.param({"since": "2026-11-01T12:00:00Z", "step": 1}, "step", id="too fine"),
        pytest.param({"step": 0}, "step", id="no step"),
        pytest.param({"step": "nan"}, "step", id="not a number"),
    ],
)
def test_spans_that_cannot_be_are_refused(get: Get, query: dict[str, Any], where: str) -> None:
    rows.served_model()
    status, problem = get(PATH, **query)
    assert status == 422
    assert where in problem["detail"]


def test_a_long_span_takes_a_long_step(get: Get) -> None:
    rows.served_model()
    since = (rows.NOW - timedelta(days=365)).isoformat()
    status, body = get(PATH, since=since)
    assert (status, body["step_s"]) == (200, 131400)
