"""Numbers of a report as people read them."""

from __future__ import annotations

import pytest

from dashboard.reports.bars import phase_bar
from dashboard.reports.texts import change_text, count_text, length_text, span_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        pytest.param(None, "–", id="not known"),
        pytest.param(0.0, "0 s", id="none"),
        pytest.param(119.4, "119 s", id="seconds"),
        pytest.param(120.0, "2 min", id="minutes"),
        pytest.param(7199.0, "120 min", id="still minutes"),
        pytest.param(7200.0, "2.0 h", id="hours"),
        pytest.param(4_000_000.0, "1,111.1 h", id="many hours"),
    ],
)
def test_span_text(seconds: float | None, text: str) -> None:
    assert span_text(seconds) == text


@pytest.mark.parametrize(
    ("change", "whole", "text"),
    [
        pytest.param(None, False, "", id="not known"),
        pytest.param(0.2, False, "±0", id="nothing to speak of"),
        pytest.param(30.0, False, "+30 s", id="more"),
        pytest.param(-7200.0, False, "−2.0 h", id="less"),
        pytest.param(-1234, True, "−1,234", id="a count"),
        pytest.param(0, True, "±0", id="the same count"),
    ],
)
def test_change_text(change: float | None, whole: bool, text: str) -> None:
    assert change_text(change, whole=whole) == text


def test_a_lower_bound_is_marked() -> None:
    assert count_text(1234, at_least=True) == "≥ 1,234"
    assert count_text(None, at_least=True) == "–"


def test_too_few_is_not_the_same_as_not_known() -> None:
    assert length_text(None, measured=4, enough=5) == "too few"
    assert length_text(None, measured=9, enough=5) == "–"
    assert length_text(84.0, measured=9, enough=5) == "1:24"


def test_a_bar_of_phases_on_a_scale() -> None:
    bar = phase_bar({"load-engine": 30.0, "decide": 10.0, "route": 99.0}, scale_s=80.0)
    assert bar is not None
    assert [(p.phase, p.x, p.width) for p in bar.pieces] == [
        ("decide", 0.0, 12.5),
        ("load-engine", 12.5, 37.5),
    ]
    assert bar.spoken == "load engine 30 s, decide 10 s"
    assert phase_bar({"route": 1.0}) is None
