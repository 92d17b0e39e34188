"""One of each chart with made-up lengths, for the pattern page."""

from __future__ import annotations

from datetime import datetime, timedelta
from statistics import quantiles

from dashboard.charts.figures import Figure
from dashboard.charts.over_time_figure import Mark, Point, over_time_figure
from dashboard.charts.spread_figure import Group, ecdf_figure, spread_figure

DAYS = 14


def pattern_figures(now: datetime) -> list[Figure]:
    """Dots beside boxes, curves, and lines with marks."""
    few = [61.0, 64.5, 70.0, 70.2, 88.0]
    many = [52.0 + 3 * (n % 17) + n / 3 for n in range(40)]
    # Twenty parts of them, so that their bounds are p5, p10, … p95.
    q = quantiles(many, n=20, method="inclusive")
    box = (q[0], q[4], q[9], q[14], q[18])
    groups = [
        Group(name="llama-3-8b-predictor-00007", n=len(few), values_s=few),
        Group(name="llama-3-8b-predictor-00006", n=len(many), box_s=box),
    ]
    curve = [(seconds, (n + 1) / len(many)) for n, seconds in enumerate(sorted(many))]
    curves = {"cached image": curve, "nothing cached": [(s * 2.4, share) for s, share in curve]}
    return [
        spread_figure("p-spread", groups, says="Starts by revision", what="Revision"),
        ecdf_figure("p-ecdf", curves, says="Starts by start mode", what="Start mode"),
        _over_time(now),
    ]


def _over_time(now: datetime) -> Figure:
    day = timedelta(days=1)
    since = now - DAYS * day
    points = [
        Point(
            since=since + n * day,
            until=since + (n + 1) * day,
            n=2 if n in {4, 5} else 22,
            p50_s=None if n in {4, 5} else 60.0 + 14 * (n > 8),
            p95_s=None if n in {4, 5} else 88.0 + 25 * (n > 8),
        )
        for n in range(DAYS)
    ]
    dots = [(since + n * day / 3, 50.0 + 7 * (n % 6) + 14 * (n > 26)) for n in range(3 * DAYS)]
    marks = [
        Mark(at=since + 8.6 * day, kind="revision", says="llama-3-8b-predictor-00007"),
        Mark(at=since + 8.6 * day, kind="vLLM", says="0.11.0"),
        Mark(at=since + 11.2 * day, kind="node pool", says="a100-spot"),
    ]
    return over_time_figure(
        "p-time", points, dots, marks, since=since, until=now, says="Starts over time"
    )
