"""Timeline, draws, durations, rollouts and decisions: values in, values out."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from simulator.world.draws import Draws
from simulator.world.knative.deciding import Bounds, Decider
from simulator.world.knative.names import seconds_of
from simulator.world.rollout import Bounds as RolloutBounds
from simulator.world.rollout import Wish, bounds_of, next_sizes
from simulator.world.shapes import go_duration
from simulator.world.timeline import Timeline
from tests.simulator.world.worlds import START


def test_calls_come_in_the_order_of_their_time_and_speed_shortens_stages() -> None:
    timeline, seen = Timeline(START, speed=10.0), list[str]()
    timeline.after_real(5, lambda: seen.append("real 5 s"))
    timeline.after(20, lambda: seen.append("stage of 20 s"))
    timeline.after(1, lambda: seen.append("dropped")).cancel()
    timeline.run_for(6)
    assert seen == ["stage of 20 s", "real 5 s"]
    assert timeline.now() == START + timedelta(seconds=6)


async def test_a_call_that_fails_is_reported_and_does_not_end_the_time() -> None:
    loop, reported = asyncio.get_running_loop(), list[str]()
    loop.set_exception_handler(lambda _, said: reported.append(type(said["exception"]).__name__))
    timeline, came = Timeline(datetime.now(UTC)), asyncio.Event()
    timeline.after_real(0, lambda: list[None]().pop())
    timeline.after_real(0, came.set)
    timeline.go_live(loop)
    await asyncio.wait_for(came.wait(), timeout=30)
    timeline.stop()
    assert reported == ["IndexError"]


def test_the_same_seed_draws_the_same_whatever_else_is_drawn() -> None:
    first, second = Draws(7, "a"), Draws(7, "a")
    second.uniform("something else", 0, 1)
    assert first.around("load/x", 10.0) == second.around("load/x", 10.0)
    assert first.around("load/x", 10.0) != Draws(8, "a").around("load/x", 10.0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(0.89, "890ms", id="under a second"),
        pytest.param(4.1, "4.1s", id="no trailing zeros"),
        pytest.param(7.0, "7s", id="whole seconds"),
        pytest.param(62.345, "1m2.345s", id="minutes"),
        pytest.param(3605.0, "1h0m5s", id="hours"),
    ],
)
def test_durations_read_as_go_prints_them(seconds: float, text: str) -> None:
    assert go_duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("10m", 600), ("1h30m", 5400), ("", 600), ("nonsense", 600)],
)
def test_progress_deadlines_are_read(text: str, seconds: int) -> None:
    assert seconds_of(text, 600) == seconds


@pytest.mark.parametrize(
    ("current", "others", "sizes"),
    [
        pytest.param(Wish(0, 0), [], [1], id="a new one gets all"),
        pytest.param(Wish(0, 0), [Wish(1, 1)], [1, 1], id="surge first, the old one serves on"),
        pytest.param(Wish(1, 0), [Wish(1, 1)], [1, 1], id="the old one waits for the new"),
        pytest.param(Wish(1, 1), [Wish(1, 1)], [1, 0], id="the new one is there"),
        pytest.param(Wish(1, 0), [Wish(1, 0)], [1, 0], id="an unready old one goes at once"),
    ],
)
def test_a_rollout_of_one_replica(current: Wish, others: list[Wish], sizes: list[int]) -> None:
    assert next_sizes(current, others, RolloutBounds(1, 1, 0)) == sizes


def test_percentages_round_up_for_surge_and_down_for_missing() -> None:
    rolling = {"maxSurge": "25%", "maxUnavailable": "25%"}
    spec = {"replicas": 2, "strategy": {"rollingUpdate": rolling}}
    assert bounds_of({"spec": spec}) == RolloutBounds(2, 1, 0)


@pytest.mark.parametrize(
    ("calls", "target", "desired"),
    [
        pytest.param(0, 4.0, 0, id="nobody"),
        pytest.param(1, 4.0, 1, id="one call"),
        pytest.param(1, 1.0, 2, id="one call at target 1: 70 % of one is less than one"),
        pytest.param(9, 4.0, 4, id="nine calls"),
    ],
)
def test_a_wake_is_decided_by_the_calls_held(calls: int, target: float, desired: int) -> None:
    decider = Decider(target, 60.0)
    decider.wake(calls)
    assert decider.desired == desired


def test_the_window_averages_and_a_peak_panics() -> None:
    decider = Decider(4.0, 60.0)
    for _ in range(30):
        decider.observe(0, 1)
    assert decider.desired == 0
    for _ in range(3):
        decider.observe(20, 1)
    assert decider.desired >= 4


@pytest.mark.parametrize(
    ("desired", "bounds", "wanted"),
    [
        pytest.param(0, Bounds(low=1, high=0, activation=0), 1, id="the floor"),
        pytest.param(9, Bounds(low=0, high=3, activation=0), 3, id="the ceiling"),
        pytest.param(1, Bounds(low=0, high=5, activation=3), 3, id="activation scale"),
        pytest.param(0, Bounds(low=0, high=5, activation=3), 0, id="zero stays zero"),
    ],
)
def test_bounds_hold(desired: int, bounds: Bounds, wanted: int) -> None:
    assert bounds.clamp(desired) == wanted
