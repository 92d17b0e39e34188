"""The models, nodes and teams of the demo clusters, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simulator.world.cluster import Ingress, Settings
from simulator.world.nodepools import Pool
from simulator.world.nodes import NodePlan
from simulator.world.profiles import Profile, Rhythm, Runtime, Trouble
from simulator.world.world import WorldPlan

VLLM = "docker.io/vllm/vllm-openai"
HUGGINGFACE = "docker.io/kserve/huggingfaceserver"
SKLEARN = "docker.io/kserve/sklearnserver:v0.20.0"
LLM_D = "ghcr.io/llm-d/llm-d-cuda:v0.6.0"

V11, V13, V20, V33 = (0, 11, 0), (0, 13, 0), (0, 20, 2), (0, 33, 0)
PILOT_POOL = "pilot"


def model(name: str, namespace: str, weights_gb: float, rhythm: Rhythm, **more: object) -> Profile:
    base = Profile(
        name=name,
        namespace=namespace,
        runtime=Runtime.VLLMSERVER,
        image=f"{VLLM}:v0.11.0",
        vllm=V11,
        weights_gb=weights_gb,
        storage=f"hf://models/{name}",
        rhythm=rhythm,
    )
    return replace(base, **more)  # type: ignore[arg-type]


_CUSTOM_20 = {"runtime": Runtime.CUSTOM, "image": f"{VLLM}:v0.20.2", "vllm": V20}
_CUSTOM_13 = {"runtime": Runtime.CUSTOM, "image": f"{VLLM}:v0.13.0", "vllm": V13}
_HF = {"runtime": Runtime.HUGGINGFACESERVER, "image": f"{HUGGINGFACE}:v0.16.0-gpu", "vllm": V11}
_LLM = {"runtime": Runtime.LLMISVC, "image": LLM_D, "vllm": V33}

PILOT = model(
    "pilot",
    "chat",
    1.2,
    Rhythm.NEVER,
    storage="pvc://pilot-weights/pilot",
    eager=True,
    probe_period_s=2,
    pool=PILOT_POOL,
    team="platform",
    environment="demo",
)

# Knative 1.21.
FIRST: tuple[Profile, ...] = (
    PILOT,
    model("llama-3-8b", "chat", 16.1, Rhythm.BURSTS, team="assistant", target=16, max_replicas=3),
    model("qwen-7b", "rag", 15.2, Rhythm.BURSTS, team="search", target=2, max_replicas=2),
    model("mistral-7b", "agents", 14.5, Rhythm.STEADY, team="agents", min_replicas=1),
    model("embedder", "search", 2.3, Rhythm.STEADY, team="search", min_replicas=1, eager=True),
    model(
        "coder-30b", "agents", 61.0, Rhythm.RARE, team="agents", gpus=2, max_replicas=1,
        trouble=Trouble.COLD_IMAGE, pool="l40s", image=f"{VLLM}:v0.13.0", vllm=V13,
        compile_cached=False,
    ),
    model(
        "llama-4-scout", "chat", 58.0, Rhythm.RARE, team="assistant", gpus=4, max_replicas=1,
        pool="h200", trouble=Trouble.NO_GPU,
    ),
    model(
        "nightly-eval", "agents", 31.0, Rhythm.NEVER, team="agents", gpus=4, min_replicas=1,
        max_replicas=1, pool="h200", trouble=Trouble.HOLDS_GPUS,
    ),
    model(
        "gemma-gated", "rag", 18.5, Rhythm.NEVER, team="search", trouble=Trouble.DOWNLOAD_DENIED
    ),
    model(
        "phi-4", "chat", 29.4, Rhythm.NEVER, team="assistant", trouble=Trouble.LIVENESS_KILL,
        storage="s3://models/phi-4", compile_cached=False, **_CUSTOM_20,
    ),
)  # fmt: skip

# Knative 1.20.
SECOND: tuple[Profile, ...] = (
    replace(PILOT, runtime=Runtime.CUSTOM),
    model("llama-3-8b", "chat", 16.1, Rhythm.BURSTS, team="assistant", **_HF),
    model("summariser", "rag", 7.6, Rhythm.RARE, team="search", trouble=Trouble.CRASH_ONCE,
           **_HF),
    model("mixtral-8x7b", "agents", 93.4, Rhythm.STEADY, team="agents", gpus=2, min_replicas=1,
           max_replicas=1, **_CUSTOM_13),
    model("translator", "chat", 8.9, Rhythm.BURSTS, team="assistant", storage="", **_CUSTOM_20),
    model("qwen-oom", "rag", 72.0, Rhythm.NEVER, team="search", trouble=Trouble.CRASH_LOOP,
           **_CUSTOM_13),
    model("llama-70b", "agents", 141.0, Rhythm.STEADY, team="agents", gpus=4, min_replicas=1,
           max_replicas=1, pool="big", trouble=Trouble.STUCK_ROLLOUT, **_CUSTOM_20),
)  # fmt: skip

# Standard mode and LLMInferenceService.
THIRD: tuple[Profile, ...] = (
    model("llama-3-8b", "chat", 16.1, Rhythm.STEADY, team="assistant", min_replicas=1,
           max_replicas=3),
    model("qwen-14b", "rag", 28.4, Rhythm.STEADY, team="search", min_replicas=1,
           api_key="demo-key", image=f"{VLLM}:v0.20.2", vllm=V20),
    model("reranker", "search", 1.1, Rhythm.STEADY, team="search", min_replicas=1, eager=True,
           **_HF),
    model("night-batch", "agents", 15.2, Rhythm.NEVER, team="agents", autoscaler="none",
           image=f"{VLLM}:v0.20.2", vllm=V20),
    model("gpt-oss-20b", "chat", 13.8, Rhythm.STEADY, team="assistant", min_replicas=1, **_LLM),
    model("deepseek-lite", "rag", 31.4, Rhythm.STEADY, team="search", min_replicas=1, **_LLM),
    model("llama-guard", "search", 16.0, Rhythm.NEVER, team="trust", min_replicas=0, **_LLM),
)  # fmt: skip

_SKLEARN = {
    "runtime": Runtime.SKLEARN,
    "image": SKLEARN,
    "vllm": (0, 0, 0),
    "gpus": 0,
    "min_replicas": 1,
    "storage": "s3://models/sklearn",
}
CLASSIFIERS: tuple[Profile, ...] = (
    model("churn", "search", 0.1, Rhythm.NEVER, team="growth", **_SKLEARN),
    model("fraud", "search", 0.1, Rhythm.NEVER, team="trust", **_SKLEARN),
    model("iris", "search", 0.1, Rhythm.NEVER, team="growth", **_SKLEARN),
)

TABLES = (FIRST, SECOND, THIRD)
SETTINGS = (
    Settings(name="demo-a", kserve="v0.20.0", knative=(1, 21), ingress=Ingress.ISTIO),
    Settings(name="demo-b", kserve="v0.16.0", knative=(1, 20), ingress=Ingress.KOURIER),
    Settings(name="demo-c", kserve="v0.20.0", knative=None, ingress=Ingress.ENVOY_GATEWAY),
)
NAMESPACES = {
    "chat": ("assistant", "prod"),
    "rag": ("search", "prod"),
    "agents": ("agents", "prod"),
    "search": ("search", "staging"),
}


def plans(*, clusters: int, models: int, seed: int) -> list[WorldPlan]:
    """models: vLLM models over all clusters together; a classifier a cluster comes on top."""
    counts = _shares(models, clusters)
    return [
        _plan(number, count, seed=seed, classifier=CLASSIFIERS[number % len(CLASSIFIERS)])
        for number, count in enumerate(counts)
    ]


def _shares(models: int, clusters: int) -> list[int]:
    """In proportion to the tables; what is left over goes to the first clusters."""
    sizes = [len(TABLES[number % len(TABLES)]) for number in range(clusters)]
    counts = [models * size // sum(sizes) for size in sizes]
    for number in range(models - sum(counts)):
        counts[number % clusters] += 1
    return counts


def _plan(number: int, count: int, *, seed: int, classifier: Profile) -> WorldPlan:
    known = number % len(TABLES)
    models = [*_stretched(TABLES[known], count), classifier]
    settings = SETTINGS[known]
    if number >= len(TABLES):
        settings = replace(settings, name=f"demo-{chr(ord('a') + number)}")
    return cluster_plan(settings, models, seed=seed)


def cluster_plan(settings: Settings, models: Sequence[Profile], *, seed: int) -> WorldPlan:
    """A cluster with the nodes that its models need."""
    return WorldPlan(
        settings=settings, nodes=_nodes(models), pools=_pools(models), models=models, seed=seed
    )


def _stretched(table: Sequence[Profile], count: int) -> list[Profile]:
    """The table's first rows, or all of them and healthy copies under further names."""
    models = list(table[:count])
    healthy = [each for each in table if each.trouble is Trouble.NONE and each is not PILOT]
    for extra in range(count - len(models)):
        copy = healthy[extra % len(healthy)]
        name = f"{copy.name}-{extra // len(healthy) + 2}"
        models.append(replace(copy, name=name, storage=copy.storage.replace(copy.name, name)))
    return models


