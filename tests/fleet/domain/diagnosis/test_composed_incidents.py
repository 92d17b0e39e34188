"""Composed incidents are a floor too: every cause, also from events, logs or samples alone."""

import json
from pathlib import Path

import pytest

from benchmarks.score import score
from fleet.domain.diagnosis.records import Cause

CASES = [
    json.loads(line)
    for line in Path("tests/fixtures/incidents/composed.jsonl").read_text().splitlines()
]


def test_the_floor_holds() -> None:
    total = score(CASES)
    assert total.fair >= 0.9, total.misses
    assert total.verdicts["harmful"] == 0, total.misses
    assert total.false_alarms == 0, total.misses


def test_second_faults_are_named() -> None:
    total = score([case for case in CASES if "secondary" in case["expected"]])
    assert total.second["named"] >= 0.8 * sum(total.second.values()), total.second


@pytest.mark.parametrize("cause", list(Cause), ids=lambda cause: str(cause.value))
def test_every_cause_is_found_where_it_is_the_one(cause: Cause) -> None:
    cases = [case for case in CASES if case["expected"]["cause"] == cause.value]
    assert cases
    assert score(cases).fair > 0.5
