"""`make score`: the diagnosis on kept incidents, against what an engineer would say of them.

right = the first cause is the expected one; acceptable = it is also fair; harmful = it would send
people the wrong way; wrong = anything else. Prints misses, a table per cause and one JSON line.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle
from fleet.domain.diagnosis.records import Finding

CASES = Path("tests/fixtures/incidents/open.jsonl")
LEAST_FAIR = 0.9
LEAST_SECOND = 0.8
_QUIET = ("none", "insufficient-evidence")


@dataclass(slots=True)
class Score:
    """Counts over cases. table: expected cause -> verdict -> count. misses: lines to print."""

    verdicts: Counter[str] = field(default_factory=Counter)
    table: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    second: Counter[str] = field(default_factory=Counter)
    remedies: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    @property
    def fair(self) -> float:
        """The share of first causes that are right or acceptable."""
        good = self.verdicts["right"] + self.verdicts["acceptable"]
        return good / max(sum(self.verdicts.values()), 1)

    @property
    def false_alarms(self) -> int:
        """A cause named where there is none, or where nothing decides."""
        return sum(self.table[each][v] for each in _QUIET for v in ("wrong", "harmful"))

    @property
    def holds(self) -> bool:
        """Whether it is as good as asked for."""
        both = self.second["named"] >= LEAST_SECOND * sum(self.second.values())
        helped = self.remedies["named"] >= LEAST_FAIR * sum(self.remedies.values())
        quiet = not self.verdicts["harmful"] and not self.false_alarms
        return self.fair >= LEAST_FAIR and quiet and both and helped


def verdict(first: str, expected: Mapping[str, Any]) -> str:
    """Of a first cause."""
    if first == expected["cause"]:
        return "right"
    if first in expected.get("also_acceptable", []):
        return "acceptable"
    return "harmful" if first in expected.get("must_not", []) else "wrong"


def score(cases: Sequence[Mapping[str, Any]]) -> Score:
    """Diagnose each; only its `evidence` is handed over."""
    total = Score()
    for case in cases:
        _count(total, case, diagnose(evidence_from_bundle(case["evidence"])))
    return total


def _count(total: Score, case: Mapping[str, Any], findings: Sequence[Finding]) -> None:
    expected, found = case["expected"], [each.cause.value for each in findings]
    said = verdict(found[0], expected)
    total.verdicts[said] += 1
    total.table[expected["cause"]][said] += 1
    if said in ("wrong", "harmful"):
        total.misses.append(f"{case['id']}: {said}: {found[0]}, expected {expected['cause']}")
    else:
        helps = {each.value for each in findings[0].remedies} & set(expected["remedies"])
        total.remedies["named" if helps else "missed"] += 1
    if expected.get("secondary"):
        both = {expected["cause"], expected["secondary"]} <= set(found)
        total.second["named" if both else "missed"] += 1


def printed(total: Score) -> list[str]:
    """As lines: misses, a table per cause, one JSON line."""
    rows = [
        f"  {cause:32} " + "  ".join(f"{said} {n}" for said, n in total.table[cause].items())
        for cause in sorted(total.table)
        if total.table[cause]
    ]
    figures = {
        "cases": sum(total.verdicts.values()),
        **total.verdicts,
        "false_alarms": total.false_alarms,
        "fair": round(total.fair, 3),
        "second": dict(total.second),
        "remedies": dict(total.remedies),
    }
    return [*total.misses, *rows, json.dumps(figures)]


def main(paths: Sequence[str]) -> int:
    """The exit code: 0 when as good as asked for."""
    path = Path(paths[0]) if paths else CASES
    total = score([json.loads(line) for line in path.read_text().splitlines() if line.strip()])
    sys.stdout.write("\n".join(printed(total)) + "\n")
    return 0 if total.holds else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