def _nodes(models: Sequence[Profile]) -> list[NodePlan]:
    """Nodes with GPUs for every model at its most, and those that single models reserve."""
    ordinary = [each for each in models if not each.pool]
    images = tuple({each.image for each in ordinary if each.gpus})
    wanted = sum(each.gpus * (each.max_replicas * each.nodes + each.prefill) for each in ordinary)
    count = max(1, -(-wanted // 4))
    nodes = [
        NodePlan(name=f"gpu-{number}", gpus=4, pool="h100", images=images)
        for number in range(1, count + 1)
    ]
    nodes.append(NodePlan(name="cpu-1", gpus=0, pool="cpu"))
    pools = {each.pool: each for each in models if each.pool and not _comes_on_demand(each)}
    return nodes + [_own_node(pool, profile) for pool, profile in sorted(pools.items())]


def _comes_on_demand(profile: Profile) -> bool:
    return profile.trouble is Trouble.COLD_IMAGE


def _pools(models: Sequence[Profile]) -> dict[str, Pool]:
    """Pools whose nodes come when they are needed, without any image."""
    return {
        each.pool: Pool(_own_node(each.pool, each)) for each in models if _comes_on_demand(each)
    }


def _own_node(pool: str, profile: Profile) -> NodePlan:
    """A node of one pool, tainted; all but the cold one have their image already.

    The pilot's has room for a second pod: a new revision starts beside the old one.
    """
    warm = profile.trouble is not Trouble.COLD_IMAGE
    spare = 1 if pool == PILOT_POOL else 0
    return NodePlan(
        name=pool if _comes_on_demand(profile) else f"{pool}-1",
        gpus=profile.gpus + spare,
        pool=pool,
        product="NVIDIA-L40S" if pool == "l40s" else "NVIDIA-H100-80GB-HBM3",
        taint=f"reserved={pool}",
        images=(profile.image, *QUEUE_IMAGES) if warm else (),
    )


QUEUE_IMAGES = tuple(
    f"gcr.io/knative-releases/knative.dev/serving/cmd/queue:v1.{minor}.0" for minor in (20, 21)
)
