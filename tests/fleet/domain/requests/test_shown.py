"""What the fleet row says of requests."""

from datetime import UTC, datetime, timedelta

import pytest

from fleet.domain.records.keys import Mode
from fleet.domain.requests.records import Hop, RequestWindow, Tally
from fleet.domain.requests.shown import (
    Glance,
    errors_json,
    in_flight_at,
    is_measured,
    quiet,
    share,
    spark_json,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def window(ago_s: float, requests: int | None = 10, lost: int = 0) -> Glance:
    return Glance(NOW - timedelta(seconds=ago_s), requests, lost)


@pytest.mark.parametrize(
    ("requests", "lost", "found"),
    [
        pytest.param(0, 0, None, id="no traffic has no share"),
        pytest.param(None, 0, None, id="neither has what is not measured"),
        pytest.param(1000, 12, 0.012, id="of all requests"),
        pytest.param(3, 4, 1.0, id="never above all of them"),
    ],
)
def test_share(requests: int | None, lost: int, found: float | None) -> None:
    assert share(lost, requests) == found


@pytest.mark.parametrize(
    ("requests_at_least", "whole", "share_5xx"),
    [
        pytest.param(False, True, 0.1, id="all were counted"),
        pytest.param(True, True, None, id="some were counted by nobody"),
        pytest.param(False, False, None, id="some of the time was not read"),
    ],
)
def test_a_share_of_too_few_is_not_told(
    requests_at_least: bool, whole: bool, share_5xx: float | None
) -> None:
    tally = Tally(requests=10, errors={(Hop.INGRESS, 503): 1}, requests_at_least=requests_at_least)
    told = errors_json([tally], none=Tally(), whole=whole)
    assert (told["share_5xx"], told["requests_at_least"]) == (
        share_5xx,
        requests_at_least or not whole,
    )


def test_what_is_under_way_is_of_the_newest_window_alone() -> None:
    before, last = (
        RequestWindow(revision="", at=NOW - timedelta(seconds=ago_s), tally=Tally(in_flight=n))
        for ago_s, n in ((60, 9.0), (30, 2.0))
    )
    assert in_flight_at([before, last, last], NOW) == 4.0
    assert in_flight_at([before], NOW) is None
    assert errors_json([], none=Tally(), in_flight=4.0)["in_flight"] == 4.0


def test_hops_that_cannot_be_told_apart_are_null() -> None:
    errors = errors_json([], none=quiet(Mode.KNATIVE, frozenset({Hop.ACTIVATOR, Hop.PICKER})))
    assert errors["by_hop"] == {
        "ingress": None,
        "endpoint-picker": None,
        "activator": 0,
        "queue-proxy": None,
        "container": None,
    }
    assert (errors["requests"], errors["lost"], errors["share_5xx"]) == (0, 0, None)


@pytest.mark.parametrize(
    ("mode", "told", "seen", "measured"),
    [
        pytest.param(Mode.KNATIVE, {Hop.ACTIVATOR}, False, True, id="Knative, by the activator"),
        pytest.param(
            Mode.STANDARD, {Hop.ACTIVATOR}, False, False, id="Standard passes no activator"
        ),
        pytest.param(Mode.STANDARD, {Hop.INGRESS}, False, True, id="Standard, by the ingress"),
        pytest.param(Mode.LLM, {Hop.PICKER}, False, True, id="by the endpoint picker"),
        pytest.param(Mode.STANDARD, set(), True, True, id="series of its own were found"),
    ],
)
def test_where_requests_are_counted(mode: Mode, told: set[Hop], seen: bool, measured: bool) -> None:
    assert is_measured(mode, frozenset(told), seen=seen) is measured


def test_minutes_of_half_an_hour() -> None:
    spark = spark_json([window(30, 4, 1), window(60, 6), window(1770, 2)], until=NOW, unread=[])
    assert len(spark) == 30
    assert (spark[0], spark[1], spark[-1]) == ([2, 0], [0, 0], [10, 1])


def test_the_running_minute_is_shown_as_far_as_it_was_read() -> None:
    until = NOW + timedelta(seconds=30)
    spark = spark_json([window(0, 3), window(30, 4)], until=until, unread=[])
    assert spark[-2:] == [[4, 0], [3, 0]]


def test_a_minute_that_was_not_read_is_a_hole() -> None:
    hole = (NOW - timedelta(minutes=3), NOW - timedelta(minutes=1))
    spark = spark_json([window(150, 3)], until=NOW, unread=[hole])
    assert spark[-4:] == [[0, 0], [3, 0], None, [0, 0]]
