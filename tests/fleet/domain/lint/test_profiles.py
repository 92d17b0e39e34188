"""Profiles: what popular advice asks for, and whether it is so."""

from __future__ import annotations

import pytest

from fleet.domain.lint.measured import Measured
from fleet.domain.lint.profiles import JUDGES, PROFILES, Expectation, Profile, judge, profile_of
from fleet.domain.lint.reading.settings_of import settings_from_objects
from tests.fleet.domain.lint.objects import (
    DEADLINE,
    STARTUP,
    Raw,
    cron_job,
    isvc,
    llm,
    revision,
    settings_of,
    took,
    without,
)

STABLE, CHEAP, SPIKY = Profile.STABILITY_FIRST, Profile.COST_FIRST, Profile.SPIKY
KEDA = {"serving.kserve.io/autoscalerClass": "keda"}
HUB = {"modelFormat": {"name": "vLLM"}, "storageUri": "hf://meta-llama/Llama-3.1-8B"}
WAITS = {"startupProbe": STARTUP}  # 600 s


def verdict(
    profile: Profile, expectation: Expectation, objects: list[Raw], measured: Measured | None
) -> tuple[str, str]:
    """The answer, and its variant."""
    judged = judge(profile, settings_of(*objects), measured or Measured())
    (one,) = [each for each in judged if each.expectation is expectation]
    return one.met.value, str(one.params.get("because", ""))


@pytest.mark.parametrize(
    ("expectation", "objects", "measured", "answer"),
    [
        pytest.param("min-one", [isvc(minReplicas=1)], None, "met", id="a minimum of 1"),
        pytest.param("min-one", [isvc()], None, "met", id="not said: 1"),
        pytest.param("min-one", [isvc(minReplicas=0)], None, "not-met", id="a minimum of 0"),
        pytest.param(
            "min-one", [isvc(minReplicas=0, mode="Standard")], None, "met", id="0 under an HPA is 1"
        ),
        pytest.param("min-one", [llm()], None, "unknown", id="LLMInferenceService, not said"),
        pytest.param(
            "generous-startup", [isvc(WAITS)], Measured(load=took(300)), "met", id="twice"
        ),
        pytest.param(
            "generous-startup", [isvc(WAITS)], Measured(load=took(301)), "not-met", id="not twice"
        ),
        pytest.param("generous-startup", [isvc(WAITS)], None, "unknown", id="not measured"),
        pytest.param("generous-startup", [isvc()], None, "not-met", id="no startup probe"),
        pytest.param("generous-startup", [isvc(model=HUB)], None, "unknown", id="not read"),
        pytest.param(
            "deadline-covers-startup", [isvc(WAITS)], None, "met", id="600 s for 600 s of probe"
        ),
        pytest.param(
            "deadline-covers-startup",
            [isvc(WAITS, notes={DEADLINE: "5m"})],
            None,
            "not-met",
            id="a shorter deadline",
        ),
        pytest.param("deadline-covers-startup", [isvc()], None, "unknown", id="no probe to cover"),
    ],
)
def test_stability_first(
    expectation: str, objects: list[Raw], measured: Measured | None, answer: str
) -> None:
    assert verdict(STABLE, Expectation(expectation), objects, measured)[0] == answer


START = Measured(total=took(200))


