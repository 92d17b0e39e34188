"""What the controllers of one simulated cluster share, and how they are called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from simulator.store.errors import StatusError
from simulator.store.json_values import JsonObject
from simulator.store.resources import Resource
from simulator.store.store import Store
from simulator.store.versions import StoreEvent
from simulator.world.draws import Draws
from simulator.world.recorder import Recorder
from simulator.world.timeline import Timeline, Timer
from simulator.world.truth import TruthLog

Key = tuple[str, str]
Handler = Callable[[StoreEvent], None]


class Ingress(StrEnum):
    """Which gateway calls come through."""

    ISTIO = "istio"
    KOURIER = "kourier"
    ENVOY_GATEWAY = "envoy-gateway"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What differs between clusters.

    knative: None in a cluster without it. request_metrics: queue-proxy counts requests. Times in
    seconds, as Knative's config-autoscaler and config-deployment ship them.
    """

    name: str
    kubernetes: str = "v1.36.2"
    kserve: str = "v0.20.0"
    knative: tuple[int, int] | None = (1, 21)
    ingress: Ingress = Ingress.ISTIO
    request_metrics: bool = True
    domain: str = "example.com"
    stable_window_s: float = 60.0
    progress_deadline_s: int = 600
    revision_timeout_s: int = 300

    @property
    def syncs_annotations(self) -> bool:
        """Knative 1.21 copies a Revision's autoscaling annotations to its PodAutoscaler.

        Source: knative/serving pkg/reconciler/revision/reconcile_resources.go.
        """
        return self.knative is not None and self.knative >= (1, 21)


@dataclass(slots=True)
class Cluster:
    """The shared ground: objects, time, chance, events, and the truth that nobody can read."""

    settings: Settings
    store: Store
    timeline: Timeline
    draws: Draws
    truth: TruthLog
    recorder: Recorder = field(init=False)
    handlers: dict[str, list[Handler]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.recorder = Recorder(self.store, self.timeline)
        self.store.subscribe(self._dispatch)

    def now(self) -> datetime:
        return self.timeline.now()

    def on(self, resource: Resource, handler: Handler) -> None:
        """Calls handler after each commit of that resource."""
        self.handlers[resource.group_resource].append(handler)

    def change(
        self,
        resource: Resource,
        key: Key,
        edit: Callable[[JsonObject], None],
        *,
        manager: str = "kube-controller-manager",
        subresource: str | None = None,
    ) -> JsonObject | None:
        """Edits an object; None when it is gone, or an edit was refused."""
        try:
            return self.store.change(resource, *key, edit, manager=manager, subresource=subresource)
        except StatusError:
            return None

    def change_status(
        self, resource: Resource, key: Key, edit: Callable[[JsonObject], None], *, manager: str
    ) -> JsonObject | None:
        """Edits the status alone; the edit gets the status itself."""

        def edit_status(obj: JsonObject) -> None:
            edit(obj.setdefault("status", {}))

        return self.change(resource, key, edit_status, manager=manager, subresource="status")

    def ensure(self, resource: Resource, obj: JsonObject, *, manager: str) -> JsonObject | None:
        """Creates an object that is not there; returns what is there now."""
        meta = obj["metadata"]
        found = self.store.get(resource, meta.get("namespace"), meta["name"])
        if found is not None:
            return found
        try:
            return self.store.create(resource, obj, manager=manager)
        except StatusError:
            return None

    def remove(self, resource: Resource, key: Key, *, graceful: bool = False) -> None:
        """Deletes an object if it is there."""
        try:
            self.store.delete(resource, *key, now_gone=not graceful)
        except StatusError:
            return

    def _dispatch(self, event: StoreEvent) -> None:
        for handler in self.handlers.get(event.resource.group_resource, ()):
            handler(event)


class Controller(ABC):
    """A reconcile loop: keys are queued once, and looked at after the loop's own latency.

    latency_s: from a change to this loop's answer; the order of objects at a wake rests on it.
    """

    latency_s: ClassVar[float] = 0.015

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._queued: dict[Key, Timer] = {}

    @abstractmethod
    def reconcile(self, namespace: str, name: str) -> None:
        """Brings one object nearer to its wish. The object may be gone."""

    def queue(self, namespace: str, name: str, *, after_s: float | None = None) -> None:
        """Has an object looked at; the earlier of two times counts."""
        key = (namespace, name)
        delay = self._latency() if after_s is None else after_s
        timeline = self.cluster.timeline
        waiting = self._queued.get(key)
        timer = timeline.after(delay, lambda: self._run(key))
        if waiting is None or waiting.due > timer.due:
            if waiting is not None:
                waiting.cancel()
            self._queued[key] = timer
        else:
            timer.cancel()

    def follow(self, resource: Resource, names: Callable[[Mapping[str, Any]], str | None]) -> None:
        """Queues the object that names() gives for each change of a resource (None: nobody)."""

        def handler(event: StoreEvent) -> None:
            name = names(event.object)
            if name is not None:
                self.queue(event.object["metadata"].get("namespace", ""), name)

        self.cluster.on(resource, handler)

    def follow_own(self, resource: Resource) -> None:
        self.follow(resource, lambda obj: str(obj["metadata"]["name"]))

    def _latency(self) -> float:
        return self.cluster.draws.uniform(type(self).__name__, 0.8, 1.3) * self.latency_s

    def _run(self, key: Key) -> None:
        self._queued.pop(key, None)
        self.reconcile(*key)
