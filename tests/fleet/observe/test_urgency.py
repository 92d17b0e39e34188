"""Which models are looked at, when and why."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from fleet.observe.urgency import Flight, Standing, Why, advice_due, due, trouble
from tests.factories import NOW

CALM = Standing(
    state="Warm",
    changed_at=NOW - timedelta(hours=1),
    diagnosed_at=NOW - timedelta(hours=1),
)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def flight(seconds: float, late: str = "on-time") -> Flight:
    return Flight(started_at=ago(seconds), late=late)


@pytest.mark.parametrize(
    ("standing", "why"),
    [
        pytest.param({}, None, id="a warm model without errors"),
        pytest.param({"state": "Cold"}, None, id="asleep on purpose"),
        pytest.param({"state": "Failing"}, Why.FAILING, id="failing"),
        pytest.param({"state": "Failing", "incident": True}, Why.FAILING, id="the worst first"),
        pytest.param({"incident": True}, Why.INCIDENT, id="callers get errors"),
        pytest.param({"state": "Degraded"}, Why.DEGRADED, id="serving with errors"),
        pytest.param({"lost": 1}, Why.ERRORS, id="a single 5xx of the last minutes"),
        pytest.param({"flights": (flight(5),)}, None, id="an ordinary start, just begun"),
        pytest.param({"flights": (flight(31),)}, Why.START_SLOW, id="a start of half a minute"),
        pytest.param({"flights": (flight(9, "late"),)}, Why.START_LATE, id="a late start"),
        pytest.param({"probes": 2}, Why.PROBES, id="probes fail while it serves"),
        pytest.param({"finding": True}, Why.RECOVERED, id="its trouble is over"),
    ],
)
def test_what_is_trouble(standing: dict[str, object], why: Why | None) -> None:
    assert trouble(replace(CALM, **standing), now=NOW) is why  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "diagnosed", "looked_at"),
    [
        pytest.param(0, None, True, id="at once, when nobody looked yet"),
        pytest.param(1, 9, False, id="not twice in ten seconds, whatever changes"),
        pytest.param(1, 10, True, id="ten seconds after the last look, as something changed"),
        pytest.param(90, 59, False, id="nothing changed since the last look"),
        pytest.param(90, 60, True, id="at the latest after a minute"),
    ],
)
def test_a_failing_model_is_looked_at(
    changed: float, diagnosed: float | None, looked_at: bool
) -> None:
    standing = replace(
        CALM,
        state="Failing",
        changed_at=ago(changed),
        diagnosed_at=None if diagnosed is None else ago(diagnosed),
    )
    assert due(standing, now=NOW) is (Why.FAILING if looked_at else None)


@pytest.mark.parametrize(
    ("changed", "diagnosed", "looked_at"),
    [
        pytest.param(1, 29, False, id="what may end well waits longer"),
        pytest.param(1, 30, True, id="half a minute after the last look"),
        pytest.param(300, 119, False, id="and longer still when nothing changes"),
        pytest.param(300, 120, True, id="two minutes at the latest"),
    ],
)
def test_a_slow_start_is_looked_at(changed: float, diagnosed: float, looked_at: bool) -> None:
    standing = replace(
        CALM, flights=(flight(400),), changed_at=ago(changed), diagnosed_at=ago(diagnosed)
    )
    assert due(standing, now=NOW) is (Why.START_SLOW if looked_at else None)


@pytest.mark.parametrize(
    ("mark", "linted", "why"),
    [
        pytest.param("m", None, Why.FIRST, id="never looked at"),
        pytest.param("other", 60, Why.SETTINGS, id="settings or figures changed"),
        pytest.param("other", 5, None, id="they change, but it was just read"),
        pytest.param("m", 5 * 3600, None, id="nothing changed for hours"),
        pytest.param("m", 6 * 3600, Why.AGAIN, id="now and then all the same"),
    ],
)
def test_settings_are_judged(mark: str, linted: float | None, why: Why | None) -> None:
    at = None if linted is None else ago(linted)
    assert advice_due(mark=mark, linted_for="m", linted_at=at, now=NOW) is why
