"""Shares in words, and sparklines as paths."""

from __future__ import annotations

import pytest

from dashboard.charts.share import count_text, share_text
from dashboard.charts.spark import Minute, minute_share, spark


@pytest.mark.parametrize(
    ("share", "text"),
    [
        pytest.param(0, "0 %", id="none"),
        pytest.param(0.0004, "< 0.1 %", id="hardly any is not none"),
        pytest.param(0.0123, "1.2 %", id="one decimal below ten"),
        pytest.param(0.0994, "9.9 %", id="just below ten"),
        pytest.param(0.0996, "10 %", id="what rounds to ten has no decimal"),
        pytest.param(0.384, "38 %", id="whole from ten on"),
        pytest.param(0.9991, "> 99 %", id="almost all is not all"),
        pytest.param(1.0, "100 %", id="all"),
    ],
)
def test_a_share_in_words(share: float, text: str) -> None:
    assert share_text(share) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        pytest.param(0.0, "≥ 0 %", id="none seen"),
        pytest.param(0.0004, "> 0 %", id="never a tenth that was not reached"),
        pytest.param(0.0419, "≥ 4.1 %", id="cut, not rounded up"),
        pytest.param(0.29, "≥ 29 %", id="not one less by a binary fraction"),
        pytest.param(0.999, "≥ 99 %", id="almost all"),
    ],
)
def test_a_lower_bound_is_never_above_what_was_counted(share: float, text: str) -> None:
    assert share_text(share, at_least=True) == text


def test_counts() -> None:
    assert count_text(1200) == "1,200"
    assert count_text(3, at_least=True) == "≥ 3"


@pytest.mark.parametrize(
    ("minute", "share"),
    [
        pytest.param(None, None, id="not read"),
        pytest.param([0, 0], None, id="no traffic"),
        pytest.param([4, 1], 0.25, id="a share"),
        pytest.param([None, 2], 1.0, id="errors whose requests nobody counted are all there is"),
        pytest.param([1, 3], 1.0, id="never above all"),
    ],
)
def test_the_share_of_a_minute(minute: Minute, share: float | None) -> None:
    assert minute_share(minute) == share


def test_a_minute_that_was_not_read_leaves_a_hole() -> None:
    drawn = spark([[5, 0], None, [5, 5], [5, 5]])
    assert drawn is not None
    assert drawn.base == "M0 17h2M4 17h2h2"
    assert drawn.path == "M0 17h2M4 1h2h2"
    assert (drawn.unread, drawn.highest, drawn.width) == (1, 1.0, 8)


def test_a_hundredth_does_not_look_like_a_half() -> None:
    drawn = spark([[100, 0], [100, 1]])
    assert drawn is not None
    assert drawn.path == "M0 17h2V15h2"


@pytest.mark.parametrize("minutes", [[], [None, None]])
def test_nothing_read_is_nothing_drawn(minutes: list[Minute]) -> None:
    assert spark(minutes) is None


def test_half_an_hour_is_drawn_at_most() -> None:
    drawn = spark([[1, 1]] * 5 + [[1, 0]] * 30)
    assert drawn is not None
    assert (drawn.highest, drawn.width) == (0.0, 60)
