"""What happened between two readings of one page."""

import math

import pytest

from fleet.domain.requests.increments import increments

OLD, NEW, UNKNOWN = 0.0, 990.0, None


@pytest.mark.parametrize(
    ("before", "after", "started", "moved"),
    [
        pytest.param({"a": 3.0}, {"a": 5.0}, OLD, {"a": 2}, id="it grew"),
        pytest.param({"a": 3.0}, {"a": 3.0}, OLD, {}, id="nothing happened"),
        pytest.param({}, {"a": 4.0}, OLD, {"a": 4}, id="it appeared, and counts whole"),
        pytest.param({"a": 9.0}, {"a": 2.0}, OLD, {"a": 2}, id="it fell, and began anew"),
        pytest.param(
            {"a": 9.0, "b": 1.0},
            {"a": 2.0, "b": 3.0},
            OLD,
            {"a": 2, "b": 2},
            id="one fell: of the others that is not said",
        ),
        pytest.param({"a": 3.0, "b": 1.0}, {"b": 3.0}, OLD, {"b": 2}, id="one vanished: no sign"),
        pytest.param({"a": 3.0}, {}, OLD, {}, id="it vanished"),
        pytest.param({"a": 3.0}, {"a": math.nan}, OLD, {}, id="no number"),
        pytest.param({"a": 3.0}, {"a": math.inf}, OLD, {}, id="no finite number"),
        pytest.param({"a": 3.0}, {"a": 1e300}, OLD, {}, id="more than anybody answers"),
        pytest.param({"a": math.nan}, {"a": 2.0}, OLD, {"a": 2}, id="it was none before"),
        pytest.param({"a": 0.9999999}, {"a": 3.0000001}, OLD, {"a": 2}, id="floats are counts"),
        pytest.param(None, {"a": 1000.0}, OLD, {}, id="first reading of an old process"),
        pytest.param(None, {"a": 3.0}, NEW, {"a": 3}, id="first reading of a young process"),
        pytest.param(None, {"a": 3.0}, UNKNOWN, {}, id="first reading, age unknown"),
        pytest.param({}, {"a": 3.0}, UNKNOWN, {"a": 3}, id="read before, age of no matter"),
    ],
)
def test_increments(
    before: dict[str, float] | None,
    after: dict[str, float],
    started: float | None,
    moved: dict[str, int],
) -> None:
    assert increments(before, after, read_at=1000.0, process_started=started) == moved
