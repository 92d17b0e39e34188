"""What is read of objects, and where each value comes from."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from fleet.domain.lint.given import Origin
from fleet.domain.lint.measured import Measured
from fleet.domain.lint.reading.raw import duration_s, number, texts, whole
from fleet.domain.lint.reading.settings_of import settings_from_objects
from fleet.domain.lint.table import lint
from fleet.domain.records.keys import Mode
from tests.fleet.domain.lint.objects import (
    DEADLINE,
    HEALTH,
    STARTUP,
    Raw,
    config,
    deployment,
    isvc,
    llm,
    revision,
    runtime,
    settings_of,
    took,
)

SNAPSHOTS = Path(__file__).parents[3] / "fixtures" / "snapshots"
KINDS = {
    "inferenceservices": "InferenceService",
    "llminferenceservices": "LLMInferenceService",
    "revisions": "Revision",
    "deployments": "Deployment",
    "pods": "Pod",
}
STOCK = {"modelFormat": {"name": "vLLM"}, "runtime": "kserve-vllmserver"}


def snapshot(name: str) -> list[Raw]:
    """Objects of a recorded namespace; lists of an API leave out what kind they are of."""
    recorded = json.loads(gzip.decompress((SNAPSHOTS / f"{name}.json.gz").read_bytes()))
    return [
        {"kind": KINDS.get(path.rpartition("/")[2], "Other"), **each}
        for path, objects in recorded.items()
        for each in objects
    ]


def test_a_recorded_model_in_knative_mode() -> None:
    found = settings_of(*snapshot("loading"))
    assert (str(found.ref), found.mode) == ("InferenceService/vllm/llama", Mode.KNATIVE)
    assert (found.scaling.min.value, found.scaling.min.origin) == (0, Origin.ANNOTATION)
    assert (found.limits.timeout_s.value, found.limits.response_start_s.absent) == (300, True)
    startup = found.probes.startup.value
    assert startup is not None
    assert (startup.path, startup.budget_s) == ("/v1/models", 1830)
    assert found.probes.liveness.absent
    assert found.storage.weights_from == "storage-initializer"
    assert (found.rollout.gpus, found.storage.shm.value) == (1, True)
    assert found.is_vllm


def test_a_recorded_llm_service_has_the_presets_of_its_deployment() -> None:
    found = settings_of(*snapshot("llm_at_zero"))
    assert (found.mode, found.scaling.min.value) == (Mode.LLM, 0)
    readiness = found.probes.readiness.value
    assert readiness is not None
    assert (readiness.path, readiness.period_s, readiness.failures) == ("/health", 1, 2)
    assert [each.code for each in lint(found)] == ["PL026"]


@pytest.mark.parametrize("name", ["loading", "llm_at_zero"])
def test_recorded_models_against_slow_starts(name: str) -> None:
    measured = Measured(total=took(700), load=took(400), compile=took(60))
    codes = {each.code for each in lint(settings_of(*snapshot(name)), measured)}
    assert {"PL001", "PL014"} <= codes


@pytest.mark.parametrize(
    ("objects", "default", "mode", "stated"),
    [
        pytest.param([isvc(mode="Serverless")], Mode.STANDARD, Mode.KNATIVE, True, id="old name"),
        pytest.param(
            [isvc(mode="")], Mode.KNATIVE, Mode.KNATIVE, False, id="as KServe ships, not stated"
        ),
        pytest.param([isvc(mode="")], Mode.STANDARD, Mode.STANDARD, False, id="as asked"),
        pytest.param(
            [
                isvc(mode=""),
                config("inferenceservice-config", deploy='{"defaultDeploymentMode":"Standard"}'),
            ],
            Mode.KNATIVE,
            Mode.STANDARD,
            True,
            id="the cluster's default",
        ),
        pytest.param(
            [isvc(mode="Knative") | {"status": {"deploymentMode": "RawDeployment"}}],
            Mode.KNATIVE,
            Mode.STANDARD,
            True,
            id="a status keeps its mode",
        ),
    ],
)
def test_the_mode(objects: list[Raw], default: Mode, mode: Mode, stated: bool) -> None:
    (found,) = settings_from_objects(objects, default_mode=default)
    assert (found.mode, found.mode_stated) == (mode, stated)


@pytest.mark.parametrize(
    ("objects", "value", "origin"),
    [
        pytest.param([isvc()], 600, Origin.ASSUMED, id="nothing read"),
        pytest.param([isvc(), config("config-deployment")], 600, Origin.DEFAULT, id="silent"),
        pytest.param(
            [isvc(), config("config-deployment", progress_deadline="20m")],
            1200,
            Origin.CONFIG_MAP,
            id="the cluster's",
        ),
        pytest.param([isvc(notes={DEADLINE: "1h"})], 3600, Origin.ANNOTATION, id="the model's"),
        pytest.param(
            [isvc(annotations={DEADLINE: "90s"})], 90, Origin.ANNOTATION, id="the predictor's"
        ),
        pytest.param(
            [isvc(), revision(notes={DEADLINE: "30m"})], 1800, Origin.ANNOTATION, id="what runs"
        ),
        pytest.param([isvc(notes={DEADLINE: "soon"})], 600, Origin.ASSUMED, id="no duration"),
        pytest.param([isvc(mode="Standard")], 600, Origin.DEFAULT, id="Standard: fixed"),
    ],
)
def test_the_progress_deadline_and_its_origin(
    objects: list[Raw], value: float, origin: Origin
) -> None:
    limit = settings_of(*objects).limits.deadline_s
    assert (limit.value, limit.origin) == (value, origin)


def test_a_config_of_the_control_plane_goes_before_one_of_its_name() -> None:
    own = config("config-deployment", progress_deadline="20m")
    other = config("config-deployment", progress_deadline="1m")
    other["metadata"] = other["metadata"] | {"namespace": "chat"}
    assert settings_of(isvc(), other, own).limits.deadline_s.value == 1200
    assert settings_of(isvc(), other).limits.deadline_s.value == 60


def test_a_probe_is_the_models_over_the_runtimes() -> None:
    own = STOCK | {"startupProbe": {"failureThreshold": 90}}
    probe = settings_of(isvc(model=own), runtime({"startupProbe": STARTUP})).probes.startup.value
    assert probe is not None
    assert (probe.path, probe.failures, probe.period_s) == ("/health", 90, 10)


def test_a_runtime_of_the_namespace_goes_before_the_clusters() -> None:
    near = runtime({"livenessProbe": HEALTH}) | {"kind": "ServingRuntime"}
    near["metadata"] = near["metadata"] | {"namespace": "chat"}
    far = runtime({"startupProbe": STARTUP})
    probes = settings_of(isvc(model=STOCK), far, near).probes
    assert (probes.startup.absent, probes.liveness.value is not None) == (True, True)


def test_the_revision_that_the_status_names_is_read() -> None:
    old = revision(timeoutSeconds=60)
    new = revision(timeoutSeconds=900)
    new["metadata"] = new["metadata"] | {"name": "llama-predictor-00002"}
    model = isvc()
    model["status"] = {
        "components": {"predictor": {"latestCreatedRevision": old["metadata"]["name"]}}
    }
    assert settings_of(model, new, old).limits.timeout_s.value == 60
    assert settings_of(isvc(), new, old).limits.timeout_s.value == 900


def test_a_deployment_beside_the_server_is_not_taken_for_it() -> None:
    prefill = deployment({"name": "main", "livenessProbe": HEALTH})
    prefill["metadata"]["labels"]["llm-d.ai/role"] = "prefill"
    prefill["metadata"]["name"] = "qwen-kserve-prefill"
    found = settings_of(llm(), prefill, deployment({"name": "main"}))
    assert found.probes.liveness.absent


@pytest.mark.parametrize(
    ("wrapped", "count"),
    [
        pytest.param([{"kind": "List", "items": [isvc(), llm()]}], 2, id="kubectl's list"),
        pytest.param(
            [
                {
                    "kind": "InferenceServiceList",
                    "apiVersion": "serving.kserve.io/v1beta1",
                    "items": [{k: v for k, v in isvc().items() if k != "kind"}],
                }
            ],
            1,
            id="the API's list, items without a kind",
        ),
        pytest.param([{"inferenceservice": isvc(), "pods": [], "logs": {}}], 1, id="a bundle"),
        pytest.param(
            [{"inferenceservice": {"kind": "List", "items": [isvc()]}}], 1, id="a list in a bundle"
        ),
        pytest.param([{"kind": "Pod"}, None, 3, "x", []], 0, id="nothing of ours"),
    ],
)
def test_objects_in_lists_and_bundles(wrapped: list[Any], count: int) -> None:
    assert len(settings_from_objects(wrapped)) == count


LABEL = "pilotlight.dev/profile"


@pytest.mark.parametrize(
    ("objects", "label", "profile"),
    [
        pytest.param([isvc(labels={LABEL: "spiky"})], LABEL, "spiky", id="on the model"),
        pytest.param(
            [
                isvc(),
                {
                    "kind": "Namespace",
                    "metadata": {"name": "chat", "labels": {LABEL: "cost-first"}},
                },
            ],
            LABEL,
            "cost-first",
            id="on its namespace",
        ),
        pytest.param([isvc(labels={LABEL: "spiky"})], "", "", id="off"),
        pytest.param([isvc()], LABEL, "", id="nowhere"),
    ],
)
def test_the_profile_that_a_label_names(objects: list[Raw], label: str, profile: str) -> None:
    (found,) = settings_from_objects(objects, profile_label=label)
    assert found.profile == profile


@pytest.mark.parametrize(
    ("predictor", "is_vllm"),
    [
        pytest.param({"model": {"modelFormat": {"name": "vLLM"}}}, True, id="by format"),
        pytest.param({"huggingface": {"args": []}}, True, id="the older field"),
        pytest.param({"model": {"runtime": "kserve-vllmserver"}}, True, id="by a stock runtime"),
        pytest.param({"model": {"modelFormat": {"name": "sklearn"}}}, False, id="another format"),
        pytest.param({"containers": [{"image": "registry/mine:1"}]}, False, id="an unknown image"),
        pytest.param({"containers": [{"image": "vllm/vllm-openai:v0.11.0"}]}, True, id="by image"),
        pytest.param(
            {"containers": [{"command": ["sh", "-c", "exec vllm serve /m --port 8080"]}]},
            True,
            id="in a shell",
        ),
    ],
)
def test_what_is_taken_for_vllm(predictor: Raw, is_vllm: bool) -> None:
    raw = isvc() | {"spec": {"predictor": predictor}}
    assert settings_of(raw).is_vllm is is_vllm


FLOOR = "autoscaling.knative.dev/min-scale"


def autoscaler(floor: str) -> Raw:
    where = {"name": "llama-predictor-00001", "namespace": "chat", "annotations": {FLOOR: floor}}
    return {"kind": "PodAutoscaler", "metadata": where}


@pytest.mark.parametrize(
    ("objects", "floor"),
    [
        pytest.param([isvc()], 1, id="not said"),
        pytest.param([isvc(minReplicas=0)], 0, id="as asked"),
        pytest.param(
            [isvc(minReplicas=0), revision(notes={FLOOR: "2"})], 2, id="raised at the Revision"
        ),
        pytest.param(
            [isvc(minReplicas=0), revision(notes={FLOOR: "0"}), autoscaler("3")],
            3,
            id="raised at the PodAutoscaler, as up to 1.20",
        ),
        pytest.param(
            [isvc(minReplicas=0), autoscaler("3")], 0, id="of a Revision that was not given"
        ),
    ],
)
def test_the_floor_as_it_takes_effect(objects: list[Raw], floor: int) -> None:
    assert settings_of(*objects).scaling.min.value == floor


@pytest.mark.parametrize(
    ("raw", "gpus"),
    [
        pytest.param(isvc(), 1, id="of one pod"),
        pytest.param(isvc({"resources": {}}), 0, id="none"),
        pytest.param(
            isvc({"resources": {"limits": {"nvidia.com/mig-1g.5gb": 2, "cpu": "4"}}}),
            2,
            id="parts of one",
        ),
        pytest.param(isvc(model=STOCK), None, id="the runtime was not given"),
        pytest.param(isvc(workerSpec={"pipelineParallelSize": 2}), None, id="workers elsewhere"),
        pytest.param(llm({"name": "main"}, worker={"containers": []}), None, id="worker pods"),
    ],
)
def test_gpus_of_one_replica(raw: Raw, gpus: int | None) -> None:
    assert settings_of(raw).rollout.gpus == gpus


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        pytest.param("600s", 600, id="seconds"),
        pytest.param("1h30m", 5400, id="hours and minutes"),
        pytest.param("1.5m", 90, id="a fraction"),
        pytest.param("0", 0, id="nothing"),
        pytest.param("600", None, id="no unit"),
        pytest.param("10 m", None, id="a blank"),
        pytest.param("", None, id="empty"),
        pytest.param(600, None, id="a number"),
        pytest.param("ms5", None, id="a unit first"),
    ],
)
def test_durations(written: object, seconds: float | None) -> None:
    assert duration_s(written) == seconds


def test_numbers_that_no_setting_can_be_are_none() -> None:
    assert [number(each) for each in ("nan", "inf", 10**400, True, None, "1e300")] == [None] * 6
    assert [whole(each) for each in ("3", 3.0, "3.5", " 4 ")] == [3, 3, None, 4]
    assert texts({"a": True, "b": 1, "c": None, "d": []}) == {"a": "true", "b": "1"}
