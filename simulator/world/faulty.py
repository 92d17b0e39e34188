"""Clusters with one model for each fault that can be seeded, all healthy at first; and a cluster's
worth of models that nothing ever happens to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from simulator.world.catalogue import HUGGINGFACE, LLM_D, SETTINGS, V11, V33, cluster_plan, model
from simulator.world.cluster import Settings
from simulator.world.profiles import Profile, Rhythm, Runtime
from simulator.world.world import WorldPlan


def _small(name: str, **more: object) -> Profile:
    """Quickly up, with GPUs that nobody else takes."""
    settings: dict[str, object] = {
        "pool": f"of-{name}",
        "eager": True,
        "probe_period_s": 10,
        "max_replicas": 1,
        "timeout_s": 60,
        "team": "chaos",
    }
    return model(name, "chat", 2.0, Rhythm.NEVER, **(settings | more))


# The model by the fault that it is for; settings that the fault needs are there from the start.
# fmt: off
KNATIVE: Mapping[str, Profile] = {
    "timeout": _small("hasty", timeout_s=12),
    "ingress-timeout": _small("cut-short", timeout_s=300),
    "gpu-oom": _small("too-big"),
    "liveness": _small("shot", liveness=True, runtime=Runtime.CUSTOM),
    "denied": _small("gated"),
    "slow-download": _small("trickle"),
    "hub-busy": _small("limited"),
    "image": _small("no-image", image="docker.io/vllm/vllm-openai:v0.11.0-custom"),
    "no-gpu": _small("no-gpu"),
    "deadline": _small("late", progress_deadline_s=45, min_replicas=1, pool="", max_replicas=3),
    "startup-probe": _small("strict", startup_failures=4),
    "rollout": _small("stuck", min_replicas=1),
    "engine": _small("dead", min_replicas=1, runtime=Runtime.HUGGINGFACESERVER, vllm=V11,
                     image=f"{HUGGINGFACE}:v0.16.0-gpu"),
    "overload": _small("full", min_replicas=1, concurrency=4, burst_capacity=0),
    "host-oom": _small("hungry", min_replicas=1),
}
_STANDARD: dict[str, object] = {"min_replicas": 1, "autoscaler": "none"}
STANDARD: Mapping[str, Profile] = {
    "engine": _small("dead", **_STANDARD, runtime=Runtime.HUGGINGFACESERVER, vllm=V11,
                     image=f"{HUGGINGFACE}:v0.16.0-gpu"),
    "overload": _small("full", **_STANDARD),
    "host-oom": _small("hungry", **_STANDARD),
    "drain": _small("moved", **_STANDARD | {"pool": "", "max_replicas": 8}),
}
# fmt: on


def faulty_plan(settings: Settings, *, seed: int) -> WorldPlan:
    """A cluster with the models of every fault that its mode knows."""
    return cluster_plan(settings, list(table_of(settings).values()), seed=seed)


def table_of(settings: Settings) -> Mapping[str, Profile]:
    return STANDARD if settings.knative is None else KNATIVE


def _healthy(name: str, rhythm: Rhythm, **more: object) -> Profile:
    settings: dict[str, object] = {"eager": True, "probe_period_s": 5, "min_replicas": 1}
    return model(name, "chat", 6.0, rhythm, **(settings | more))


_LLM = {"runtime": Runtime.LLMISVC, "image": LLM_D, "vllm": V33}
_HUGGINGFACE = {
    "runtime": Runtime.HUGGINGFACESERVER,
    "image": f"{HUGGINGFACE}:v0.16.0-gpu",
    "vllm": V11,
}


def healthy_plans(*, seed: int) -> list[WorldPlan]:
    """24 models in three clusters: some called all day, some woken now and then, some for many."""
    knative = (
        _healthy("steady-1", Rhythm.STEADY),
        _healthy("steady-2", Rhythm.STEADY, max_replicas=3),
        _healthy("busy-1", Rhythm.BUSY),
        _healthy("hub", Rhythm.STEADY, **_HUGGINGFACE),
        _healthy("woken-1", Rhythm.BURSTS, min_replicas=0),
        _healthy("woken-2", Rhythm.RARE, min_replicas=0),
        _healthy("woken-3", Rhythm.BURSTS, min_replicas=0, target=2, max_replicas=2),
        _healthy("direct", Rhythm.STEADY, burst_capacity=0),
    )
    older = tuple(
        replace(each, runtime=Runtime.CUSTOM) if each.runtime is Runtime.VLLMSERVER else each
        for each in knative
    )
    standard = (
        *(_healthy(f"plain-{number}", Rhythm.STEADY, autoscaler="none") for number in range(1, 4)),
        _healthy("busy-2", Rhythm.BUSY, autoscaler="none"),
        _healthy("hub", Rhythm.STEADY, autoscaler="none", **_HUGGINGFACE),
        _healthy("llm-1", Rhythm.STEADY, **_LLM),
        _healthy("llm-2", Rhythm.STEADY, **_LLM),
        _healthy("llm-3", Rhythm.BUSY, **_LLM),
    )
    tables = (knative, older, standard)
    return [
        cluster_plan(settings, models, seed=seed)
        for settings, models in zip(SETTINGS, tables, strict=True)
    ]
