"""Durations as Go writes them."""

import pytest

from fleet.domain.records.durations import duration_s


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        pytest.param("1h0m5s", 3605.0, id="as Go prints them"),
        pytest.param("1.5m", 90.0, id="a fraction"),
        pytest.param(".5s", 0.5, id="a fraction alone"),
        pytest.param("890ms", 0.89, id="milliseconds"),
        pytest.param("250µs", 0.00025, id="microseconds"),
        pytest.param("", None, id="nothing"),
        pytest.param("600", None, id="no unit"),
        pytest.param("-5s", None, id="below nothing"),
        pytest.param("5s later", None, id="more than a duration"),
        pytest.param("x5s", None, id="something before it"),
        pytest.param("9" * 100_000, None, id="digits without end"),
    ],
)
def test_seconds(text: str, seconds: float | None) -> None:
    assert duration_s(text) == seconds
