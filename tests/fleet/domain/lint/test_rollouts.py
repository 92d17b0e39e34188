"""Updates, stops, scale-downs: PL016, PL020, PL025, PL030, PL031."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.domain.lint.measured import Measured
from tests.fleet.domain.lint.objects import (
    SERVER,
    Raw,
    deployment,
    isvc,
    linted,
    llm,
    runtime,
    severity,
    without,
)

STOP = "serving.kserve.io/stop"
FROZEN = "serving.kserve.io/disable-auto-update"


def rolling(**rolling_update: Any) -> dict[str, Any]:
    return {"deploymentStrategy": {"type": "RollingUpdate", "rollingUpdate": rolling_update}}


@pytest.mark.parametrize(
    ("objects", "free", "says"),
    [
        pytest.param([isvc(mode="Standard")], None, "advice", id="the default of 25 %"),
        pytest.param([isvc(mode="Standard")], 0, "warning", id="no GPU is free"),
        pytest.param([isvc(mode="Standard")], 1, None, id="one is free"),
        pytest.param(
            [isvc(mode="Standard", **rolling(maxSurge=0, maxUnavailable=1))], None, None, id="none"
        ),
        pytest.param(
            [isvc(mode="Standard", minReplicas=4)], None, None, id="25 % of 4 is one fewer too"
        ),
        pytest.param(
            [isvc(mode="Standard", deploymentStrategy={"type": "Recreate"})],
            None,
            None,
            id="all stop first",
        ),
        pytest.param([isvc()], 0, None, id="Knative: nothing to set"),
        pytest.param([isvc({"resources": {}}, mode="Standard")], 0, None, id="it needs no GPU"),
        pytest.param(
            [llm(replicas=1), deployment(SERVER | {"name": "main"})],
            0,
            "warning",
            id="LLMInferenceService",
        ),
        pytest.param(
            [llm(replicas=0), deployment(SERVER | {"name": "main"})], 0, None, id="none runs"
        ),
    ],
)
def test_surge(objects: list[Raw], free: int | None, says: str | None) -> None:
    assert severity("PL016", objects, Measured(free_gpus=free)) == says


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        pytest.param(isvc(notes={STOP: "false"}), "warning", id="false"),
        pytest.param(isvc(notes={STOP: ""}, mode="Standard"), "warning", id="nothing"),
        pytest.param(isvc(notes={STOP: "True"}), None, id="stopped"),
        pytest.param(isvc(), None, id="absent"),
        pytest.param(
            llm() | {"metadata": {"name": "qwen", "annotations": {STOP: "false"}}},
            None,
            id="an LLMInferenceService does not copy it",
        ),
    ],
)
def test_stop_false(raw: Raw, says: str | None) -> None:
    assert severity("PL020", [raw]) == says


def test_what_yaml_made_a_truth_of_is_read_as_written() -> None:
    raw = isvc()
    raw["metadata"]["annotations"][STOP] = False
    assert linted([raw])["PL020"].params == {"value": "false"}


@pytest.mark.parametrize(
    ("image", "says"),
    [
        pytest.param("vllm/vllm-openai", "advice", id="no tag"),
        pytest.param("registry:5000/vllm/vllm-openai:latest", "advice", id="latest"),
        pytest.param("vllm/vllm-openai:v0.11.0", None, id="a version"),
        pytest.param("vllm/vllm-openai@sha256:abc", None, id="a digest"),
        pytest.param("", None, id="none said"),
    ],
)
def test_floating_tag(image: str, says: str | None) -> None:
    assert severity("PL025", [isvc({"image": image})]) == says


@pytest.mark.parametrize(
    ("value", "says"),
    [
        pytest.param("true", "advice", id="frozen"),
        pytest.param("false", None, id="not frozen"),
    ],
)
def test_frozen(value: str, says: str | None) -> None:
    assert severity("PL030", [isvc(notes={FROZEN: value})]) == says


STOCK = {"modelFormat": {"name": "vLLM"}, "runtime": "kserve-vllmserver"}


@pytest.mark.parametrize(
    ("objects", "says"),
    [
        pytest.param([without("lifecycle", mode="Standard")], "advice", id="no pause"),
        pytest.param([isvc(mode="Standard")], None, id="a pause"),
        pytest.param([without("lifecycle")], None, id="Knative drains"),
        pytest.param([isvc(model=STOCK, mode="Standard")], None, id="the runtime was not given"),
        pytest.param(
            [isvc(model=STOCK, mode="Standard"), runtime({"image": "x"})], "advice", id="nor there"
        ),
    ],
)
def test_no_drain(objects: list[Raw], says: str | None) -> None:
    assert severity("PL031", objects) == says
