"""Rows of starts as comparing takes them."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fleet.domain.coldstart.start import ColdStart as Start
from fleet.history.compared import Reading, of_model, with_phases, without_phases
from fleet.history.facts import keep_starts
from fleet.models import ColdStart
from tests.fleet.history.samples import KEY, UID, ago, start


@pytest.fixture
def kept(db: None) -> list[Start]:
    """Six starts, an hour apart, the newest an hour old."""
    starts = [start(number, total_s=10.0 + number) for number in range(6)]
    keep_starts(starts)
    return starts


def lengths(reading: Reading) -> list[float | None]:
    return [start.total_s for start in reading.starts]


def test_a_start_keeps_what_comparing_needs(kept: list[Start]) -> None:
    newest = of_model(KEY).starts[0]
    assert (newest.model, newest.model_uid, newest.cluster) == (str(KEY), UID, "one")
    assert (newest.outcome, newest.start_mode) == ("ready", "cached-image")
    assert newest.phases_s == {"load-engine": 10.0}
    assert newest.started_at == kept[0].started_at


def test_newest_first_and_no_more_than_asked_for(kept: list[Start]) -> None:
    reading = of_model(KEY, at_most=4)
    assert (lengths(reading), reading.cut) == ([10.0, 11.0, 12.0, 13.0], True)
    assert of_model(KEY, at_most=6).cut is False


@pytest.mark.parametrize(
    ("since_h", "until_h", "expected"),
    [
        pytest.param(None, None, [10, 11, 12, 13, 14, 15], id="without bounds, all"),
        pytest.param(3, None, [10, 11, 12], id="since is included"),
        pytest.param(None, 3, [13, 14, 15], id="until is not"),
    ],
)
def test_bounds(
    kept: list[Start], since_h: int | None, until_h: int | None, expected: list[float]
) -> None:
    since = None if since_h is None else ago(hours=since_h)
    until = None if until_h is None else ago(hours=until_h)
    assert lengths(of_model(KEY, since=since, until=until)) == expected


def test_one_query_whatever_is_asked_for(kept: list[Start]) -> None:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        of_model(KEY, since=kept[0].started_at - timedelta(days=1))
        without_phases(ColdStart.objects.all())
    assert len(asked) == 2


def test_phases_are_left_out_where_only_totals_count(kept: list[Start]) -> None:
    light = without_phases(ColdStart.objects.all()).starts[0]
    assert (light.phases_s, light.total_s) == ({}, 10.0)


def test_a_part_told_twice_counts_once(db: None) -> None:
    keep_starts([start(1)])
    row = ColdStart.objects.get()
    parts = [{"part": "weights_load", "seconds": 3.0}, {"part": "weights_load", "seconds": 5.0}]
    row.phases = [
        {"phase": "load-engine", "seconds": 20.0, "parts": parts},
        {"phase": "load-engine", "seconds": 10.0, "parts": []},
    ]
    row.save()
    read = with_phases(ColdStart.objects.all()).starts[0]
    assert (read.phases_s, read.parts_s) == ({"load-engine": 30.0}, {"weights_load": 5.0})
