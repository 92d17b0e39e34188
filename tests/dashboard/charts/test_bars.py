"""A start as a bar: what is drawn how wide, and what stands under it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from dashboard.charts.bars import start_bar
from dashboard.charts.spoken import age_text, clock_text
from tests.factories import NOW, start_shape

TWO = (("schedule", 10.0), ("load-engine", 30.0))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(None, "–", id="not known"),
        pytest.param(0.84, "0.8 s", id="tenths under ten seconds"),
        pytest.param(38.4, "38 s", id="whole seconds under a minute"),
        pytest.param(59.7, "1:00", id="rounded before it is split"),
        pytest.param(84, "1:24", id="minutes"),
        pytest.param(7390, "2:03:10", id="hours"),
        pytest.param(-3, "0.0 s", id="never below zero"),
    ],
)
def test_clock_text(seconds: float | None, text: str) -> None:
    assert clock_text(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.81, "0.8 s"), (41.9, "41 s"), (400, "6 min"), (3 * 3600, "3 h"), (3 * 86400, "3 d")],
)
def test_age_text(seconds: float, text: str) -> None:
    assert age_text(seconds) == text


def test_a_finished_start_fills_its_bar() -> None:
    bar = start_bar(start_shape(TWO), now=NOW + timedelta(hours=1))
    assert [(s.phase, s.x, s.width) for s in bar.segments] == [
        ("schedule", 0, 25),
        ("load-engine", 25, 75),
    ]
    assert (bar.total_s, bar.running, str(bar.doing)) == (40, False, "cached image")


def test_an_unfinished_start_is_drawn_against_its_expected_length() -> None:
    start = start_shape(TWO, outcome="running")
    bar = start_bar(start, now=NOW + timedelta(seconds=20), expected_s=80.0)
    assert [(s.x, s.width, s.to_s) for s in bar.segments] == [(0, 12.5, 10), (12.5, 12.5, None)]
    assert str(bar.doing) == "loading the engine"


def test_past_its_expected_length_it_keeps_some_room() -> None:
    start = start_shape(TWO, outcome="running")
    bar = start_bar(start, now=NOW + timedelta(seconds=200), expected_s=80.0)
    assert bar.scale_s == pytest.approx(230)


def test_what_comes_after_ready_is_drawn_too() -> None:
    bar = start_bar(start_shape((*TWO, ("route", 10.0)), total_s=40.0), now=NOW)
    assert (bar.total_s, bar.scale_s) == (40, 50)


def test_a_route_that_was_never_seen_to_end_is_not_drawn() -> None:
    start = start_shape((*TWO, ("route", 10.0)), outcome="partial", total_s=None)
    start["phases"][-1]["ended_at"] = None
    bar = start_bar(start, now=NOW + timedelta(hours=1))
    assert [s.phase for s in bar.segments] == ["schedule", "load-engine"]
    assert bar.total_s == 40


def test_a_failed_start_still_in_a_phase_is_drawn_as_long_as_was_told() -> None:
    start = start_shape(TWO, outcome="failed")
    start["phases"][-1]["ended_at"] = None
    bar = start_bar(start, now=NOW + timedelta(hours=1))
    assert bar.segments[-1].seconds == 30


def test_a_very_short_phase_is_still_seen() -> None:
    bar = start_bar(start_shape((("decide", 0.01), ("load-engine", 1000.0))), now=NOW)
    assert bar.segments[0].width == 0.6


@pytest.mark.parametrize(
    ("fields", "doing"),
    [
        pytest.param(
            {"outcome": "failed", "ended_in_phase": "schedule"},
            "waiting for a node",
            id="a failed start says where it stood",
        ),
        pytest.param({"outcome": "aborted"}, "cached image", id="an aborted one its start mode"),
        pytest.param({"start_mode": "new"}, "new", id="an unknown word is shown as it is"),
    ],
)
def test_the_line_under_the_bar(fields: dict[str, Any], doing: str) -> None:
    assert str(start_bar(start_shape(TWO, **fields), now=NOW).doing) == doing


def test_a_start_without_any_phase_has_an_empty_bar() -> None:
    bar = start_bar(start_shape((), outcome="running"), now=NOW)
    assert (bar.segments, bar.total_s, str(bar.doing)) == ((), 0, "nothing seen yet")


def test_a_segment_tells_its_length_its_error_and_its_source() -> None:
    bar = start_bar(start_shape(TWO), now=NOW)
    assert bar.segments[1].says == "load engine 30 s ± 0.5 s · events"


def test_sub_phases_stand_below_what_they_lie_within() -> None:
    start = start_shape(TWO)
    start["phases"][1]["parts"] = [
        {"part": "engine_init", "seconds": 20.0, "within": ""},
        {"part": "compile_total", "seconds": 8.0, "within": "engine_init"},
        {"part": "compile_dynamo", "seconds": 3.0, "within": "compile_total"},
        {"part": "of_a_later_release", "seconds": 1.0},
    ]
    *_, loading = start_bar(start, now=NOW).segments
    assert [(str(part.label), part.seconds, part.depth) for part in loading.parts] == [
        ("initialise the engine", 20.0, 1),
        ("compile", 8.0, 2),
        ("trace (Dynamo)", 3.0, 3),
        ("of_a_later_release", 1.0, 1),
    ]
