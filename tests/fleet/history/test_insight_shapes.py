"""Findings and advice as they are kept, and back."""

from datetime import datetime
from typing import Any

import pytest

from fleet.domain.diagnosis.records import Cause, FaultPhase, Finding, Piece, Remedy
from fleet.domain.lint.profiles import Expectation, Met, Verdict
from fleet.domain.lint.records import Effect, LintFinding, Severity
from fleet.history.insight_shapes import (
    as_json,
    finding_json,
    finding_of,
    lint_json,
    lint_of,
    top_json,
    verdict_json,
    verdict_of,
)
from tests.factories import HOSTILE, NOW

FINDING = Finding(
    cause=Cause.UNSCHEDULABLE_GPU,
    confidence=0.95,
    phase=FaultPhase.SCHEDULE,
    rule="gpu-not-free",
    evidence=(
        Piece(kind="event", ref="Event/FailedScheduling/p", says="0/4 nodes", at=NOW),
        Piece(kind="config", ref="config/x", says=HOSTILE),
    ),
    remedies=(Remedy.ADD_CAPACITY, Remedy.WAIT),
    params={"resource": "nvidia.com/gpu", "count": 4},
)
ADVICE = LintFinding(
    code="PL001",
    slug="progress-deadline-short",
    severity=Severity.ERROR,
    object_ref="InferenceService/chat/llama",
    field="metadata.annotations",
    params={"deadline_s": 600.0},
    measured={"p95_s": 700.0},
    patch="a: b\n",
    effect=Effect.NEW_REVISION,
    extra_gpus=1,
)


def test_a_finding_comes_back_as_it_was() -> None:
    assert finding_of(finding_json(FINDING)) == FINDING


def test_advice_comes_back_as_it_was() -> None:
    assert lint_of(lint_json(ADVICE)) == ADVICE


def test_a_verdict_comes_back_as_it_was() -> None:
    verdict = Verdict(expectation=Expectation.MIN_ONE, met=Met.NOT_MET, params={"min": 0})
    assert verdict_of(verdict_json(verdict)) == verdict
    assert verdict_of({"expectation": "new"}) is None


def test_codes_of_another_release_do_not_break_a_page() -> None:
    kept = finding_json(FINDING) | {"cause": "new", "phase": "new", "remedies": ["new", "wait"]}
    found = finding_of(kept)
    assert found.cause is Cause.INSUFFICIENT_EVIDENCE
    assert found.phase is FaultPhase.NONE
    assert found.remedies == (Remedy.WAIT,)
    assert lint_of(lint_json(ADVICE) | {"severity": "new"}).severity is Severity.ADVICE


def test_the_fleet_row_keeps_the_first_and_counts_the_rest() -> None:
    top = top_json([finding_json(FINDING), finding_json(FINDING)])
    assert top is not None
    assert top["cause"] == "unschedulable-gpu"
    assert (top["evidence_count"], top["count"]) == (2, 2)
    assert "evidence" not in top
    assert top_json([]) is None


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param({"a": (1, 2)}, {"a": [1, 2]}, id="tuples are lists"),
        pytest.param({"a": Cause.OVERLOAD}, {"a": "overload"}, id="codes are texts"),
        pytest.param(datetime(2026, 1, 1), "2026-01-01T00:00:00", id="moments are texts"),  # noqa: DTZ001
        pytest.param({1: None}, {"1": None}, id="names are texts"),
        pytest.param([[[[[[[["deep"]]]]]]]], [[[[[["[['deep']]"]]]]]], id="depth is bounded"),
    ],
)
def test_parameters_as_json(given: Any, kept: Any) -> None:
    assert as_json(given) == kept


def test_long_texts_are_cut() -> None:
    long = Finding(
        cause=Cause.OVERLOAD,
        confidence=0.5,
        phase=FaultPhase.SERVING,
        rule="r",
        evidence=tuple(Piece(kind="log", ref="x" * 900, says="y" * 900) for _ in range(90)),
    )
    kept = finding_json(long)
    assert len(kept["evidence"]) == 20
    assert {len(each["ref"]) + len(each["says"]) for each in kept["evidence"]} == {600}
