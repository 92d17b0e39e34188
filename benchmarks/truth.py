"""`make truth`: starts as the product measured them, against what really happened.

A whole demo runs in real time (MINUTES, 15 unless said); the simulated clusters note each finished
start with its exact boundaries, the product measures the same starts from API objects alone. One
JSON line for each comparison; ends with 1 when a start is missing, doubled, or a figure misses.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from benchmarks.common import load_now, print_line, report
from benchmarks.running_demo import Demo, running_demo

MINUTES = float(os.environ.get("MINUTES", "15"))
# A start's last objects need a moment to arrive and to be written.
SETTLE_S = 15.0
# API objects carry whole seconds; two of them bound each span.
TOTAL_WITHIN_S = {"median": 1.0, "p95": 2.0}
PHASE_WITHIN_S = {"median": 1.0, "p95": 2.5}

# Phase of ours: between which boundaries of the truth it lies.
SPANS = {
    "decide": ("demanded", "pod_created"),
    "schedule": ("pod_created", "node_chosen"),
    "fetch-model": ("fetch_started", "fetch_ended"),
    "pull-image": ("pull_started", "pull_ended"),
    "load-engine": ("container_started", "engine_answers"),
    "become-ready": ("engine_answers", "ready"),
}
# The truth's wait for a node holds both of ours.
WITHIN = {"schedule": ("schedule", "provision-node")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One start: what happened, and what was measured."""

    truth: Mapping[str, Any]
    measured: Mapping[str, Any]

    def true_s(self, first: str, last: str) -> float | None:
        """Seconds between two boundaries; None when the start did not pass both."""
        marks = self.truth["boundaries"]
        if first not in marks or last not in marks:
            return None
        return (moment(marks[last]) - moment(marks[first])).total_seconds()

    def measured_s(self, phase: str) -> float:
        """Seconds that we give to a phase; 0 for one that we did not see."""
        names = WITHIN.get(phase, (phase,))
        spans = [span["seconds"] for span in self.measured["phases"] if span["phase"] in names]
        return float(sum(spans))


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


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


def compare(
    truths: Sequence[Mapping[str, Any]], measured: Sequence[Mapping[str, Any]]
) -> Iterable[bool]:
    """Each comparison, reported; whether it is as it should be."""
    by_uid = {row["replica_uid"]: row for row in measured}
    pairs = [
        Pair(truth=start, measured=by_uid[start["pod_uid"]])
        for start in truths
        if start["pod_uid"] in by_uid
    ]
    yield _all_there(truths, measured)
    for field in ("outcome", "trigger", "start_mode"):
        yield _agreement(field, pairs)
    ready = [pair for pair in pairs if pair.truth["outcome"] == "ready"]
    yield _errors("total_s", _total_errors(ready), budget=TOTAL_WITHIN_S)
    for phase in SPANS:
        yield _errors(phase, _phase_errors(phase, ready), budget=PHASE_WITHIN_S)


def _all_there(truths: Sequence[Mapping[str, Any]], measured: Sequence[Mapping[str, Any]]) -> bool:
    rows = Counter(row["replica_uid"] for row in measured)
    missing = [start["pod"] for start in truths if start["pod_uid"] not in rows]
    twice = [uid for uid, count in rows.items() if count > 1]
    ok = bool(truths) and not missing and not twice
    line = {"name": "starts", "n": len(truths), "missing": missing, "twice": twice, "ok": ok}
    print_line(line | {"minutes": MINUTES, "load": load_now()})
    return ok


def _agreement(field: str, pairs: Sequence[Pair]) -> bool:
    """How often we say what happened. Unknown is not wrong, but it is not agreement either."""
    differ = Counter(
        f"{pair.truth[field]} as {pair.measured[field]}"
        for pair in pairs
        if pair.truth[field] != pair.measured[field]
    )
    print_line({"name": field, "n": len(pairs), "differ": dict(differ), "ok": not differ})
    return not differ


def _total_errors(pairs: Sequence[Pair]) -> list[float]:
    totals = ((pair.true_s("demanded", "ready"), pair.measured["total_s"]) for pair in pairs)
    return [abs(true - ours) for true, ours in totals if true is not None and ours is not None]


def _phase_errors(phase: str, pairs: Sequence[Pair]) -> list[float]:
    spans = ((pair.true_s(*SPANS[phase]), pair.measured_s(phase)) for pair in pairs)
    return [abs(true - ours) for true, ours in spans if true is not None]


def _errors(name: str, errors: Sequence[float], *, budget: Mapping[str, float]) -> bool:
    if not errors:
        print_line({"name": f"error of {name}", "n": 0, "ok": False, "note": "no such start"})
        return False
    return report(f"error of {name}", errors, unit="s", budget=budget)


if __name__ == "__main__":
    raise SystemExit(main())
