"""Clusters of the demo's three kinds with small models of every form, for proofs over many starts.

Small, so that an hour holds many starts; of every form, so that a proof covers how weights and
images come to a replica.
"""

from __future__ import annotations

from dataclasses import replace

from simulator.world.catalogue import (
    HUGGINGFACE,
    LLM_D,
    SETTINGS,
    V11,
    V13,
    V20,
    V33,
    VLLM,
    cluster_plan,
    model,
)
from simulator.world.profiles import Profile, Rhythm, Runtime, Trouble
from simulator.world.world import WorldPlan

_CUSTOM = {"runtime": Runtime.CUSTOM, "image": f"{VLLM}:v0.20.2", "vllm": V20}
_CUSTOM_13 = {"runtime": Runtime.CUSTOM, "image": f"{VLLM}:v0.13.0", "vllm": V13}
_HF = {"runtime": Runtime.HUGGINGFACESERVER, "image": f"{HUGGINGFACE}:v0.16.0-gpu", "vllm": V11}
_LLM = {"runtime": Runtime.LLMISVC, "image": LLM_D, "vllm": V33}


def _small(name: str, weights_gb: float, **more: object) -> Profile:
    """Nobody's own rhythm: who comes is decided by the proof."""
    settings: dict[str, object] = {"target": 4, "max_replicas": 3} | more
    return model(name, "chat", weights_gb, Rhythm.NEVER, **settings)


# fmt: off
KNATIVE: tuple[Profile, ...] = (
    _small("hub", 2.4, probe_period_s=2),
    _small("hub-s3", 4.1, storage="s3://models/hub-s3", **_CUSTOM),
    _small("hub-hf", 3.3, **_HF),
    _small("claim", 5.0, storage="pvc://weights/claim", eager=True, **_CUSTOM_13),
    _small("claim-2", 6.0, storage="pvc://weights/claim-2", probe_period_s=3),
    _small("app", 2.8, storage="", probe_period_s=1, **_CUSTOM),
    _small("app-13", 1.9, storage="", eager=True, **_CUSTOM_13),
    _small("car", 3.4, storage="oci://quay.io/models/modelcar-small:1"),
    _small("car-big", 3.4, storage="oci://quay.io/models/modelcar-big:1", **_CUSTOM),
    _small("baked", 5.6, storage="", baked=True, runtime=Runtime.CUSTOM, vllm=V20,
           image="quay.io/models/baked-vllm:v0.20.2"),
    _small("cache", 7.1, storage="hf://models/cache", local_cache=True),
    _small("slow-probe", 2.0, probe_period_s=30),
    _small("floor", 3.0, min_replicas=1),
    _small("pair", 9.0, gpus=2, max_replicas=2, compile_cached=False),
    _small("bursts-pool", 4.0, gpus=2, max_replicas=1, pool="l40s", trouble=Trouble.COLD_IMAGE),
    _small("twice", 2.2, trouble=Trouble.CRASH_ONCE, **_CUSTOM),
    _small("never", 30.0, trouble=Trouble.CRASH_LOOP, max_replicas=1, **_CUSTOM_13),
)
# fmt: on
STANDARD: tuple[Profile, ...] = (
    _small("hub", 2.4, min_replicas=1),
    _small("hub-s3", 4.1, min_replicas=1, storage="s3://models/hub-s3", **_CUSTOM),
    _small("claim", 5.0, min_replicas=1, storage="pvc://weights/claim", **_CUSTOM_13),
    _small("app", 2.8, min_replicas=1, storage="", **_CUSTOM),
    _small("car", 3.4, autoscaler="none", storage="oci://quay.io/models/modelcar-small:1"),
    _small("cache", 7.1, min_replicas=1, storage="hf://models/cache", local_cache=True),
    _small("night", 3.2, autoscaler="none", **_CUSTOM),
    _small("night-hf", 1.1, autoscaler="none", eager=True, **_HF),
    _small("twice", 2.2, autoscaler="none", trouble=Trouble.CRASH_ONCE, **_CUSTOM),
    _small("llm", 6.8, min_replicas=1, **_LLM),
    _small("llm-night", 4.2, **_LLM),
    _small("llm-split", 3.0, min_replicas=1, prefill=1, **_LLM),
    _small("llm-group", 8.0, gpus=2, nodes=2, max_replicas=2, **_LLM),
    _small("llm-big", 12.0, gpus=2, max_replicas=2, **_LLM),
)


def busy_plans(*, seed: int) -> list[WorldPlan]:
    """Knative 1.21, Knative 1.20, and Standard mode with LLMInferenceServices.

    KServe of the second cluster ships no runtime for vLLM, so its models bring their own.
    """
    older = tuple(
        replace(each, runtime=Runtime.CUSTOM) if each.runtime is Runtime.VLLMSERVER else each
        for each in KNATIVE
    )
    tables = (KNATIVE, older, STANDARD)
    return [
        cluster_plan(settings, models, seed=seed)
        for settings, models in zip(SETTINGS, tables, strict=True)
    ]
