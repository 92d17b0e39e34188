"""A chart as a value: what plotly draws in the browser, and the same as a table.

Colours are names of our CSS variables ("--warm") and moments are ms since 1970: the browser puts
in the colours of its theme and the viewer's own zone (static/js/charts.js).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dashboard.charts.spoken import clock_text
from dashboard.words import Words

Cell = Words | int | float | datetime | None
Trace = Mapping[str, Any]

# Plotly reads a few HTML tags in texts and entities beside them: names come from clusters.
PLAIN = str.maketrans({"<": "‹", ">": "›", "&": "＆"})
# Steps that people count time in, s.
TICKS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)
MOST_TICKS = 7
# A name cut shorter than this tells nothing.
SHORTEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One chart. name: unique on its page. says: what it shows, in a sentence.

    columns, rows: the same as a table, for who does not see it; a moment is shown in local time.
    height: px.
    """

    name: str
    says: Words
    traces: Sequence[Trace]
    layout: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[Words]
    rows: Sequence[Sequence[Cell]]
    height: int = 220

    @property
    def drawing(self) -> dict[str, Any]:
        """As the page carries it for the script."""
        return {
            "traces": list(self.traces),
            "layout": {"height": self.height, **self.layout},
        }

    @property
    def data_id(self) -> str:
        return f"drawing-{self.name}"


def plain(text: object) -> str:
    """A text that plotly shows as it is."""
    return str(text).translate(PLAIN)


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def seconds_axis(longest_s: float, **more: Any) -> dict[str, Any]:
    """An axis of lengths of time from 0 to a little beyond `longest_s`, told as clocks do."""
    longest_s = max(longest_s, 1.0)
    step = next((s for s in TICKS_S if longest_s / s <= MOST_TICKS), TICKS_S[-1])
    ticks = [step * n for n in range(int(longest_s // step) + 1)]
    return {
        "tickvals": ticks,
        "ticktext": [tick_text(tick) for tick in ticks],
        "range": [0, longest_s * 1.04],
        **more,
    }


def tick_text(seconds: int) -> str:
    """As `clock_text`, without a decimal."""
    return f"{seconds} s" if seconds < 10 else clock_text(seconds)


def short_names(names: Sequence[str]) -> list[str]:
    """Names less what all of them begin with, cut at a "-": "00006", "00007" of two revisions.

    Names that would be left with hardly anything stay whole: "gpu-1", "gpu-2".
    """
    if len(names) < 2:
        return list(names)
    first, last = min(names), max(names)
    same = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    cut = first.rfind("-", 0, same) + 1
    short = [name[cut:] for name in names]
    return short if min(map(len, short)) >= SHORTEST else list(names)
