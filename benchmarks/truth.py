"""`make truth`: starts, requests and causes as the product tells them, against what happened.

First in virtual time: starts (benchmarks/truth_virtual.py: HOURS, SEED), requests by hop in every
metric era (truth_requests.py), causes of seeded faults and an hour of health (truth_causes.py).
Then a whole demo of models that fail (truth_faults.py), and for starts a whole demo in real time
(MINUTES, 15 unless said; 0 leaves both out; MODELS, 48 unless said) with somebody busy: the
simulated clusters note each finished start with its exact boundaries, the product measures the same
starts over its own API connections, logs included. One JSON line for each comparison; ends with 1
when a start is missing, doubled, or a figure misses.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from benchmarks import truth_causes, truth_faults, truth_requests, truth_virtual
from benchmarks.agreement import compare, moment, pairs_of, tell_worst
from benchmarks.common import load_now, print_line
from benchmarks.demo_hands import DemoHands
from benchmarks.running_demo import Demo, running_demo

MINUTES = float(os.environ.get("MINUTES", "15"))
MODELS = int(os.environ.get("TRUTH_MODELS", "48"))
# Finished starts that a busy demo has within a minute, after its first ones.
STARTS_A_MINUTE = 4.0
# A wake that began before anybody looked cannot be told from a scale-up: the first ones are left
# out.
LEAD_IN_S = 120.0
# A start's last objects need a moment to arrive and to be written.
SETTLE_S = 15.0


def main() -> int:
    """In virtual time, then in real time."""
    virtual = (truth_virtual.main(), truth_requests.main(), truth_causes.main())
    real = (truth_faults.main(), real_time()) if MINUTES else ()
    return max(*virtual, *real)


def real_time() -> int:
    """Run the demo, compare, report."""
    print_line({"name": "real time", "minutes": MINUTES, "models": MODELS, "load": load_now()})
    with running_demo(models=MODELS) as demo, DemoHands(demo) as hands:
        time.sleep(LEAD_IN_S)
        began = datetime.now(UTC)
        time.sleep(MINUTES * 60)
        ended = datetime.now(UTC)
        time.sleep(SETTLE_S)
        truths = finished(demo, since=began, until=ended)
        measured = numbered(list(demo.every("/api/v1/cold-starts")))
    touched = sum(hands.touched.values())
    print_line({"name": "hands", "touched": touched, "missed": hands.missed})
    at_least = int(STARTS_A_MINUTE * MINUTES)
    ok = all(list(compare(truths, measured, at_least=at_least)))
    tell_worst(pairs_of(truths, measured))
    return 0 if ok else 1


def numbered(rows: list[Any]) -> list[Mapping[str, Any]]:
    """Starts of one replica in their order: the first, then those in place."""
    seen: Counter[str] = Counter()
    found: list[Mapping[str, Any]] = []
    for row in sorted(rows, key=lambda row: str(row["started_at"])):
        found.append(row | {"attempt": seen[row["replica_uid"]]})
        seen[row["replica_uid"]] += 1
    return found


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
