"""States by 5xx: what the objects say, and what callers got."""

import pytest

from fleet.domain.ledger.delta import State
from fleet.domain.requests.records import Hop, Tally
from fleet.domain.requests.shown import errors_json
from fleet.domain.requests.states import Thresholds, Told, shown


def said(state: State, requests: int | None, lost: int, *, ready: int = 1) -> str:
    """The state that is shown, with its code where errors made it."""
    errors = {(Hop.CONTAINER, 500): lost} if lost else {}
    told = Told(state=state, code="told", params={})
    figures = errors_json([Tally(requests=requests, errors=errors)], none=Tally())
    found = shown(told, figures, ready=ready, thresholds=Thresholds())
    return found.state if found.code == "told" else f"{found.state} {found.code}"


@pytest.mark.parametrize(
    ("told", "requests", "lost", "ready", "expected"),
    [
        pytest.param(State.WARM, 1000, 0, 1, "Warm", id="no errors"),
        pytest.param(State.WARM, 100, 3, 1, "Degraded some-errors", id="three in a hundred"),
        pytest.param(State.WARM, 100, 2, 1, "Warm", id="two are too few"),
        pytest.param(State.WARM, 1000, 9, 1, "Warm", id="under one in a hundred"),
        pytest.param(State.WARM, 10, 5, 1, "Failing mostly-errors", id="half of ten"),
        pytest.param(State.WARM, 9, 9, 1, "Degraded some-errors", id="too few to be failing"),
        pytest.param(State.WARM, 0, 0, 1, "Warm", id="no traffic"),
        pytest.param(State.WARM, None, 0, 1, "Warm", id="requests are not measured"),
        pytest.param(State.STARTING, 20, 20, 0, "Failing mostly-errors", id="nobody served"),
        pytest.param(State.STARTING, 100, 4, 0, "Starting", id="some lost while it starts"),
        pytest.param(
            State.COLD, 20, 20, 0, "Failing mostly-errors", id="asleep, yet asked in vain"
        ),
        pytest.param(State.STOPPED, 20, 20, 0, "Stopped", id="stopped by intent"),
        pytest.param(State.FAILING, 20, 20, 0, "Failing", id="its own reason tells more"),
        pytest.param(State.DEGRADED, 100, 5, 1, "Degraded", id="a failed start tells more"),
    ],
)
def test_states(told: State, requests: int | None, lost: int, ready: int, expected: str) -> None:
    assert said(told, requests, lost, ready=ready) == expected


def test_errors_that_are_not_measured_say_nothing() -> None:
    told = Told(state=State.WARM, code="ready", params={})
    assert shown(told, None, ready=1, thresholds=Thresholds()) == told


def test_thresholds_are_settings() -> None:
    told = Told(state=State.WARM, code="ready", params={})
    figures = errors_json([Tally(requests=100, errors={(Hop.CONTAINER, 500): 5})], none=Tally())
    strict = Thresholds(failing_share=0.05)
    assert shown(told, figures, ready=1, thresholds=strict).state is State.FAILING
