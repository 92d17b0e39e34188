"""`make truth`: starts as the product measured them, against what really happened.

A whole demo runs in real time (MINUTES, 15 unless said); the simulated clusters note each finished
start with its exact boundaries, the product measures the same starts from API objects alone. One
JSON line for each comparison; ends with 1 when a start is missing, doubled, or a figure misses.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from benchmarks.agreement import compare, moment
from benchmarks.running_demo import Demo, running_demo

MINUTES = float(os.environ.get("MINUTES", "15"))
# A start's last objects need a moment to arrive and to be written.
SETTLE_S = 15.0


def main() -> int:
    """Run the demo, compare, report."""
    with running_demo() as demo:
        began = datetime.now(UTC)
        time.sleep(MINUTES * 60)
        ended = datetime.now(UTC)
        time.sleep(SETTLE_S)
        truths = finished(demo, since=began, until=ended)
        measured = list(demo.every("/api/v1/cold-starts"))
    return 0 if all(list(compare(truths, measured))) else 1


def finished(demo: Demo, *, since: datetime, until: datetime) -> list[Mapping[str, Any]]:
    """Starts of models that began and ended while the product looked."""
    models = {
        tuple(row["key"].split("/")[i] for i in (0, 2, 3)) for row in demo.every("/api/v1/models")
    }
    lines = (json.loads(line) for line in demo.truth.read_text().splitlines())
    return [
        start
        for start in lines
        if (start["cluster"], start["namespace"], start["model"]) in models
        and moment(start["boundaries"]["demanded"]) >= since
        and max(map(moment, start["boundaries"].values())) <= until
    ]


if __name__ == "__main__":
    raise SystemExit(main())
