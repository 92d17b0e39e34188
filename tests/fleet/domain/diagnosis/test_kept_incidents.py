"""The kept incidents are a floor, and time is theirs: the machine's clock changes nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
import time_machine

from benchmarks.score import score
from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle

CASES = [
    json.loads(line)
    for line in Path("tests/fixtures/incidents/open.jsonl").read_text().splitlines()
]


def test_the_floor_holds() -> None:
    total = score(CASES)
    assert total.holds, total.misses
    assert total.verdicts["harmful"] == total.false_alarms == 0


@pytest.mark.parametrize("case", CASES[::7], ids=lambda case: str(case["id"]))
def test_the_machines_clock_changes_nothing(case: dict[str, Any]) -> None:
    now = diagnose(evidence_from_bundle(case["evidence"]))
    with time_machine.travel("2031-05-05T05:05:05Z", tick=False):
        assert diagnose(evidence_from_bundle(case["evidence"])) == now


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_every_piece_names_what_it_is_of(case: dict[str, Any]) -> None:
    for finding in diagnose(evidence_from_bundle(case["evidence"])):
        for piece in finding.evidence:
            assert piece.kind in {"object", "event", "log", "metric", "config"}
            assert piece.ref
            assert len(piece.says) <= 300
