"""Charts as values."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from django.template.loader import render_to_string

from dashboard.charts.figures import plain, seconds_axis, short_names
from dashboard.charts.over_time_figure import Mark, Point, over_time_figure
from dashboard.charts.spread_figure import Group, ecdf_figure, spread_figure
from tests.factories import HOSTILE

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        pytest.param(["a-predictor-00006", "a-predictor-00007"], ["00006", "00007"], id="numbers"),
        pytest.param(["gpu-1", "gpu-2"], ["gpu-1", "gpu-2"], id="hardly anything left"),
        pytest.param(["gpu-1", "gpu-12"], ["gpu-1", "gpu-12"], id="one begins as the other"),
        pytest.param(["alone-00001"], ["alone-00001"], id="one keeps its name"),
        pytest.param(["left", "right"], ["left", "right"], id="nothing in common"),
        pytest.param(["a-b", "a-b"], ["a-b", "a-b"], id="equal ones keep theirs"),
        pytest.param([], [], id="none"),
    ],
)
def test_short_names(names: list[str], short: list[str]) -> None:
    assert short_names(names) == short


@pytest.mark.parametrize(
    ("longest_s", "ticks"),
    [
        pytest.param(4.5, ["0 s", "1 s", "2 s", "3 s", "4 s"], id="seconds"),
        pytest.param(100.0, ["0 s", "15 s", "30 s", "45 s", "1:00", "1:15", "1:30"], id="minutes"),
        pytest.param(0.0, ["0 s", "1 s"], id="nothing to show"),
    ],
)
def test_an_axis_of_seconds_is_told_as_clocks_do(longest_s: float, ticks: list[str]) -> None:
    assert seconds_axis(longest_s)["ticktext"] == ticks


def test_few_starts_are_dots_and_enough_are_a_box() -> None:
    few = Group(name="m-00001", n=3, values_s=(60.0, 50.0, 70.0))
    many = Group(name="m-00002", n=25, box_s=(50.0, 60.0, 70.0, 80.0, 99.0))
    figure = spread_figure("by-revision", [few, many], says="…", what="Revision")
    dots, box = figure.traces
    assert dots["x"] == [50.0, 60.0, 70.0]
    assert len(set(dots["y"])) == 3
    assert (box["type"], box["median"], box["y"]) == ("box", [70.0], [1])
    assert figure.layout["yaxis"]["ticktext"] == ["00001 ", "00002 "]
    assert figure.rows == [
        ("m-00001", 3, "50 s", "–", "–", "1:10"),
        ("m-00002", 25, "–", "1:10", "1:39", "–"),
    ]


def test_a_curve_names_its_shares_in_the_table() -> None:
    points = [(10.0, 0.25), (20.0, 0.5), (40.0, 1.0)]
    figure = ecdf_figure("ecdf", {"all": points}, says="…", what="Start mode")
    assert figure.rows == [("all", "10 s", "20 s", "40 s", "40 s")]
    assert figure.traces[0]["x"] == [10.0, 20.0, 40.0]


def test_over_time_a_stretch_with_too_few_starts_breaks_the_lines_and_keeps_its_dots() -> None:
    points = [
        Point(since=NOW - 2 * DAY, until=NOW - DAY, n=2, p50_s=None, p95_s=None),
        Point(since=NOW - DAY, until=NOW, n=6, p50_s=60.0, p95_s=None),
    ]
    marks = [Mark(at=NOW - DAY / 2, kind="revision", says="m-00002")]
    dots = [(NOW - 1.5 * DAY, 80.0)]
    figure = over_time_figure(
        "over-time", points, dots, marks, since=NOW - 2 * DAY, until=NOW, says="…"
    )
    assert [trace["name"] for trace in figure.traces] == ["a start", "p50", "p95", "revision"]
    assert figure.traces[1]["y"] == [None, 60.0]
    assert figure.traces[3]["text"] == ["revision m-00002"]
    assert [row[2:] for row in figure.rows] == [
        (2, "–", "–", ""),
        (6, "1:00", "–", "revision m-00002"),
    ]


def test_names_from_clusters_are_text_in_the_page_and_in_the_chart() -> None:
    group = Group(name=HOSTILE, n=1, values_s=(5.0,))
    figure = spread_figure("hostile", [group], says=HOSTILE, what="Node")
    html = render_to_string("partials/chart.html", {"figure": figure})
    assert "<img" not in html
    assert "<img" not in json.dumps(figure.drawing, cls=DjangoJSONEncoder)
    assert plain("<b>&amp;</b>") == "‹b›＆amp;‹/b›"


def test_the_table_shows_moments_for_the_browser_to_make_local() -> None:
    points = [Point(since=NOW - DAY, until=NOW, n=0, p50_s=None, p95_s=None)]
    figure = over_time_figure("t", points, [], [], since=NOW - DAY, until=NOW, says="…")
    html = render_to_string("partials/chart.html", {"figure": figure})
    assert '<time datetime="2026-11-29T12:00:00.000Z"' in html
    assert '<script id="drawing-t" type="application/json">' in html
