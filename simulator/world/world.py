"""One simulated cluster, put together: its objects, controllers, nodes and callers' way in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from simulator.store.resources import (
    BUILT_INS,
    CLUSTERSERVINGRUNTIMES,
    INFERENCESERVICES,
    KNATIVE,
    LEADERWORKERSETS,
    LLMINFERENCESERVICES,
    PODS,
    SERVINGRUNTIMES,
    Resource,
)
from simulator.store.store import Store
from simulator.store.versions import StoreEvent
from simulator.world.behaviours import Behaviours
from simulator.world.causes import Causes
from simulator.world.cluster import Cluster, Settings
from simulator.world.demand import Activator
from simulator.world.deployments import Deployments
from simulator.world.draws import Draws
from simulator.world.garbage import GarbageCollector
from simulator.world.hpas import HorizontalPodAutoscalers
from simulator.world.knative.configurations import Configurations
from simulator.world.knative.podautoscalers import PodAutoscalers
from simulator.world.knative.revisions import Revisions
from simulator.world.knative.routes import Routes
from simulator.world.knative.serverless import ServerlessServices
from simulator.world.knative.services import Services
from simulator.world.kserve.inferenceservices import InferenceServices
from simulator.world.kserve.llm import LLMInferenceServices
from simulator.world.kserve.podwebhook import injector
from simulator.world.kubelet import Kubelet
from simulator.world.leaderworkersets import LeaderWorkerSets
from simulator.world.nodepools import NodePools, Pool
from simulator.world.nodes import NodePlan, Nodes
from simulator.world.profiles import Profile
from simulator.world.replicasets import ReplicaSets
from simulator.world.scheduler import Scheduler
from simulator.world.timeline import Timeline
from simulator.world.truth import Start, TruthLog

AUTOSCALER_APP = "autoscaler"
# Per kind; hours of an ordinary day, where etcd would keep five minutes.
HISTORY_EVENTS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldPlan:
    """What a cluster begins with. models are planned here and created by seeding."""

    settings: Settings
    nodes: Sequence[NodePlan]
    pools: Mapping[str, Pool] = field(default_factory=dict)
    models: Sequence[Profile]
    seed: int = 1


def resources_of(plan: WorldPlan) -> tuple[Resource, ...]:
    """The kinds that a cluster serves; a kind that it lacks is not there at all."""
    settings = plan.settings
    kserve = (INFERENCESERVICES, CLUSTERSERVINGRUNTIMES, SERVINGRUNTIMES)
    if settings.knative is not None:
        return (*BUILT_INS, *KNATIVE, *kserve)
    groups = (LEADERWORKERSETS,) if any(each.nodes > 1 for each in plan.models) else ()
    return (*BUILT_INS, *kserve, LLMINFERENCESERVICES, *groups)


class World:
    """A cluster that lives on a timeline. keep: given every finished start."""

    def __init__(
        self, plan: WorldPlan, timeline: Timeline, *, keep: Callable[[Start], None] | None = None
    ) -> None:
        self.plan = plan
        self.timeline = timeline
        draws = Draws(plan.seed, plan.settings.name)
        self.store = Store(
            now=timeline.now,
            resources=resources_of(plan),
            uid=draws.uid,
            history_events=HISTORY_EVENTS,
        )
        truth = TruthLog(keep) if keep else TruthLog()
        self.cluster = Cluster(plan.settings, self.store, timeline, draws, truth)
        self.behaviours = Behaviours(draws, timeline.speed)
        self.behaviours.plan(plan.models)
        self.store.admission.append(injector(plan.settings.kserve))
        self._start_kubernetes()
        self.activator: Activator | None = None
        self.autoscaler: PodAutoscalers | None = None
        if plan.settings.knative is not None:
            self._start_knative()
        else:
            LLMInferenceServices(self.cluster)
            if LEADERWORKERSETS in self.store.resources:
                LeaderWorkerSets(self.cluster)
        InferenceServices(self.cluster)
        self.causes = Causes(self.cluster, self.activator)
        self.cluster.on(PODS, self._pod_changed)

    def _start_kubernetes(self) -> None:
        self.nodes = Nodes(self.cluster)
        Deployments(self.cluster)
        ReplicaSets(self.cluster)
        HorizontalPodAutoscalers(self.cluster)
        GarbageCollector(self.cluster)
        self.kubelet = Kubelet(self.cluster, self.nodes, self.behaviours)
        Scheduler(self.cluster, self.nodes)
        NodePools(self.cluster, self.nodes, self.plan.pools)
        for node in self.plan.nodes:
            self.nodes.add(node)

    def _start_knative(self) -> None:
        self.autoscaler = PodAutoscalers(self.cluster, self._calls)
        self.activator = Activator(self.cluster, self.autoscaler.poke, self.kubelet.answering)
        ServerlessServices(self.cluster)
        Revisions(self.cluster)
        Configurations(self.cluster)
        Routes(self.cluster)
        Services(self.cluster)

    def _calls(self, key: tuple[str, str]) -> int:
        return self.activator.calls(key) if self.activator else 0

    def _pod_changed(self, event: StoreEvent) -> None:
        """The autoscaler forgets what it knew when its pod is replaced."""
        labels = event.object["metadata"].get("labels", {})
        if event.type == "DELETED" and labels.get("app") == AUTOSCALER_APP and self.autoscaler:
            self.autoscaler.restart()
