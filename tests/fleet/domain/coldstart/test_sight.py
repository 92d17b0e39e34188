"""Stamps and looks brought to one clock."""

import pytest

from fleet.domain.coldstart.sight import Sight, clock_ahead_s, moment


@pytest.mark.parametrize(
    ("sight", "prompt", "at", "error_s"),
    [
        pytest.param(Sight(100.0, 90.0, 100.4), True, 100.4, 0.25, id="watched as it happened"),
        pytest.param(Sight(100.0, 90.0, 105.0), True, 100.5, 0.5, id="told late: its cut second"),
        pytest.param(Sight(100.0, 90.0, 100.6), False, 100.3, 0.3, id="a status lags: between"),
        pytest.param(Sight(100.0, 100.8, 103.0), False, 100.9, 0.1, id="not before our last look"),
        pytest.param(Sight(100.25, None, 103.0), False, 100.25, 0.0, id="a stamp in microseconds"),
        pytest.param(Sight(None, None, 103.0), False, 103.0, 0.25, id="no stamp, no look before"),
        pytest.param(
            Sight(None, 101.0, 103.0), False, 102.0, 1.0, id="somewhere between two looks"
        ),
        pytest.param(Sight(None, 101.0, 103.0), True, 103.0, 0.25, id="no stamp, but prompt"),
    ],
)
def test_moments(sight: Sight, prompt: bool, at: float, error_s: float) -> None:
    found = moment(sight, prompt=prompt)
    assert found.at == pytest.approx(at)
    assert found.error_s == pytest.approx(error_s)
    assert not found.clamped


@pytest.mark.parametrize(
    ("sight", "clamped"),
    [
        pytest.param(Sight(105.0, 90.0, 100.0), True, id="told before it is said to have happened"),
        pytest.param(Sight(90.0, 95.0, 100.0), True, id="not there at a look after its stamp"),
        pytest.param(Sight(100.0, 90.0, 99.5), False, id="half a second is no contradiction"),
    ],
)
def test_contradictions_are_settled_by_the_message(sight: Sight, clamped: bool) -> None:
    found = moment(sight)
    assert (found.at, found.clamped) == (sight.by, clamped)


def test_a_known_offset_explains_a_stamp() -> None:
    found = moment(Sight(105.0, 99.0, 100.4), ahead_s=5.0, prompt=True)
    assert (found.at, found.clamped) == (100.4, False)


@pytest.mark.parametrize(
    ("low", "high", "lags", "ahead_s"),
    [
        pytest.param(0.0, 0.9, 10, 0.0, id="a good clock"),
        pytest.param(-5.1, -4.2, 1, 5.1, id="a message before its own time"),
        pytest.param(30.1, 30.9, 5, -30.1, id="evenly late: behind"),
        pytest.param(30.1, 30.9, 2, 0.0, id="too few to tell"),
        pytest.param(2.0, 9.0, 5, 0.0, id="unevenly late: catching up"),
    ],
)
def test_clocks(low: float, high: float, lags: int, ahead_s: float) -> None:
    assert clock_ahead_s(low, high, lags) == ahead_s
