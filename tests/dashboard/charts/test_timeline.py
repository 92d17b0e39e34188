"""The chart's columns."""

from __future__ import annotations

from datetime import timedelta

import pytest

from dashboard.charts.timeline import timeline
from dashboard.ranges import TimeRange
from tests.factories import (
    NOW,
    make_model,
    make_probe_failure,
    make_revision,
    make_scale_event,
    make_start,
)

pytestmark = pytest.mark.django_db
WINDOW = TimeRange(since=NOW - timedelta(hours=1), until=NOW, said={})


def _ms(minutes_ago: int) -> int:
    return round((NOW - timedelta(minutes=minutes_ago)).timestamp() * 1000)


def test_the_wish_begins_with_what_stood_before_the_window() -> None:
    model = make_model()
    make_scale_event(model, 0, 2, at=NOW - timedelta(minutes=90))
    make_scale_event(model, 2, 0, at=NOW - timedelta(minutes=30))
    columns = timeline(model.key, WINDOW)
    assert columns["desired"] == {"at": [_ms(60), _ms(30), _ms(0)], "n": [2, 0, 0]}
    assert columns["scale"]["at"] == [_ms(30)]


def test_wishes_of_two_revisions_are_summed() -> None:
    model = make_model()
    make_scale_event(model, 0, 1, revision_uid="one", at=NOW - timedelta(minutes=20))
    make_scale_event(model, 0, 2, revision_uid="two", at=NOW - timedelta(minutes=10))
    assert timeline(model.key, WINDOW)["desired"]["n"] == [1, 3, 3]


def test_a_revision_that_is_gone_wants_nothing_though_no_event_said_so() -> None:
    model = make_model()
    old = make_revision(model, 1, uid="old", gone_at=NOW - timedelta(minutes=10))
    make_scale_event(model, 0, 2, revision_uid=old.uid, at=NOW - timedelta(minutes=20))
    make_scale_event(model, 0, 1, revision_uid="new", at=NOW - timedelta(minutes=15))
    columns = timeline(model.key, WINDOW)
    assert columns["desired"]["n"] == [2, 3, 1, 1]
    assert columns["scale"]["to"] == [2, 1]


def test_what_lies_before_the_window_or_belongs_to_another_model_is_left_out() -> None:
    model, other = make_model(), make_model("other")
    for row in (model, other):
        make_start(row, started_at=NOW - timedelta(minutes=20))
        make_start(row, started_at=NOW - timedelta(hours=2))
        make_probe_failure(row, 4, at=NOW - timedelta(minutes=5))
        make_revision(row, created_at=NOW - timedelta(minutes=40))
    columns = timeline(model.key, WINDOW)
    assert columns["starts"]["from"] == [_ms(20)]
    assert columns["starts"]["says"] == ["woken from zero, ready"]
    assert columns["probes"]["n"] == [4]
    assert columns["revisions"]["at"] == [_ms(40)]
    assert columns["actions"] == {"at": [], "says": []}


def test_a_start_in_flight_has_no_end() -> None:
    model = make_model()
    make_start(model, started_at=NOW - timedelta(minutes=1), outcome="running")
    assert timeline(model.key, WINDOW)["starts"]["to"] == [None]


def test_what_lies_after_a_range_in_the_past_is_left_out() -> None:
    model = make_model()
    for minutes in (90, 30):
        at = NOW - timedelta(minutes=minutes)
        make_start(model, started_at=at)
        make_probe_failure(model, 4, at=at)
        make_revision(model, created_at=at)
        make_scale_event(model, 0, minutes, at=at)
    past = TimeRange(since=NOW - timedelta(hours=2), until=NOW - timedelta(hours=1), said={})
    columns = timeline(model.key, past)
    assert columns["starts"]["from"] == columns["probes"]["at"] == columns["revisions"]["at"]
    assert columns["scale"]["at"] == [_ms(90)]
    assert columns["desired"] == {"at": [_ms(90), _ms(60)], "n": [90, 90]}
