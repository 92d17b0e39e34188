"""Weights, caches, shared memory: PL013, PL014, PL015, PL024."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.domain.lint.measured import Measured
from tests.fleet.domain.lint.objects import (
    SERVER,
    Raw,
    few,
    isvc,
    linted,
    llm,
    revision,
    runtime,
    severity,
    took,
)

HUB = {"modelFormat": {"name": "vLLM"}, "storageUri": "hf://meta-llama/Llama-3.1-8B"}
SLOW = Measured(total=took(300, p50_s=200), fetch=took(150, p50_s=100))


@pytest.mark.parametrize(
    ("raw", "measured", "says"),
    [
        pytest.param(isvc(model=HUB), SLOW, "warning", id="half of a start"),
        pytest.param(llm(), SLOW, "warning", id="LLMInferenceService"),
        pytest.param(
            isvc(model=HUB),
            Measured(total=took(300, p50_s=200), fetch=took(60, p50_s=59)),
            None,
            id="under 30 %",
        ),
        pytest.param(
            isvc(model=HUB),
            Measured(total=took(60, p50_s=40), fetch=took(30, p50_s=29)),
            None,
            id="under 30 s",
        ),
        pytest.param(isvc(model=HUB), Measured(total=few(300), fetch=few(200)), None, id="too few"),
        pytest.param(isvc(model=HUB), Measured(), None, id="not measured"),
        pytest.param(
            isvc(model=HUB | {"storageUri": "pvc://weights/llama"}), SLOW, None, id="from a claim"
        ),
        pytest.param(
            isvc(model=HUB | {"storageUri": "oci://registry/llama:1"}), SLOW, None, id="an image"
        ),
        pytest.param(
            isvc(model=HUB),
            Measured(total=SLOW.total, fetch=SLOW.fetch, weights_from="local-cache"),
            None,
            id="starts say: from the node's cache",
        ),
    ],
)
def test_no_model_cache(raw: Raw, measured: Measured, says: str | None) -> None:
    assert severity("PL013", [raw], measured) == says


def test_the_prefetch_names_what_knative_must_allow() -> None:
    patch = linted([isvc(model=HUB)], SLOW)["PL013"].patch
    assert "kubernetes.podspec-init-containers: enabled" in patch
    assert "podspec" not in linted([isvc(model=HUB, mode="Standard")], SLOW)["PL013"].patch


COMPILES = Measured(compile=took(60, p50_s=40))


def kept_at(path: str, volume: dict[str, Any], **variables: str) -> dict[str, Any]:
    """A server with one volume, and variables."""
    return {
        "volumeMounts": [{"name": "kept", "mountPath": path}],
        "env": [{"name": name, "value": value} for name, value in variables.items()],
    }


CLAIM = {"name": "kept", "persistentVolumeClaim": {"claimName": "cache"}}
EMPTY = {"name": "kept", "emptyDir": {}}


@pytest.mark.parametrize(
    ("objects", "measured", "says"),
    [
        pytest.param([isvc()], COMPILES, "advice", id="in the pod's own file system"),
        pytest.param(
            [isvc(kept_at("/cache", EMPTY, VLLM_CACHE_ROOT="/cache/vllm"), volumes=[EMPTY])],
            COMPILES,
            "advice",
            id="in an emptyDir",
        ),
        pytest.param(
            [isvc(kept_at("/cache", CLAIM, VLLM_CACHE_ROOT="/cache/vllm"), volumes=[CLAIM])],
            COMPILES,
            None,
            id="on a claim",
        ),
        pytest.param(
            [isvc(kept_at("/home/me/.cache", CLAIM, HOME="/home/me"), volumes=[CLAIM])],
            COMPILES,
            None,
            id="the home's cache on a claim",
        ),
        pytest.param([isvc(model=HUB)], COMPILES, None, id="the runtime was not given"),
        pytest.param([isvc(model=HUB), revision()], COMPILES, "advice", id="what runs says it"),
        pytest.param([isvc()], Measured(compile=took(10, p50_s=9)), None, id="under 10 s"),
        pytest.param([isvc()], Measured(), None, id="not measured"),
        pytest.param(
            [isvc({"env": [{"name": "VLLM_CACHE_ROOT", "valueFrom": {}}]})],
            COMPILES,
            None,
            id="where it is is not shown",
        ),
    ],
)
def test_compile_cache(objects: list[Raw], measured: Measured, says: str | None) -> None:
    assert severity("PL014", objects, measured) == says


FACE = {"modelFormat": {"name": "huggingface"}}


def served(*words: str) -> dict[str, Any]:
    return {"args": list(words)}


@pytest.mark.parametrize(
    ("objects", "says"),
    [
        pytest.param([isvc(served("--model", "Qwen/Qwen3-8B"))], "warning", id="a name, two words"),
        pytest.param([isvc(served("--model=Qwen/Qwen3-8B"))], "warning", id="a name, one word"),
        pytest.param(
            [isvc({"command": ["vllm", "serve", "Qwen/Qwen3-8B"], "args": []})],
            "warning",
            id="behind vllm serve",
        ),
        pytest.param(
            [isvc(model=FACE | served("--model_id=Qwen/Qwen3-8B"))],
            "advice",
            id="whether it is kept is not known",
        ),
        pytest.param([isvc(served("--model", "/models/llama"))], None, id="a path"),
        pytest.param(
            [isvc(model=HUB | served("--model", "Qwen/Qwen3-8B"))], None, id="KServe fetches"
        ),
        pytest.param(
            [
                isvc(
                    SERVER
                    | served("--model", "Qwen/Qwen3-8B")
                    | kept_at("/hub", CLAIM, HF_HOME="/hub"),
                    volumes=[CLAIM],
                )
            ],
            None,
            id="the hub's cache is kept",
        ),
        pytest.param([llm()], None, id="LLMInferenceService"),
    ],
)
def test_app_downloads(objects: list[Raw], says: str | None) -> None:
    assert severity("PL015", objects) == says


@pytest.mark.parametrize("words", [("--model_id", "Qwen/Qwen3-8B"), ("--model_id=Qwen/Qwen3-8B",)])
def test_the_argument_goes_and_the_address_comes(words: tuple[str, ...]) -> None:
    patch = linted([isvc(model=FACE | served("--x", *words))])["PL015"].patch
    assert patch.count("op: remove") == len(words)
    assert 'value: "hf://Qwen/Qwen3-8B"' in patch


MEMORY = {"name": "shm", "emptyDir": {"medium": "Memory"}}
MOUNTED = {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}
TWO = served("--model", "/models/llama", "--tensor-parallel-size", "2")


@pytest.mark.parametrize(
    ("objects", "says"),
    [
        pytest.param([isvc(TWO)], "warning", id="two GPUs, no volume"),
        pytest.param([isvc(TWO | MOUNTED, volumes=[MEMORY])], None, id="a memory volume"),
        pytest.param(
            [isvc(TWO | MOUNTED, volumes=[{"name": "shm", "emptyDir": {}}])],
            "warning",
            id="a volume on disk",
        ),
        pytest.param([isvc(served("--model", "/m", "-tp=2"))], "warning", id="by its short name"),
        pytest.param([isvc(served("--model", "/m"))], None, id="one GPU"),
        pytest.param([isvc(model=HUB | TWO)], None, id="the runtime was not given"),
        pytest.param([isvc(model=HUB | TWO), revision(SERVER | TWO)], "warning", id="what runs"),
        pytest.param(
            [
                isvc(model=HUB | {"runtime": "mine"} | TWO),
                runtime({"image": "vllm/vllm-openai:v0.11.0"}, name="mine"),
            ],
            "warning",
            id="the runtime mounts none",
        ),
    ],
)
def test_shared_memory(objects: list[Raw], says: str | None) -> None:
    assert severity("PL024", objects) == says
