"""Requests lost to a start, in words."""

from __future__ import annotations

import pytest

from dashboard.lost_words import Lost, lost_text
from fleet.domain.requests.lost import lost_in


@pytest.mark.parametrize(
    ("lost", "count", "text"),
    [
        pytest.param(None, None, "not measured", id="not measured"),
        pytest.param({"activator": 0, "ingress": None}, 0, "none", id="none, where it can be told"),
        pytest.param({"activator": 12, "container": 0}, 12, "12 (activator 12)", id="one hop"),
        pytest.param(
            {"activator": 1200, "container": 3, "ingress": None},
            1203,
            "1,203 (activator 1200, model container 3)",
            id="two hops, and one that cannot be told",
        ),
        pytest.param({"<b>": 2}, 2, "2 (<b> 2)", id="a hop of another release"),
    ],
)
def test_lost(lost: Lost, count: int | None, text: str) -> None:
    assert (lost_in(lost), lost_text(lost)) == (count, text)
