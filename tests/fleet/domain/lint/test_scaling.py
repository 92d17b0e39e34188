"""Floors, ceilings and targets: PL008, PL009, PL011, PL012, PL019, PL029."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.domain.lint.measured import Measured
from tests.fleet.domain.lint.objects import (
    AUTOSCALING,
    Raw,
    config,
    deployment,
    isvc,
    linted,
    llm,
    revision,
    severity,
)

MIN, MAX = f"{AUTOSCALING}minScale", f"{AUTOSCALING}maxScale"


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        pytest.param(isvc(notes={MIN: "1"}, minReplicas=0), "warning", id="says 1, is 0"),
        pytest.param(isvc(notes={MIN: "2"}, minReplicas=2), "advice", id="says what is"),
        pytest.param(isvc(notes={MIN: "1"}), "advice", id="a minimum that is not said is 1"),
        pytest.param(
            isvc(notes={f"{AUTOSCALING}min-scale": "3"}), "warning", id="the other spelling"
        ),
        pytest.param(
            isvc(annotations={MIN: "3"}), "warning", id="on the predictor, not on the object"
        ),
        pytest.param(isvc(notes={MAX: "5"}, maxReplicas=3), "warning", id="a maximum is set"),
        pytest.param(isvc(notes={MAX: "5"}), None, id="maxScale counts where no maximum is set"),
        pytest.param(isvc(notes={MAX: "5"}, mode="Standard"), "warning", id="Standard reads none"),
        pytest.param(isvc(notes={f"{AUTOSCALING}window": "5m"}), None, id="another annotation"),
        pytest.param(isvc(minReplicas=0), None, id="none"),
    ],
)
def test_inert_annotation(raw: Raw, says: str | None) -> None:
    assert severity("PL008", [raw]) == says


def test_a_floor_raised_in_place_is_not_what_the_object_says() -> None:
    raised = revision(notes={f"{AUTOSCALING}min-scale": "1"})
    found = linted([isvc(notes={MIN: "1"}, minReplicas=0), raised])["PL008"]
    assert (found.severity, found.params["have"]) == ("warning", 0)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        pytest.param(isvc(mode="Standard", minReplicas=0), "warning", id="an HPA, by default"),
        pytest.param(
            isvc(mode="RawDeployment", minReplicas=0), "warning", id="the mode's old name"
        ),
        pytest.param(isvc(mode="Standard", minReplicas=1), None, id="1"),
        pytest.param(isvc(mode="Standard"), None, id="not said"),
        pytest.param(isvc(minReplicas=0), None, id="Knative"),
        pytest.param(
            isvc(
                mode="Standard", minReplicas=0, notes={"serving.kserve.io/autoscalerClass": "keda"}
            ),
            None,
            id="KEDA goes to zero",
        ),
        pytest.param(llm(replicas=0), None, id="LLMInferenceService"),
    ],
)
def test_standard_zero(raw: Raw, says: str | None) -> None:
    assert severity("PL009", [raw]) == says


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        pytest.param({"scaleTarget": 10}, "warning", id="no maximum"),
        pytest.param({"scaleTarget": 10, "maxReplicas": 0}, "warning", id="a maximum of 0"),
        pytest.param(
            {"scaleMetric": "concurrency", "minReplicas": 2, "maxReplicas": 2},
            "warning",
            id="the maximum is the minimum",
        ),
        pytest.param({"scaleTarget": 10, "maxReplicas": 2}, None, id="it can grow"),
        pytest.param({"minReplicas": 2}, None, id="a fixed size, and no target"),
        pytest.param({"scaleTarget": 10, "mode": "Knative"}, None, id="Knative: without limit"),
    ],
)
def test_pinned(fields: dict[str, Any], says: str | None) -> None:
    assert severity("PL029", [isvc(**{"mode": "Standard", **fields})]) == says


def batching(sequences: int) -> dict[str, Any]:
    return {"args": ["--model", "/models/llama", "--max-num-seqs", str(sequences)]}


@pytest.mark.parametrize(
    ("raw", "measured", "says"),
    [
        pytest.param(isvc(containerConcurrency=1), None, "warning", id="one at a time"),
        pytest.param(isvc(containerConcurrency=4), None, None, id="four, and nothing known"),
        pytest.param(
            isvc(batching(64), containerConcurrency=4), None, "warning", id="four of sixty-four"
        ),
        pytest.param(
            isvc(containerConcurrency=7), Measured(sequences=30.5), "warning", id="by the KV cache"
        ),
        pytest.param(isvc(batching(1), containerConcurrency=1), None, None, id="it can one only"),
        pytest.param(isvc(batching(64), containerConcurrency=8), None, None, id="eight"),
        pytest.param(isvc(containerConcurrency=0), None, None, id="no limit"),
        pytest.param(isvc(), None, None, id="not said: no limit"),
        pytest.param(isvc(containerConcurrency=1, mode="Standard"), None, None, id="Standard"),
    ],
)
def test_concurrency_low(raw: Raw, measured: Measured | None, says: str | None) -> None:
    assert severity("PL011", [raw], measured) == says


@pytest.mark.parametrize(
    ("objects", "measured", "says"),
    [
        pytest.param([isvc(batching(32))], None, "warning", id="70 of 32"),
        pytest.param([isvc(batching(256))], None, None, id="70 of 256"),
        pytest.param([isvc(batching(32), scaleTarget=40)], None, None, id="28 of 32"),
        pytest.param([isvc()], Measured(sequences=12.4), "advice", id="70, the KV cache holds 12"),
        pytest.param([isvc()], None, None, id="nothing known"),
        pytest.param([isvc(batching(32), maxReplicas=1)], None, None, id="one replica only"),
        pytest.param([isvc(batching(32), scaleMetric="rps")], None, None, id="by rate"),
        pytest.param(
            [isvc(batching(32), containerConcurrency=40)], None, None, id="a hard limit of 40"
        ),
        pytest.param(
            [
                isvc(batching(32)),
                config("config-autoscaler", container_concurrency_target_default="40"),
            ],
            None,
            None,
            id="the cluster's own target",
        ),
        pytest.param(
            [
                isvc(batching(64)),
                config("config-autoscaler", container_concurrency_target_percentage="0.5"),
            ],
            None,
            None,
            id="the cluster's own share",
        ),
        pytest.param(
            [isvc(batching(32), notes={f"{AUTOSCALING}target-utilization-percentage": "30"})],
            None,
            None,
            id="the model's own share",
        ),
        pytest.param([isvc(batching(32), mode="Standard")], None, None, id="Standard"),
    ],
)
def test_target_high(objects: list[Raw], measured: Measured | None, says: str | None) -> None:
    assert severity("PL012", objects, measured) == says


ACTIVATION = f"{AUTOSCALING}activation-scale"


@pytest.mark.parametrize(
    ("objects", "by", "says"),
    [
        pytest.param([isvc(notes={ACTIVATION: "1"})], "activation-scale", "error", id="below 2"),
        pytest.param(
            [isvc(notes={ACTIVATION: "2"}, minReplicas=3)],
            "activation-scale",
            "error",
            id="below the minimum",
        ),
        pytest.param(
            [isvc(notes={ACTIVATION: "4"}, maxReplicas=3)],
            "activation-scale",
            "error",
            id="above the maximum",
        ),
        pytest.param(
            [isvc(), config("config-autoscaler", max_scale_limit="10")],
            "max-scale-limit",
            "error",
            id="no maximum where the cluster wants one",
        ),
        pytest.param(
            [isvc(minReplicas=1, maxReplicas=1)], "max-scale", "advice", id="no room for 2"
        ),
        pytest.param(
            [isvc(notes={ACTIVATION: "2"}, minReplicas=2)],
            "activation-scale",
            "advice",
            id="3 would be refused",
        ),
        pytest.param([isvc(minReplicas=0, maxReplicas=1)], None, None, id="room for 1"),
        pytest.param([isvc(minReplicas=1)], None, None, id="without limit"),
        pytest.param([isvc(notes={ACTIVATION: "2"}, minReplicas=0)], None, None, id="2 is enough"),
        pytest.param([isvc(mode="Standard", maxReplicas=1)], None, None, id="Standard"),
        pytest.param(
            [
                isvc(minReplicas=1, maxReplicas=3),
                revision(notes={f"{AUTOSCALING}min-scale": "3"}),
            ],
            "max-scale",
            "advice",
            id="raised in place up to the maximum",
        ),
    ],
)
def test_raise_refused(objects: list[Raw], by: str | None, says: str | None) -> None:
    found = linted(objects).get("PL019")
    assert (found and found.params["by"], found and found.severity.value) == (by, says)


def test_an_llm_service_without_replicas_keeps_what_its_deployment_has() -> None:
    assert not {"PL009", "PL019", "PL029"} & linted([llm(), deployment({"name": "main"})]).keys()
