"""Percentiles of kept lengths, and what remains of a start."""

import pytest

from fleet.domain.coldstart.remaining import Remaining, percentile, remaining


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


@pytest.mark.parametrize(
    ("totals_s", "elapsed_s", "left"),
    [
        pytest.param([], 1.0, Remaining(p50_s=None, p95_s=None), id="nothing to compare with"),
        pytest.param([60.0] * 5, 20.0, Remaining(p50_s=40.0, p95_s=40.0), id="all took as long"),
        pytest.param(
            [10.0, 60.0, 100.0], 20.0, Remaining(p50_s=60.0, p95_s=78.0), id="shorter ones are out"
        ),
        pytest.param([60.0], 60.0, Remaining(p50_s=None, p95_s=None), id="longer than any before"),
    ],
)
def test_what_remains(totals_s: list[float], elapsed_s: float, left: Remaining) -> None:
    assert remaining(totals_s, elapsed_s=elapsed_s) == left
