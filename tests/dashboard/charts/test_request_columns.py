"""Requests as columns of the timeline."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from dashboard.charts.request_columns import bin_says, moments_of, request_columns, step_of
from dashboard.charts.request_history import request_history
from dashboard.ranges import TimeRange
from fleet.domain.requests.records import Hop, Tally
from fleet.models import Gap
from tests.factories import NOW, make_cluster, make_model, make_windows, told_tally

HOUR = TimeRange(since=NOW - timedelta(hours=1), until=NOW, said={})


def _ago(minutes: float) -> datetime:
    return NOW - timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("hours", "at_least_s", "step_s"),
    [
        pytest.param(1, 30, 30, id="an hour by windows"),
        pytest.param(6, 30, 120, id="six hours"),
        pytest.param(24, 30, 600, id="a day"),
        pytest.param(168, 3600, 3600, id="a week by hours"),
        pytest.param(720, 3600, 21600, id="a month"),
        pytest.param(0.1, 3600, 3600, id="never finer than what is kept"),
    ],
)
def test_the_length_of_a_bin(hours: float, at_least_s: int, step_s: int) -> None:
    assert step_of(hours * 3600, at_least_s=at_least_s) == step_s


def test_bins_touch_both_ends_and_are_aligned() -> None:
    window = TimeRange(since=_ago(5.2), until=_ago(0.1), said={})
    moments = moments_of(window, 60)
    assert (moments[0], moments[-1], len(moments)) == (_ago(6), _ago(1), 6)


@pytest.mark.django_db
def test_windows_become_bins_and_absent_ones_are_zero() -> None:
    make_cluster(metrics_read_to=NOW)
    model = make_model()
    held = told_tally({(Hop.ACTIVATOR, 504): 3}, requests=5, at_least=frozenset({Hop.ACTIVATOR}))
    make_windows(model, {_ago(20): held, _ago(10): told_tally(requests=7)})
    columns = request_columns(request_history(model.key, HOUR), HOUR)
    assert columns is not None
    assert (columns["step_ms"], len(columns["at"]), sum(columns["n"])) == (30_000, 120, 12)
    assert columns["n"][80] == 5
    assert columns["hops"] == [
        {"hop": "activator", "label": "activator", "n": [0] * 80 + [3] + [0] * 39}
    ]
    assert columns["says"][80] == "5 requests · activator ≥ 3 (504)"
    assert columns["unread"] == []


@pytest.mark.django_db
def test_what_was_not_read_is_no_zero() -> None:
    cluster = make_cluster(metrics_read_to=_ago(1))
    dark = {"resource": "metrics", "since": _ago(30), "until": _ago(20)}
    Gap.objects.create(cluster=cluster, why="unreachable", **dark)
    model = make_model()
    make_windows(model, {_ago(10): told_tally()})
    columns = request_columns(request_history(model.key, HOUR), HOUR)
    assert columns is not None
    assert columns["n"][59:81] == [0, *[None] * 20, 0]
    assert columns["n"][117:] == [0, None, None]
    spans = [(round((until - since) / 1000)) for since, until in columns["unread"]]
    assert spans == [600, 60]


@pytest.mark.django_db
@pytest.mark.parametrize("known", [True, False])
def test_without_any_reading_there_is_nothing_to_draw(known: bool) -> None:
    if known:
        make_cluster()
    model = make_model()
    assert request_columns(request_history(model.key, HOUR), HOUR) is None


@pytest.mark.django_db
def test_revisions_are_summed_in_a_bin() -> None:
    make_cluster(metrics_read_to=NOW)
    model = make_model()
    for name in ("one", "two"):
        erred = told_tally({(Hop.CONTAINER, 500): 1}, requests=10)
        make_windows(model, {_ago(10): erred}, revision=name)
    columns = request_columns(request_history(model.key, HOUR), HOUR)
    assert columns is not None
    assert columns["n"][100] == 20
    assert columns["hops"][0]["n"][100] == 2


@pytest.mark.django_db
def test_a_long_time_is_told_by_hours() -> None:
    make_cluster(metrics_read_to=NOW)
    model = make_model()
    week = TimeRange(since=NOW - timedelta(days=7), until=NOW, said={})
    make_windows(model, {_ago(90): told_tally(requests=4), _ago(100): told_tally(requests=3)})
    history = request_history(model.key, week)
    columns = request_columns(history, week)
    assert columns is not None
    assert not history.is_fine
    assert (columns["step_ms"], columns["n"][-2], sum(columns["n"])) == (3_600_000, 7, 7)


@pytest.mark.parametrize(
    ("tally", "says"),
    [
        pytest.param(Tally(requests=1), "1 request", id="one"),
        pytest.param(
            Tally(requests=1200, requests_at_least=True, client_gone=2),
            "≥ 1,200 requests · 2 callers left",
            id="a lower bound, and callers that left",
        ),
        pytest.param(
            Tally(errors={(Hop.CONTAINER, 503): 1, (Hop.INGRESS, 503): 2, (Hop.INGRESS, 504): 1}),
            "requests not counted · ingress 3 (503, 504), model container 1 (503)",
            id="hops from the caller on, with their codes",
        ),
        pytest.param(Tally(requests=2, queued=7.0), "2 requests · up to 7 waiting", id="queued"),
    ],
)
def test_a_bin_in_words(tally: Tally, says: str) -> None:
    assert bin_says(tally) == says
