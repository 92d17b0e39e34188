"""How long starts took, by group: dots while there are few, a box once there are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dashboard.charts.figures import Cell, Figure, Trace, plain, seconds_axis, short_names
from dashboard.charts.spoken import clock_text
from dashboard.words import Words

ROW_PX = 30
AROUND_PX = 52
# How far dots of equal length step aside, in rows.
ASIDE = (0.0, 0.18, -0.18, 0.3, -0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One row of the chart. values_s: each length, while there are too few for a box.

    box_s: p5, p25, p50, p75, p95; None = too few.
    """

    name: str
    n: int
    values_s: Sequence[float] = ()
    box_s: tuple[float, float, float, float, float] | None = None
    label: str = ""


def spread_figure(name: str, groups: Sequence[Group], *, says: Words, what: Words) -> Figure:
    """what: what the groups are, as the table's heading."""
    labels = [g.label or short for g, short in zip(groups, _short(groups), strict=True)]
    longest_s = max((_longest(group) for group in groups), default=1.0)
    return Figure(
        name=name,
        says=says,
        traces=[trace for n, group in enumerate(groups) for trace in _traces(group, n)],
        layout={
            "xaxis": seconds_axis(longest_s),
            "yaxis": _rows_axis([f"{plain(label)} " for label in labels]),
            "margin": {"l": 40, "r": 14, "t": 8, "b": 34},
            "showlegend": False,
        },
        columns=(what, _("Starts"), _("Shortest"), "p50", "p95", _("Longest")),
        rows=[_cells(group) for group in groups],
        height=AROUND_PX + ROW_PX * max(1, len(groups)),
    )


def ecdf_figure(
    name: str, curves: Mapping[str, Sequence[tuple[float, float]]], *, says: Words, what: Words
) -> Figure:
    """Shares of starts that took at most so long. curves: points (seconds, share) by group."""
    longest_s = max((point[0] for points in curves.values() for point in points), default=1.0)
    dashes = ("solid", "dash", "dot", "dashdot", "longdash")
    return Figure(
        name=name,
        says=says,
        traces=[
            _curve(group, points, dash=dashes[n % len(dashes)], faint=n >= len(dashes))
            for n, (group, points) in enumerate(curves.items())
        ],
        layout={
            "xaxis": seconds_axis(longest_s),
            "yaxis": {"range": [0, 1.02], "tickformat": ".0%", "dtick": 0.25},
            "margin": {"l": 52, "r": 14, "t": 26, "b": 34},
        },
        columns=(what, "p25", "p50", "p75", "p95"),
        rows=[(group, *_shares(points)) for group, points in curves.items()],
    )


def _short(groups: Sequence[Group]) -> list[str]:
    return short_names([group.name for group in groups])


def _rows_axis(labels: Sequence[str]) -> dict[str, Any]:
    return {
        "tickvals": list(range(len(labels))),
        "ticktext": list(labels),
        "range": [max(1, len(labels)) - 0.5, -0.5],
        "automargin": True,
        "showgrid": False,
    }


def _longest(group: Group) -> float:
    return max([*group.values_s, *(group.box_s or ())], default=0.0)


def _traces(group: Group, row: int) -> list[Trace]:
    return [_box(group, row)] if group.box_s else [_dots(group, row)]


def _dots(group: Group, row: int) -> Trace:
    values = sorted(group.values_s)
    says = plain(group.name)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": values,
        "y": [row + ASIDE[n % len(ASIDE)] for n in range(len(values))],
        "text": [f"{says}: {clock_text(value)}" for value in values],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": "--ink", "size": 7, "opacity": 0.75},
    }


def _box(group: Group, row: int) -> Trace:
    assert group.box_s is not None
    p5, p25, p50, p75, p95 = group.box_s
    return {
        "type": "box",
        "orientation": "h",
        "y": [row],
        "q1": [p25],
        "median": [p50],
        "q3": [p75],
        "lowerfence": [p5],
        "upperfence": [p95],
        "width": 0.5,
        "line": {"color": "--ink", "width": 1.25},
        "fillcolor": "--line",
        "name": f"{plain(group.name)}, n {group.n}",
        "hoverinfo": "x+name",
    }


def _cells(group: Group) -> tuple[Cell, ...]:
    p50, p95 = (group.box_s[2], group.box_s[4]) if group.box_s else (None, None)
    ends = sorted(group.values_s)
    return (
        group.name,
        group.n,
        clock_text(ends[0]) if ends else "–",
        clock_text(p50),
        clock_text(p95),
        clock_text(ends[-1]) if ends else "–",
    )


def _curve(group: str, points: Sequence[tuple[float, float]], *, dash: str, faint: bool) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(group),
        "x": [seconds for seconds, _share in points],
        "y": [share for _seconds, share in points],
        "line": {"shape": "hv", "width": 1.5, "dash": dash, "color": "--dim" if faint else "--ink"},
        "hovertemplate": "%{fullData.name}: %{y:.0%} within %{x:.0f} s<extra></extra>",
    }


def _shares(points: Sequence[tuple[float, float]]) -> list[str]:
    return [
        clock_text(next((seconds for seconds, share in points if share >= wanted), None))
        for wanted in (0.25, 0.5, 0.75, 0.95)
    ]
