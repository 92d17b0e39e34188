"""The benchmarks' own arithmetic, and that their document names each of them."""

from __future__ import annotations

import json

import pytest

from benchmarks.common import percentile, report, report_absent
from benchmarks.run import HERE, names


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        pytest.param([5.0], 0.95, 5.0, id="of one value"),
        pytest.param([1.0, 2.0, 3.0, 4.0], 0.5, 2.0, id="half of four"),
        pytest.param([float(n) for n in range(1, 101)], 0.95, 95.0, id="95 of a hundred"),
        pytest.param([float(n) for n in range(100, 0, -1)], 0.99, 99.0, id="in any order"),
        pytest.param([1.0, 2.0], 1.0, 2.0, id="all of them"),
    ],
)
def test_percentile(values: list[float], share: float, expected: float) -> None:
    assert percentile(values, share) == expected


@pytest.mark.parametrize(
    ("budget", "ok"),
    [
        pytest.param({"max": 3.0}, True, id="at the budget is within it"),
        pytest.param({"median": 2.0, "max": 2.9}, False, id="one figure over is a miss"),
        pytest.param({}, True, id="a reference has no budget"),
    ],
)
def test_a_figure_is_held_to_its_budget(
    budget: dict[str, float], ok: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report("x", [1.0, 2.0, 3.0], unit="ms", budget=budget) is ok
    line = json.loads(capsys.readouterr().out)
    assert (line["n"], line["median"], line["ok"]) == (3, 2.0, ok)


def test_what_was_not_taken_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    report_absent("x", because="no chromium")
    line = json.loads(capsys.readouterr().out)
    assert (line["ok"], line["note"]) == (None, "not taken: no chromium")


@pytest.mark.parametrize("name", names())
def test_the_document_names_it(name: str) -> None:
    assert f"| `{name}` |" in (HERE / "README.md").read_text()