@pytest.mark.parametrize(
    ("expectation", "objects", "measured", "answer"),
    [
        pytest.param("min-zero", [isvc(minReplicas=0)], None, ("met", "held"), id="Knative"),
        pytest.param(
            "min-zero",
            [isvc(minReplicas=0, mode="Standard", notes=KEDA)],
            None,
            ("met", "not-held"),
            id="KEDA: nobody holds the caller",
        ),
        pytest.param(
            "min-zero",
            [isvc(minReplicas=0, mode="Standard")],
            None,
            ("not-met", "hpa"),
            id="an HPA makes 1 of it",
        ),
        pytest.param("min-zero", [isvc()], None, ("not-met", "not-held"), id="1"),
        pytest.param(
            "warm-ups",
            [isvc(minReplicas=0), cron_job("* * * * *")],
            None,
            ("met", ""),
            id="each minute",
        ),
        pytest.param(
            "warm-ups",
            [isvc(minReplicas=0), cron_job("*/5 * * * *")],
            None,
            ("not-met", ""),
            id="asleep in between",
        ),
        pytest.param("warm-ups", [isvc(minReplicas=0)], None, ("unknown", ""), id="none seen"),
        pytest.param(
            "timeout-covers-start",
            [isvc(minReplicas=0)],
            Measured(total=took(400)),
            ("not-met", ""),
            id="the first byte after 300 s",
        ),
        pytest.param(
            "timeout-covers-start",
            [isvc(minReplicas=0)],
            START,
            ("unknown", "ingress-unknown"),
            id="inside it is long enough, outside nobody knows",
        ),
        pytest.param("timeout-covers-start", [isvc()], None, ("unknown", ""), id="not measured"),
        pytest.param("prefetch", [isvc(model=HUB)], None, ("not-met", ""), id="fetched"),
        pytest.param(
            "prefetch",
            [isvc(model=HUB | {"storageUri": "pvc://weights/llama"})],
            None,
            ("met", ""),
            id="on a claim",
        ),
        pytest.param("prefetch", [isvc({"args": []})], None, ("unknown", ""), id="not told"),
    ],
)
def test_cost_first(
    expectation: str, objects: list[Raw], measured: Measured | None, answer: tuple[str, str]
) -> None:
    assert verdict(CHEAP, Expectation(expectation), objects, measured) == answer


def test_a_load_balancer_that_waits_long_enough() -> None:
    (found,) = settings_from_objects([isvc(minReplicas=0)], ingress_s=600.0)
    judged = {each.expectation: each for each in judge(CHEAP, found, START)}
    assert judged[Expectation.TIMEOUT_COVERS_START].met == "met"
    (short,) = settings_from_objects([isvc(minReplicas=0)], ingress_s=60.0)
    judged = {each.expectation: each for each in judge(CHEAP, short, START)}
    assert judged[Expectation.TIMEOUT_COVERS_START].params["layer"] == "ingress"


FEW = {"args": ["--model", "/m", "--max-num-seqs", "64"]}


@pytest.mark.parametrize(
    ("expectation", "objects", "measured", "answer"),
    [
        pytest.param("high-max", [isvc(maxReplicas=3)], None, "met", id="three times one"),
        pytest.param("high-max", [isvc(maxReplicas=2)], None, "not-met", id="twice"),
        pytest.param("high-max", [isvc()], None, "met", id="Knative: without limit"),
        pytest.param("high-max", [isvc(mode="Standard")], None, "not-met", id="Standard: fixed"),
        pytest.param("low-target", [isvc(FEW, scaleTarget=40)], None, "met", id="28 of 64"),
        pytest.param("low-target", [isvc(FEW)], None, "not-met", id="70 of 64"),
        pytest.param("low-target", [isvc()], None, "unknown", id="capacity not known"),
        pytest.param("low-target", [isvc(mode="Standard")], None, "not-met", id="by CPU"),
        pytest.param(
            "local-cache", [isvc()], Measured(weights_from="local-cache"), "met", id="on the node"
        ),
        pytest.param(
            "local-cache", [isvc()], Measured(weights_from="pvc"), "unknown", id="a claim"
        ),
        pytest.param("local-cache", [isvc(model=HUB)], None, "not-met", id="fetched"),
    ],
)
def test_spiky(
    expectation: str, objects: list[Raw], measured: Measured | None, answer: str
) -> None:
    assert verdict(SPIKY, Expectation(expectation), objects, measured)[0] == answer


def test_a_floor_raised_in_place_counts() -> None:
    raised = revision(notes={"autoscaling.knative.dev/min-scale": "1"})
    objects = [isvc(minReplicas=0), raised]
    assert verdict(STABLE, Expectation.MIN_ONE, objects, None) == ("met", "")


def test_each_expectation_is_judged_once_in_a_profile() -> None:
    asked = [each for expectations in PROFILES.values() for each in expectations]
    assert sorted(asked) == sorted(Expectation)
    assert set(JUDGES) == set(Expectation)
    assert len(judge(STABLE, settings_of(without("readinessProbe")))) == 3


@pytest.mark.parametrize(
    ("label", "profile"),
    [("spiky", SPIKY), (" Cost-First ", CHEAP), ("", None), ("fast", None)],
)
def test_the_profile_of_a_label(label: str, profile: Profile | None) -> None:
    assert profile_of(label) is profile
