"""How long starts took over time: each as a dot, p50 and p95 as lines, marks of what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from dashboard.charts.figures import Cell, Figure, Trace, ms, plain, seconds_axis
from dashboard.charts.spoken import clock_text
from dashboard.words import Words

# Symbols of marks, by the order in which their kinds are given.
SYMBOLS = ("triangle-up", "square", "diamond", "circle")
# More marks than these in one chart are a hatch, not a sign.
MOST_LINES = 30
LINES_PX = 240
LANE_PX = 18
# Above and below what is drawn: legend, labels of the axis.
EDGES_PX = 66


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One stretch of time. n: ready starts in it. p50_s, p95_s: None = too few."""

    since: datetime
    until: datetime
    n: int
    p50_s: float | None
    p95_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A first start with something new. kind: what it is, in words."""

    at: datetime
    kind: Words
    says: str


def over_time_figure(
    name: str,
    points: Sequence[Point],
    dots: Sequence[tuple[datetime, float]],
    marks: Sequence[Mark],
    *,
    since: datetime,
    until: datetime,
    says: Words,
) -> Figure:
    """dots: each start's moment and length, s."""
    told = [p.p95_s for p in points if p.p95_s is not None]
    longest_s = max([*(length for _at, length in dots), *told], default=1.0)
    lanes = len({str(mark.kind) for mark in marks})
    height = LINES_PX + LANE_PX * lanes
    return Figure(
        name=name,
        says=says,
        traces=[_dots(dots), *_lines(points), *_mark_traces(marks)],
        layout={
            "xaxis": {"type": "date", "range": [ms(since), ms(until)], "anchor": "y"},
            "yaxis": seconds_axis(longest_s, domain=[0, 1 - LANE_PX * lanes / (height - EDGES_PX)]),
            **({"yaxis2": _lanes(lanes, height), "shapes": _mark_lines(marks)} if marks else {}),
            "margin": {"l": 52, "r": 14, "t": 26, "b": EDGES_PX - 26},
        },
        columns=(_("From"), _("To"), _("Starts"), "p50", "p95", _("New")),
        rows=[_cells(point, marks) for point in points],
        height=height,
    )


def _lanes(lanes: int, height: int) -> dict[str, Any]:
    """The axis of the marks above the lines: a lane for each kind."""
    return {
        "domain": [1 - LANE_PX * lanes / (height - EDGES_PX), 1],
        "range": [lanes - 0.5, -0.5],
        "showticklabels": False,
        "showgrid": False,
        "showline": False,
    }


def _dots(dots: Sequence[tuple[datetime, float]]) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": _("a start"),
        "x": [ms(at) for at, _length in dots],
        "y": [length for _at, length in dots],
        "text": [clock_text(length) for _at, length in dots],
        "hovertemplate": "%{text} · %{x|%b %-d %H:%M}<extra></extra>",
        "marker": {"color": "--dim", "size": 5, "opacity": 0.7},
    }


def _lines(points: Sequence[Point]) -> list[Trace]:
    return [
        _line("p50", points, [p.p50_s for p in points], dash="solid"),
        _line("p95", points, [p.p95_s for p in points], dash="dot"),
    ]


def _line(
    name: str, points: Sequence[Point], values: Sequence[float | None], *, dash: str
) -> Trace:
    """Through the middles of the stretches; broken where too few starts were seen."""
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [(ms(p.since) + ms(p.until)) // 2 for p in points],
        "y": list(values),
        "text": [f"{name} {clock_text(v)}, n {p.n}" for v, p in zip(values, points, strict=True)],
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": "--ink", "width": 1.5, "dash": dash},
        "marker": {"color": "--ink", "size": 5},
    }


def _mark_traces(marks: Sequence[Mark]) -> list[Trace]:
    kinds = list(dict.fromkeys(str(mark.kind) for mark in marks))
    return [
        _mark_trace(kind, [m for m in marks if str(m.kind) == kind], lane=n)
        for n, kind in enumerate(kinds)
    ]


def _mark_trace(kind: str, marks: Sequence[Mark], *, lane: int) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": plain(kind),
        "yaxis": "y2",
        "x": [ms(mark.at) for mark in marks],
        "y": [lane] * len(marks),
        "text": [plain(f"{kind} {mark.says}") for mark in marks],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": "--ink", "size": 8, "symbol": SYMBOLS[lane % len(SYMBOLS)]},
    }


def _mark_lines(marks: Sequence[Mark]) -> list[dict[str, Any]]:
    return [
        {
            "type": "line",
            "x0": ms(mark.at),
            "x1": ms(mark.at),
            "yref": "paper",
            "y0": 0,
            "y1": 1,
            "line": {"color": "--line-strong", "width": 1, "dash": "dot"},
            "layer": "below",
        }
        for mark in marks[-MOST_LINES:]
    ]


def _cells(point: Point, marks: Sequence[Mark]) -> tuple[Cell, ...]:
    new = [f"{m.kind} {m.says}" for m in marks if point.since <= m.at < point.until]
    return (
        point.since,
        point.until,
        point.n,
        clock_text(point.p50_s),
        clock_text(point.p95_s),
        ", ".join(new),
    )
