"""One call to a model, from the ingress to the server's answer. Without HTTP: the gateway and the
traffic both come this way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

from simulator.store.resources import PODS
from simulator.store.versions import StoreEvent
from simulator.world.answers import Answer, Call, answer
from simulator.world.counters import Counters, page
from simulator.world.demand import ready_uids
from simulator.world.profiles import Profile
from simulator.world.routing import Target, find
from simulator.world.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What reaches the ingress. hop: who made it: ingress, activator or server.

    pod_uid: of the server, where one was reached; finish() must be called for it.
    """

    hop: str
    answer: Answer
    pod_uid: str | None = None
    finish: Callable[[], None] = field(default=lambda: None)


# Source: Envoy's local replies, and the activator's timeout handler.
NO_ROUTE = Answer(status=404, content_type="")
NO_HEALTHY_UPSTREAM = Answer(status=503, body=b"no healthy upstream", content_type="text/plain")
ACTIVATOR_TIMEOUT = Answer(
    status=504, body=b"activator request timeout", content_type="text/plain; charset=utf-8"
)
# queue-proxy, when the server goes away under a call. Source: knative/serving pkg/queue.
CONNECTION_REFUSED = Answer(
    status=502,
    body=b"dial tcp 127.0.0.1:8080: connect: connection refused\n",
    content_type="text/plain; charset=utf-8",
)


class Callers:
    """The way in of one cluster."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.counters = Counters()
        self._turn = 0
        world.cluster.on(PODS, self._pod_changed)

    def _pod_changed(self, event: StoreEvent) -> None:
        if event.type == "DELETED":
            self.counters.forget(event.object["metadata"]["uid"])

    def call(self, host: str, request: Call, reply: Callable[[Reply], None]) -> None:
        """Gives reply() what the ingress gets, at once or when a pod is there."""
        self._turn += 1
        share = (self._turn * 0.618034) % 1.0
        world = self.world
        target = find(world.store, world.plan.settings, host, request.path, share=share)
        if target is None:
            reply(Reply(hop="ingress", answer=NO_ROUTE))
        elif target.revision is not None:
            self._through_activator(target, request, reply)
        else:
            self._to_pod(target, request, reply)

    def _through_activator(
        self, target: Target, request: Call, reply: Callable[[Reply], None]
    ) -> None:
        activator, revision = self.world.activator, target.revision
        if activator is None or revision is None:
            return

        def outcome(pod_uid: str | None) -> None:
            if pod_uid is None:
                reply(Reply(hop="activator", answer=ACTIVATOR_TIMEOUT))
                return
            served = self._serve(target, pod_uid, request)
            reply(self._with_leave(served, lambda: activator.leave(revision)))

        activator.enter(revision, outcome)

    def _with_leave(self, served: Reply, leave: Callable[[], None]) -> Reply:
        def finish() -> None:
            served.finish()
            leave()

        return Reply(hop=served.hop, answer=served.answer, pod_uid=served.pod_uid, finish=finish)

    def _to_pod(self, target: Target, request: Call, reply: Callable[[Reply], None]) -> None:
        world = self.world
        pods = ready_uids(
            world.cluster, target.model[0], dict(target.labels or {}), world.kubelet.answering
        )
        if not pods:
            reply(Reply(hop="ingress", answer=NO_HEALTHY_UPSTREAM))
            return
        reply(self._serve(target, pods[self._turn % len(pods)], request))

    def _serve(self, target: Target, pod_uid: str, request: Call) -> Reply:
        profile = self.profile(pod_uid)
        if profile is None or not self.world.kubelet.answering(pod_uid):
            return Reply(hop="queue-proxy", answer=CONNECTION_REFUSED)
        seen = Call(
            method=request.method, path=target.path, headers=request.headers, body=request.body
        )
        return self.ask(profile, pod_uid, seen)

    def ask(self, profile: Profile, pod_uid: str, request: Call) -> Reply:
        """The server's own answer, counted by it."""
        now = self.world.timeline.now().timestamp()
        self.counters.begun(pod_uid, now=now)
        counts = self.counters.servers[pod_uid]
        made = answer(profile, request, metrics=page(counts, profile))

        def finish() -> None:
            self.counters.ended(
                pod_uid, status=made.status, tokens=made.tokens, seconds=made.seconds
            )
            self.world.kubelet.note(pod_uid, _access_line(request, made))
            if made.tokens:
                self.world.cluster.truth.mark(pod_uid, "first_answer", self.world.timeline.now())

        return Reply(hop="server", answer=made, pod_uid=pod_uid, finish=finish)

    def profile(self, pod_uid: str) -> Profile | None:
        state = self.world.kubelet.pods.get(pod_uid)
        pod = self.world.kubelet.pod_of(state) if state else None
        return self.world.behaviours.profile_of(pod) if pod else None


def _access_line(request: Call, made: Answer) -> str:
    """As uvicorn writes it, without a time."""
    phrase = HTTPStatus(made.status).phrase
    call = f"{request.method} {request.path} HTTP/1.1"
    return f'INFO:     10.244.0.7:41204 - "{call}" {made.status} {phrase}'
