"""Percentiles of kept lengths."""

import pytest

from fleet.domain.coldstart.remaining import percentile


@pytest.mark.parametrize(
    ("ordered", "share", "value"),
    [
        pytest.param([7.0], 0.95, 7.0, id="one value"),
        pytest.param([1.0, 2.0, 3.0], 0.5, 2.0, id="the middle one"),
        pytest.param([1.0, 2.0], 0.5, 1.5, id="between two"),
        pytest.param([float(n) for n in range(101)], 0.95, 95.0, id="the 95th of a hundred"),
        pytest.param([1.0, 9.0], 1.0, 9.0, id="the largest"),
    ],
)
def test_percentile(ordered: list[float], share: float, value: float) -> None:
    assert percentile(ordered, share) == pytest.approx(value)
