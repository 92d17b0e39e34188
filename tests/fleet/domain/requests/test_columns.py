"""Two programs count one call some windows apart: what one has too much cancels the other's."""

import pytest

from fleet.domain.requests.columns import least, less, made_here, plus


@pytest.mark.parametrize(
    ("answered", "received", "own"),
    [
        pytest.param([3], [1], [2], id="what was not received is its own"),
        pytest.param([0, 3], [3, 0], [0, 0], id="counted behind one window before"),
        pytest.param([3, 0], [0, 3], [0, 0], id="counted behind one window later"),
        pytest.param([0, 0, 3], [3, 0, 0], [0, 0, 0], id="two windows apart"),
        pytest.param([0, 0, 0, 3], [3, 0, 0, 0], [0, 0, 0, 3], id="three windows are too many"),
        pytest.param([2, 5, 0], [0, 3, 2], [2, 0, 0], id="the nearest first"),
        pytest.param([0], [4], [0], id="never below nothing"),
        pytest.param([], [], [], id="no windows"),
    ],
)
def test_made_here(answered: list[int], received: list[int], own: list[int]) -> None:
    assert made_here(answered, received) == own


def test_window_by_window() -> None:
    assert plus([1, 2], [3, 4], [5, 6]) == [9, 12]
    assert less([3, 1], [1, 3]) == [2, 0]
    assert least([3, 1], [1, 3]) == [1, 1]
