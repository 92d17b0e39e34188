"""Probes against loading: PL002, PL004, PL005, PL006, PL022, PL026."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.domain.lint.measured import Lengths, Measured
from tests.fleet.domain.lint.objects import (
    HEALTH,
    STARTUP,
    Raw,
    deployment,
    few,
    isvc,
    linted,
    llm,
    revision,
    runtime,
    severity,
    took,
    without,
)

WITH_STARTUP = isvc({"startupProbe": STARTUP})  # 600 s
LIVENESS = HEALTH | {"initialDelaySeconds": 60, "periodSeconds": 10, "failureThreshold": 3}
STOCK = {"modelFormat": {"name": "vLLM"}, "runtime": "kserve-vllmserver"}
MODELS = {"httpGet": {"path": "/v1/models", "port": 8080}, "timeoutSeconds": 5}
KEY = {"args": ["--model", "/models/llama", "--api-key=sk-secret"]}


@pytest.mark.parametrize(
    ("objects", "load", "says"),
    [
        pytest.param([WITH_STARTUP], took(601), "error", id="loading takes longer"),
        pytest.param([WITH_STARTUP], few(601), "error", id="the longest of three"),
        pytest.param([WITH_STARTUP], took(481), "warning", id="over 80 %"),
        pytest.param([WITH_STARTUP], took(480), None, id="at 80 %"),
        pytest.param([WITH_STARTUP], None, None, id="not measured"),
        pytest.param([isvc()], took(900), None, id="no startup probe"),
        pytest.param([isvc(model=STOCK)], took(9000), None, id="the runtime was not given"),
        pytest.param(
            [isvc(model=STOCK), runtime({"startupProbe": STARTUP})],
            took(700),
            "error",
            id="of the runtime",
        ),
        pytest.param(
            [
                isvc(model=STOCK | {"startupProbe": {"failureThreshold": 180}}),
                runtime({"startupProbe": STARTUP}),
            ],
            took(700),
            None,
            id="the model's own number over the runtime's",
        ),
        pytest.param(
            [isvc(model=STOCK), runtime({"startupProbe": STARTUP}), revision()],
            took(700),
            None,
            id="what runs goes before the runtime",
        ),
    ],
)
def test_startup_budget(objects: list[Raw], load: Lengths | None, says: str | None) -> None:
    assert severity("PL002", objects, Measured(load=load)) == says


def test_failures_are_proposed_for_twice_the_load() -> None:
    found = linted([WITH_STARTUP], Measured(load=took(700)))["PL002"]
    assert (found.params["failures"], found.params["budget_s"]) == (140, 600)
    assert "path: /spec/predictor/containers/0/startupProbe/failureThreshold" in found.patch


@pytest.mark.parametrize(
    ("raw", "load", "says"),
    [
        pytest.param(
            isvc({"livenessProbe": LIVENESS}), took(91), "error", id="kills while loading"
        ),
        pytest.param(isvc({"livenessProbe": LIVENESS}), took(46), "warning", id="over half"),
        pytest.param(isvc({"livenessProbe": LIVENESS}), took(45), "advice", id="at half"),
        pytest.param(isvc({"livenessProbe": LIVENESS}), None, "warning", id="not measured"),
        pytest.param(
            isvc({"livenessProbe": LIVENESS, "startupProbe": STARTUP}),
            took(91),
            None,
            id="held back",
        ),
        pytest.param(isvc(), took(91), None, id="no liveness probe"),
        pytest.param(
            isvc(model=STOCK | {"livenessProbe": LIVENESS}),
            took(91),
            None,
            id="whether the runtime has a startup probe is not known",
        ),
    ],
)
def test_liveness_alone(raw: Raw, load: Lengths | None, says: str | None) -> None:
    assert severity("PL004", [raw], Measured(load=load)) == says


def test_the_startup_probe_that_is_proposed_needs_no_key() -> None:
    raw = isvc({"livenessProbe": MODELS, **KEY})
    patch = linted([raw])["PL004"].patch
    assert "path: /health" in patch
    assert "/v1/models" not in patch


TCP = {"tcpSocket": {"port": 8080}}
HF = {"args": ["--model_name=llama"], "command": ["python", "-m", "huggingfaceserver"]}


@pytest.mark.parametrize(
    ("objects", "path"),
    [
        pytest.param([without("readinessProbe")], "/health", id="none is declared"),
        pytest.param([isvc({"readinessProbe": TCP})], "/health", id="a port"),
        pytest.param([isvc({"readinessProbe": {"periodSeconds": 5}})], "/health", id="no action"),
        pytest.param([isvc({"readinessProbe": TCP, **HF})], "/v1/models/llama", id="KServe's own"),
        pytest.param([isvc()], None, id="it asks the server"),
        pytest.param(
            [isvc({"readinessProbe": {"exec": {"command": ["x"]}}})], None, id="a command"
        ),
        pytest.param([isvc(model=STOCK)], None, id="the runtime was not given"),
        pytest.param([llm()], None, id="presets were not given"),
        pytest.param(
            [isvc({"image": "other/server", "args": [], "readinessProbe": TCP})],
            None,
            id="not vLLM",
        ),
    ],
)
def test_port_as_readiness(objects: list[Raw], path: str | None) -> None:
    found = linted(objects).get("PL005")
    assert (found.params["path"] if found else None) == path


def test_beside_a_queue_proxy_the_containers_own_readiness_says_nothing() -> None:
    running = deployment({"name": "kserve-container"}, of_llm=False)
    assert severity("PL005", [isvc(model=STOCK, mode="Standard"), running]) == "warning"
    running["spec"]["template"]["spec"]["containers"].append({"name": "queue-proxy"})
    assert severity("PL005", [isvc(model=STOCK), running]) is None


def test_a_port_probe_of_the_runtime_is_mended_there() -> None:
    found = linted([isvc(model=STOCK), runtime({"readinessProbe": TCP})])["PL005"]
    assert found.patch == ""


@pytest.mark.parametrize(
    ("server", "probes"),
    [
        pytest.param({"readinessProbe": MODELS, **KEY}, ["readinessProbe"], id="an argument"),
        pytest.param(
            {
                "readinessProbe": MODELS,
                "startupProbe": MODELS,
                "env": [{"name": "VLLM_API_KEY", "valueFrom": {"secretKeyRef": {}}}],
            },
            ["startupProbe", "readinessProbe"],
            id="a variable",
        ),
        pytest.param({"readinessProbe": MODELS}, None, id="no key"),
        pytest.param({"readinessProbe": HEALTH, **KEY}, None, id="/health is open"),
        pytest.param(
            {
                "readinessProbe": {
                    "httpGet": {
                        "path": "/v1/models",
                        "port": 8080,
                        "httpHeaders": [{"name": "Authorization", "value": "Bearer x"}],
                    }
                },
                **KEY,
            },
            None,
            id="the probe has a key",
        ),
        pytest.param(
            {"readinessProbe": MODELS, **HF, "env": [{"name": "VLLM_API_KEY", "value": "x"}]},
            None,
            id="KServe's own server",
        ),
    ],
)
def test_models_with_key(server: dict[str, Any], probes: list[str] | None) -> None:
    found = linted([isvc(server)]).get("PL006")
    assert (found.params["probes"] if found else None) == probes
    assert "sk-secret" not in repr(found)


RARE = HEALTH | {"initialDelaySeconds": 30, "periodSeconds": 30, "failureThreshold": 60}


@pytest.mark.parametrize(
    ("startup", "lag", "says"),
    [
        pytest.param(RARE, took(20, p50_s=12), "advice", id="a period of 30 s"),
        pytest.param(STARTUP | {"initialDelaySeconds": 20}, took(20), "advice", id="a late look"),
        pytest.param(STARTUP, took(20), None, id="a period of 10 s"),
        pytest.param(RARE, took(20, p50_s=4.9), None, id="little is lost"),
        pytest.param(RARE, few(20), None, id="too few starts for a middle"),
        pytest.param(RARE, None, None, id="not measured"),
        pytest.param(None, took(20), None, id="no startup probe"),
    ],
)
def test_slow_look(startup: Raw | None, lag: Lengths | None, says: str | None) -> None:
    raw = isvc({"startupProbe": startup} if startup else {})
    assert severity("PL022", [raw], Measured(lag=lag)) == says


def test_a_quicker_look_keeps_the_budget() -> None:
    found = linted([isvc({"startupProbe": RARE})], Measured(lag=took(20)))["PL022"]
    assert "value: 5\n" in found.patch
    assert f"value: {(30 + 30 * 60) // 5}" in found.patch


@pytest.mark.parametrize(
    ("server", "says"),
    [
        pytest.param({"livenessProbe": LIVENESS | {"timeoutSeconds": 1}}, "warning", id="kills"),
        pytest.param(
            {"livenessProbe": {"httpGet": {"path": "/health"}}}, "warning", id="by default 1 s × 3"
        ),
        pytest.param({"livenessProbe": LIVENESS}, None, id="waits 5 s"),
        pytest.param(
            {"livenessProbe": LIVENESS | {"timeoutSeconds": 1, "failureThreshold": 10}},
            None,
            id="ten failures",
        ),
        pytest.param(
            {
                "readinessProbe": HEALTH
                | {"timeoutSeconds": 1, "periodSeconds": 1, "failureThreshold": 2}
            },
            "advice",
            id="out of rotation after 2 s",
        ),
        pytest.param(
            {"readinessProbe": {"httpGet": {"path": "/health"}}}, None, id="readiness by default"
        ),
        pytest.param({}, None, id="patient"),
    ],
)
def test_impatient(server: dict[str, Any], says: str | None) -> None:
    assert severity("PL026", [isvc(server)]) == says
