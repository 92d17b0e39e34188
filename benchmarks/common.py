"""What every benchmark shares: figures as JSON lines, and the load they were taken under."""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Mapping, Sequence
from typing import Any

# Fewer values say little of a 95th percentile.
ENOUGH = 200


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    place = max(0, -(-len(ordered) * share // 1) - 1)
    return ordered[int(place)]


def summary(values: Sequence[float]) -> dict[str, float]:
    """median, p95, p99, max."""
    return {
        "median": statistics.median(values),
        "p95": percentile(values, 0.95),
        "p99": percentile(values, 0.99),
        "max": max(values),
    }


def report(
    name: str,
    values: Sequence[float],
    *,
    unit: str,
    budget: Mapping[str, float],
    note: str = "",
    load: str = "",
) -> bool:
    """Print one line; whether every figure keeps to its budget.

    budget: the most that is allowed, by the name of a figure of `summary`; empty = a reference,
    which is always ok. load: from `load_now`, taken when the values were; else it is taken now.
    """
    figures = summary(values)
    ok = all(figures[figure] <= most for figure, most in budget.items())
    line: dict[str, Any] = {"name": name, "n": len(values)}
    line |= {figure: round(value, 3) for figure, value in figures.items()}
    line |= {"unit": unit, "budget": dict(budget), "ok": ok, "load": load or load_now()}
    if note:
        line["note"] = note
    print_line(line)
    return ok


def report_absent(name: str, *, because: str) -> None:
    """Say that a figure was not taken, and why: never a figure that nobody saw."""
    print_line({"name": name, "n": 0, "ok": None, "note": f"not taken: {because}"})


def print_line(line: Mapping[str, Any]) -> None:
    """To standard output at once, also when it is a pipe."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def load_now() -> str:
    """The machine's load, for the reader to judge a figure by."""
    one, five, _ = os.getloadavg()
    return f"{os.cpu_count()} cores, load {one:.1f} (1 min) {five:.1f} (5 min)"
