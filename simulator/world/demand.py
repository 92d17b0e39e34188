"""The activator: holds calls of a revision without pods, counts those in progress.

Source: knative/serving pkg/activator. Held calls have no limit of their own; the revision's
timeout counts from their arrival. A client that leaves while it is held stays in the queue.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.store.resources import PODS, REVISIONS, ROUTES, SERVERLESSSERVICES
from simulator.store.versions import StoreEvent
from simulator.world.cluster import Cluster
from simulator.world.knative import names
from simulator.world.shapes import condition_status
from simulator.world.timeline import Timer

Key = tuple[str, str]
# A pod's uid, or None when the call was held too long.
Outcome = Callable[[str | None], None]
# The activator's own probe of a new pod.
FORWARD_S = 0.09


@dataclass(slots=True)
class Held:
    """A call that waits for a pod."""

    outcome: Outcome
    timer: Timer
    arrived: float
    times: int = 1


@dataclass(slots=True)
class Activator:
    """poke: told when calls begin to be held. answering: whether a pod's server listens."""

    cluster: Cluster
    poke: Callable[[Key], None]
    answering: Callable[[str], bool]
    _held: dict[Key, deque[Held]] = field(default_factory=dict)
    _running: Counter[Key] = field(default_factory=Counter)
    _direct: Counter[Key] = field(default_factory=Counter)
    _turn: int = 0

    def __post_init__(self) -> None:
        self.cluster.on(SERVERLESSSERVICES, self._endpoints_changed)
        self.cluster.on(ROUTES, self._route_changed)

    def calls(self, key: Key) -> int:
        """Calls of a revision that are held or in progress, past the activator too."""
        return len(self._held.get(key, ())) + self._running[key] + self._direct[key]

    def pass_by(self, key: Key) -> Callable[[], None]:
        """A call that goes to a pod without the activator; what is given back ends it."""
        self._direct[key] += 1

        def leave() -> None:
            self._direct[key] = max(0, self._direct[key] - 1)

        return leave

    def running(self, key: Key) -> int:
        """Calls of a revision that a pod works on."""
        return self._running[key]

    def held(self, key: Key) -> int:
        """Calls of a revision that wait for a pod, each for as many as it stands for."""
        return sum(each.times for each in self._held.get(key, ()))

    def enter(
        self, key: Key, outcome: Outcome, *, timeout_s: float | None = None, times: int = 1
    ) -> Held | None:
        """Gives outcome a pod, now or when there is one; leave() must follow unless it got None.

        What is held now is returned, to be dropped.
        """
        pod = self.backend(key)
        if pod is not None:
            self._running[key] += 1
            outcome(pod)
            return None
        held = self._held.setdefault(key, deque())
        limit = self.timeout_s(key) if timeout_s is None else timeout_s
        timeline = self.cluster.timeline
        waiting = Held(
            outcome, timeline.after_real(limit, lambda: None), timeline.now().timestamp(), times
        )
        waiting.timer.call = lambda: self._give_up(key, waiting)
        held.append(waiting)
        self.poke(key)
        return waiting

    def drop(self, key: Key, waiting: Held) -> None:
        """A held call whose caller is known to be gone."""
        held = self._held.get(key, deque())
        if waiting in held:
            held.remove(waiting)
            waiting.timer.cancel()

    def leave(self, key: Key) -> None:
        self._running[key] = max(0, self._running[key] - 1)

    def waiting_since(self, key: Key) -> float | None:
        """When the oldest held call arrived, as a POSIX timestamp."""
        held = self._held.get(key)
        return held[0].arrived if held else None

    def backend(self, key: Key) -> str | None:
        """uid of a pod that can take a call; one after the other."""
        pods = ready_uids(self.cluster, key[0], {names.REVISION: key[1]}, self.answering)
        if not pods:
            return None
        self._turn += 1
        return pods[self._turn % len(pods)]

    def timeout_s(self, key: Key) -> float:
        """The revision's, for the whole of a call."""
        revision = self.cluster.store.get(REVISIONS, *key)
        default = self.cluster.settings.revision_timeout_s
        return (
            float(revision["spec"].get("timeoutSeconds", default)) if revision else float(default)
        )

    def _give_up(self, key: Key, waiting: Held) -> None:
        held = self._held.get(key, deque())
        if waiting in held:
            held.remove(waiting)
            waiting.outcome(None)

    def _endpoints_changed(self, event: StoreEvent) -> None:
        meta = event.object["metadata"]
        key = (meta["namespace"], meta["name"])
        populated = condition_status(event.object, "EndpointsPopulated") == "True"
        if populated:
            self._mark_routed(key)
        if populated and self._held.get(key):
            self.cluster.timeline.after(FORWARD_S, lambda: self._forward(key))

    def _route_changed(self, event: StoreEvent) -> None:
        namespace = event.object["metadata"]["namespace"]
        for name in _routed_by(event.object):
            services = self.cluster.store.get(SERVERLESSSERVICES, namespace, name) or {}
            if condition_status(services, "EndpointsPopulated") == "True":
                self._mark_routed((namespace, name))

    def _mark_routed(self, key: Key) -> None:
        """Ready pods of a revision that the ingress knows are reached from now on."""
        routes = self.cluster.store.list(ROUTES, key[0])
        if not any(key[1] in _routed_by(route) for route in routes):
            return
        labels = {names.REVISION: key[1]}
        for uid in ready_uids(self.cluster, key[0], labels, self.answering):
            self.cluster.truth.mark(uid, "routed", self.cluster.now())

    def _forward(self, key: Key) -> None:
        pod = self.backend(key)
        if pod is None:
            return
        held = self._held.pop(key, deque())
        for waiting in held:
            waiting.timer.cancel()
            self._running[key] += 1
            waiting.outcome(self.backend(key) or pod)


def _routed_by(route: Mapping[str, Any]) -> set[str]:
    """Revisions that requests go to by a route that is open."""
    if condition_status(route, "Ready") != "True":
        return set()
    targets = route.get("status", {}).get("traffic", ())
    return {each["revisionName"] for each in targets if each.get("percent")}


def ready_uids(
    cluster: Cluster, namespace: str, labels: dict[str, str], answering: Callable[[str], bool]
) -> list[str]:
    """Ready pods that carry the labels and whose server listens."""
    return [
        pod["metadata"]["uid"]
        for pod in cluster.store.list(PODS, namespace)
        if all(pod["metadata"].get("labels", {}).get(key) == text for key, text in labels.items())
        and "deletionTimestamp" not in pod["metadata"]
        and condition_status(pod, "Ready") == "True"
        and answering(pod["metadata"]["uid"])
    ]
