"""All that is counted in one cluster of its calls."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.metering.eras import Era, era_of
from simulator.metering.ingress import counts_of
from simulator.metering.knative import ActivatorCounts, Identity, QueueProxyCounts
from simulator.metering.opencensus import OldActivatorCounts, OldQueueProxyCounts
from simulator.metering.picker import PickerCounts
from simulator.store.resources import PODS, REVISIONS
from simulator.store.versions import StoreEvent
from simulator.world.calling import Callers
from simulator.world.cluster import Ingress
from simulator.world.knative import names
from simulator.world.knative.pods import server_port
from simulator.world.passages import Fate, Key, Passage
from simulator.world.podstatus import PodState
from simulator.world.profiles import Profile, Runtime

ACTIVATOR = "activator"
SERVING = "knative-serving"
MADE_UP = {ACTIVATOR: "10.244.255.1", "autoscaler": "10.244.255.2"}
AtActivator = ActivatorCounts | OldActivatorCounts
AtQueue = QueueProxyCounts | OldQueueProxyCounts


@dataclass(frozen=True, slots=True)
class ControlPod:
    """Where a program of the control plane runs."""

    uid: str
    name: str
    ip: str


class Meters:
    """Listens to every call's end. called: revisions that the activator has seen calls of."""

    def __init__(self, callers: Callers) -> None:
        self.callers, self.world = callers, callers.world
        self.knative = self.world.plan.settings.knative
        self.era = era_of(self.knative) if self.knative else Era.OPENTELEMETRY
        self.ingress = counts_of(self.world.plan.settings.ingress)
        self.began = self.world.timeline.now()
        self.called: set[Key] = set()
        self.pickers: dict[Key, PickerCounts] = {}
        self._activators: dict[str, AtActivator] = {}
        self._queues: dict[str, AtQueue] = {}
        callers.at_ingress.append(self._at_ingress)
        callers.behind.append(self._behind)
        self.world.cluster.on(PODS, self._pod_changed)

    def _pod_changed(self, event: StoreEvent) -> None:
        """Counters go with their process."""
        if event.type == "DELETED":
            self._queues.pop(event.object["metadata"]["uid"], None)
            self._activators.pop(event.object["metadata"]["uid"], None)

    # Who counts what

    def _at_ingress(self, passage: Passage) -> None:
        self.ingress.count(passage, self._cluster_of(passage))

    def _cluster_of(self, passage: Passage) -> str:
        """What the ingress calls the place that a call is sent to; empty without one."""
        if passage.revision is not None:
            return "/".join(passage.revision)
        if passage.model is None:
            return ""
        namespace, name = passage.model
        if self.world.plan.settings.ingress is not Ingress.ENVOY_GATEWAY:
            return f"{namespace}/{name}-predictor"
        route = f"{name}-kserve-route" if self._is_llm(passage.model) else name
        return f"httproute/{namespace}/{route}/rule/0"

    def _is_llm(self, model: Key) -> bool:
        profile = self.world.behaviours.profiles.get(model)
        return profile is not None and profile.runtime is Runtime.LLMISVC

    def _behind(self, passage: Passage) -> None:
        state = self.world.kubelet.pods.get(passage.pod_uid or "")
        identity = self.identity(passage.revision) if passage.revision else None
        if passage.proxied:
            self._count_at_activator(passage, identity, state)
        if identity is not None and state is not None:
            self.queue(state, identity).count(passage)
        if passage.revision is None and passage.model and self._is_llm(passage.model):
            self._count_at_picker(passage, passage.model)

    def _count_at_activator(
        self, passage: Passage, identity: Identity | None, state: PodState | None
    ) -> None:
        if passage.revision is not None:
            self.called.add(passage.revision)
        known = None if passage.fate is Fate.NO_REVISION else identity
        self.activator().count(passage, known, state.pod_ip if state else "")

    def _count_at_picker(self, passage: Passage, model: Key) -> None:
        profile = self.world.behaviours.profiles.get(model)
        if profile is not None and passage.fate is not Fate.NO_ROUTE:
            self.picker(profile).count(passage)

    # Counters of each program

    def control_pod(self, program: str) -> ControlPod:
        """Where a program of the control plane runs; made up in a world that runs none."""
        for pod in self.world.store.list(PODS, SERVING):
            meta, address = pod["metadata"], pod.get("status", {}).get("podIP")
            if meta.get("labels", {}).get("app") == program and address:
                return ControlPod(meta["uid"], meta["name"], address)
        return ControlPod("", f"{program}-0", MADE_UP[program])

    def activator(self) -> AtActivator:
        pod = self.control_pod(ACTIVATOR)
        if pod.uid not in self._activators:
            made = OldActivatorCounts(pod.name) if self._is_old else ActivatorCounts(self.era)
            self._activators[pod.uid] = made
        return self._activators[pod.uid]

    def queue(self, state: PodState, identity: Identity) -> AtQueue:
        """The counters of a pod's queue-proxy."""
        found = self._queues.get(state.uid)
        if found is None:
            found = self._queues[state.uid] = self._new_queue(state, identity)
        return found

    def _new_queue(self, state: PodState, identity: Identity) -> AtQueue:
        if self._is_old:
            return OldQueueProxyCounts(state.key[1], identity)
        pod = self.world.kubelet.pod_of(state) or {"spec": {"containers": [{}]}}
        port = server_port(pod["spec"]["containers"][0])
        return QueueProxyCounts(self.era, state.pod_ip, port)

    def picker(self, profile: Profile) -> PickerCounts:
        found = self.pickers.get(profile.key)
        if found is None:
            pool = f"{profile.name}-inference-pool"
            found = self.pickers[profile.key] = PickerCounts(pool, profile.served_name)
        return found

    @property
    def _is_old(self) -> bool:
        return self.era is Era.OPENCENSUS

    def identity(self, revision: Key) -> Identity | None:
        """None for a revision that is gone."""
        found = self.world.store.get(REVISIONS, *revision)
        if found is None:
            return None
        service = found["metadata"].get("labels", {}).get(names.SERVICE, "")
        return Identity(namespace=revision[0], service=service, revision=revision[1])
