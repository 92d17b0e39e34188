"""How long a past may be asked to be."""

from __future__ import annotations

from argparse import ArgumentTypeError
from datetime import timedelta

import pytest

from simulator.past.length import as_text, length


@pytest.mark.parametrize(
    ("text", "past", "again"),
    [
        pytest.param("7d", timedelta(days=7), "7d", id="a week"),
        pytest.param("12h", timedelta(hours=12), "12h", id="half a day"),
        pytest.param("48h", timedelta(days=2), "2d", id="hours that are days"),
        pytest.param("0h", timedelta(0), "0h", id="none"),
        pytest.param("30d", timedelta(days=30), "30d", id="the longest"),
    ],
)
def test_days_and_hours(text: str, past: timedelta, again: str) -> None:
    assert (length(text), as_text(past)) == (past, again)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("7", id="no unit"),
        pytest.param("d", id="no number"),
        pytest.param("-1d", id="a future"),
        pytest.param("1.5d", id="no whole number"),
        pytest.param("7w", id="weeks"),
        pytest.param("31d", id="longer than a month"),
        pytest.param("٣d", id="digits of another script"),
    ],
)
def test_anything_else_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="days or hours up to 30d, as 7d or 12h"):
        length(text)
