"""Which of several claims comes first, and which is only a shadow."""

from typing import Any

import pytest

from dashboard.finding_words import RULE_SENTENCES
from fleet.domain.diagnosis.claims import Claim, Rule, Seen
from fleet.domain.diagnosis.order import EXPLAINS, ORDER, in_order
from fleet.domain.diagnosis.records import Cause, FaultPhase
from fleet.domain.diagnosis.table import RULES


def claim(cause: str, confidence: float, **params: Any) -> Claim:
    rule = Rule(cause, Cause(cause), FaultPhase.NONE, lambda case: None)
    return Claim(rule=rule, seen=Seen(confidence=confidence, pieces=(), params=params))


def said(*claims: Claim) -> list[str]:
    return [each.cause.value for each in in_order(claims)]


@pytest.mark.parametrize(
    ("claims", "causes"),
    [
        pytest.param([], [], id="nothing claimed, nothing said"),
        pytest.param([("overload", 0.59)], [], id="a guess is not said"),
        pytest.param(
            [("scale-from-zero", 0.9), ("unschedulable-gpu", 0.9)],
            ["unschedulable-gpu"],
            id="it waits for a start, the start for a GPU",
        ),
        pytest.param(
            [("unschedulable-gpu", 0.9), ("rollout-capacity-deadlock", 0.95)],
            ["rollout-capacity-deadlock"],
            id="the GPU is kept by its own predecessor",
        ),
        pytest.param(
            [("crash-loop-config", 0.8), ("liveness-kills-loading", 0.95)],
            ["liveness-kills-loading"],
            id="it exits because it is killed",
        ),
        pytest.param(
            [("crash-loop-config", 0.95), ("probe-too-strict", 0.75)],
            ["crash-loop-config"],
            id="it exits by itself, the probe hears nobody",
        ),
        pytest.param(
            [("engine-load-slow", 0.7), ("probe-too-strict", 0.95)],
            ["probe-too-strict", "engine-load-slow"],
            id="a short budget and a slow load are two faults",
        ),
        pytest.param(
            [("timeout-shorter-than-request", 0.7), ("overload", 0.9)],
            ["overload", "timeout-shorter-than-request"],
            id="the queue comes before the limit that it runs into",
        ),
        pytest.param(
            [("overload", 0.9), ("engine-died", 0.95)],
            ["engine-died"],
            id="work piles up because nothing comes out",
        ),
        pytest.param(
            [("scale-from-zero", 0.9), ("timeout-shorter-than-load", 0.9)],
            ["timeout-shorter-than-load", "scale-from-zero"],
            id="the limit is what can be mended",
        ),
        pytest.param(
            [("mesh-or-network", 0.6), ("overload", 0.8)],
            ["overload", "mesh-or-network"],
            id="what is hardly more than a guess stands behind",
        ),
    ],
)
def test_order(claims: list[tuple[str, float]], causes: list[str]) -> None:
    rows = [claim(*each) for each in claims]
    assert said(*rows) == said(*reversed(rows)) == causes


def test_ready_without_a_pod_ever_having_been_is_the_fault() -> None:
    held = claim("scale-from-zero", 0.9, never_ran=True)
    assert said(claim("timeout-shorter-than-load", 0.9), held)[0] == "scale-from-zero"


def test_the_table_is_whole() -> None:
    quiet = {Cause.NONE, Cause.INSUFFICIENT_EVIDENCE}
    assert {each.cause for each in RULES} == set(ORDER) == set(Cause) - quiet
    assert len(ORDER) == len(set(ORDER))
    codes = [each.code for each in RULES]
    assert len(codes) == len(set(codes))
    assert set(codes) <= set(RULE_SENTENCES)
    assert all(cause not in EXPLAINS[cause] for cause in EXPLAINS)
