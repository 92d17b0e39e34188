"""How long one diagnosis takes: kept incidents, from JSON values to findings; and the most that a
bundle may hold."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.common import report
from benchmarks.score import CASES
from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle

ROUNDS = 5
MOST_MS = 5.0


def taken_ms(bundle: Mapping[str, Any]) -> float:
    """Processor time of one."""
    began = time.process_time()
    diagnose(evidence_from_bundle(bundle))
    return (time.process_time() - began) * 1000.0


def crowded(bundle: Mapping[str, Any]) -> dict[str, Any]:
    """The same in a noisy namespace: ten thousand events, logs of a thousand lines."""
    events = [
        {
            "reason": "Unhealthy",
            "message": f"Readiness probe failed: HTTP probe failed with statuscode: 503 ({number})",
            "involvedObject": {"kind": "Pod", "name": f"other-{number % 97}"},
            "lastTimestamp": "2026-01-01T00:00:00Z",
        }
        for number in range(10_000)
    ]
    logs = {name: [*lines, *(["INFO nothing"] * 1000)] for name, lines in _logs(bundle).items()}
    return {**bundle, "events": [*bundle.get("events", []), *events], "logs": logs}


def _logs(bundle: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    return bundle.get("logs") or {}


def main() -> int:
    """Each incident some rounds; each figure is processor time."""
    bundles = [json.loads(line)["evidence"] for line in CASES.read_text().splitlines()]
    values = [taken_ms(each) for _ in range(ROUNDS) for each in bundles]
    note = f"{len(bundles)} incidents, {ROUNDS} rounds, processor time"
    ok = report("diagnosis", values, unit="ms", budget={"median": MOST_MS}, note=note)
    crowds = [taken_ms(crowded(each)) for each in bundles[:10]]
    report("diagnosis, 10,000 events more", crowds, unit="ms", budget={}, note="a reference")
    return 0 if ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
