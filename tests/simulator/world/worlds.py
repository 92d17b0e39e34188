"""Small worlds on a driven clock, and what was seen happening in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from simulator.store.resources import (
    CLUSTERSERVINGRUNTIMES,
    DEPLOYMENTS,
    EVENTS,
    INFERENCESERVICES,
    LLMINFERENCESERVICES,
    PODAUTOSCALERS,
    PODS,
    REVISIONS,
    Resource,
)
from simulator.store.versions import StoreEvent
from simulator.world import manifests
from simulator.world.cluster import Settings
from simulator.world.nodepools import Pool
from simulator.world.nodes import NodePlan
from simulator.world.profiles import Profile, Runtime
from simulator.world.shapes import condition, condition_status
from simulator.world.timeline import Timeline
from simulator.world.truth import Start
from simulator.world.world import World, WorldPlan

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
IMAGE = "docker.io/vllm/vllm-openai:v0.11.0"
QUEUE = "gcr.io/knative-releases/knative.dev/serving/cmd/queue:v1.{}.0"
STORAGE = "kserve/storage-initializer:v0.20.0"
IMAGES = (IMAGE, STORAGE, QUEUE.format(21), QUEUE.format(20))

MODEL = Profile(
    name="llama",
    namespace="chat",
    runtime=Runtime.VLLMSERVER,
    image=IMAGE,
    vllm=(0, 11, 0),
    weights_gb=2.0,
    storage="hf://models/llama",
    eager=True,
    probe_period_s=2,
)
GPU_NODE = NodePlan(name="gpu-1", gpus=2, images=IMAGES)


@dataclass
class Seen:
    """Everything that was committed, as short words with the moment."""

    world: World
    events: list[tuple[datetime, StoreEvent]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.world.store.subscribe(
            lambda event: self.events.append((self.world.timeline.now(), event))
        )

    def clear(self) -> None:
        self.events.clear()

    def of(self, resource: Resource) -> Iterator[StoreEvent]:
        return (event for _, event in self.events if event.resource is resource)

    def first_changes(self) -> list[str]:
        """Plurals in the order of their first change; Events and nodes left out."""
        plurals = [event.resource.plural for _, event in self.events]
        return list(dict.fromkeys(each for each in plurals if each not in ("events", "nodes")))

    def reasons(self, *, about: str = "Pod") -> list[str]:
        """Reasons of Events in the order of their first writing, with the container's name."""
        found = []
        for event in self.of(EVENTS):
            involved = event.object["involvedObject"]
            if event.type == "ADDED" and involved["kind"] == about:
                where = involved.get("fieldPath", "").partition("{")[2].rstrip("}")
                found.append(f"{event.object['reason']} {where}".strip())
        return found

    def texts(self, reason: str) -> list[str]:
        return [
            str(event.object["message"])
            for event in self.of(EVENTS)
            if event.object["reason"] == reason and event.type == "ADDED"
        ]

    def conditions(self, resource: Resource, kind: str) -> list[str]:
        """The condition's values with reasons, one after the other, repeats left out."""
        said = []
        for event in self.of(resource):
            found = condition(event.object, kind)
            if found is not None:
                said.append(f"{found['status']} {found.get('reason', '')}".strip())
        return [each for index, each in enumerate(said) if index == 0 or each != said[index - 1]]


@dataclass
class Bench:
    """One world with its finished starts, and short ways to drive it."""

    world: World
    starts: list[Start]
    seen: Seen

    def run(self, seconds: float) -> None:
        self.world.timeline.run_for(seconds)

    def apply(self, profile: Profile) -> None:
        resource = LLMINFERENCESERVICES if profile.runtime is Runtime.LLMISVC else INFERENCESERVICES
        self.world.behaviours.plan([profile])
        self.world.store.create(resource, manifests.inference_service(profile), manager="kubectl")

    def wait_ready(self, profile: Profile = MODEL, *, limit_s: float = 900) -> None:
        def waiting() -> bool:
            return condition_status(self.isvc(profile), "Ready") != "True"

        assert self.world.timeline.run_while(waiting, limit_s=limit_s), "never ready"

    def asleep(self, profile: Profile = MODEL) -> None:
        """Applied, ready once, and at zero again."""
        self.apply(profile)
        self.wait_ready(profile)
        assert self.world.timeline.run_while(lambda: bool(self.pods(profile)), limit_s=300)
        self.run(5)
        self.seen.clear()

    def isvc(self, profile: Profile = MODEL) -> dict[str, Any]:
        llm = profile.runtime is Runtime.LLMISVC
        resource = LLMINFERENCESERVICES if llm else INFERENCESERVICES
        return self.world.store.get(resource, *profile.key) or {}

    def pods(self, profile: Profile = MODEL) -> list[dict[str, Any]]:
        return [
            pod
            for pod in self.world.store.list(PODS, profile.namespace)
            if pod["metadata"]["name"].startswith(f"{profile.name}-")
        ]

    def ready_pods(self, profile: Profile = MODEL) -> int:
        return sum(condition_status(pod, "Ready") == "True" for pod in self.pods(profile))

    def revision(self, number: int = 1) -> dict[str, Any]:
        return self.world.store.get(REVISIONS, "chat", f"llama-predictor-{number:05d}") or {}

    def autoscaler(self, number: int = 1) -> dict[str, Any]:
        return self.world.store.get(PODAUTOSCALERS, "chat", f"llama-predictor-{number:05d}") or {}

    def replicas(self, name: str) -> int:
        found = self.world.store.get(DEPLOYMENTS, "chat", name)
        assert found is not None
        return int(found["spec"]["replicas"])

    def call(self, answers: list[str | None], number: int = 1, timeout_s: float = 300) -> None:
        """One call through the activator, over after a second of work."""
        activator = self.world.activator
        assert activator is not None
        key = ("chat", f"llama-predictor-{number:05d}")

        def outcome(pod: str | None) -> None:
            answers.append(pod)
            if pod is not None:
                self.world.timeline.after(1.0, lambda: activator.leave(key))

        activator.enter(key, outcome, timeout_s=timeout_s)

    def patch(self, resource: Resource, name: str, edit: Callable[[dict[str, Any]], None]) -> None:
        self.world.store.change(resource, "chat", name, edit, manager="kubectl-patch")


def bench(
    *,
    knative: tuple[int, int] | None = (1, 21),
    nodes: Sequence[NodePlan] = (GPU_NODE,),
    pools: Mapping[str, Pool] | None = None,
    seed: int = 1,
    models: Sequence[Profile] = (),
    **settings: Any,
) -> Bench:
    """models: planned from the beginning, which decides what kinds the cluster serves."""
    plan = WorldPlan(
        settings=replace(Settings(name="test", knative=knative), **settings),
        nodes=nodes,
        pools=pools or {},
        models=models,
        seed=seed,
    )
    starts: list[Start] = []
    world = World(plan, Timeline(START), keep=starts.append)
    for runtime in manifests.runtimes(plan.settings):
        world.store.create(CLUSTERSERVINGRUNTIMES, runtime, manager="helm")
    return Bench(world, starts, Seen(world))


def min_scale(value: int) -> Callable[[dict[str, Any]], None]:
    def edit(obj: dict[str, Any]) -> None:
        obj["metadata"]["annotations"]["autoscaling.knative.dev/min-scale"] = str(value)

    return edit
