"""One call to a model, from the ingress to the server's answer. Without HTTP: the gateway and the
traffic both come this way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from http import HTTPStatus

from simulator.store.resources import PODS, SERVERLESSSERVICES
from simulator.store.versions import StoreEvent
from simulator.world.answers import METRICS, Answer, Call, answer
from simulator.world.counters import Counters, ServerCounts
from simulator.world.demand import ready_uids
from simulator.world.knative import names
from simulator.world.passages import Fate, Key, Passage
from simulator.world.profiles import Profile
from simulator.world.routing import find
from simulator.world.trips import ACTIVATOR_TIMEOUT, MADE, QUEUE_TIMEOUT, Reply, Trip
from simulator.world.world import World

# A fraction of turns that falls evenly: the golden section.
_TURN = 0.618034


@dataclass(frozen=True, slots=True, kw_only=True)
class Affliction:
    """What befalls a share of a model's calls. status: of an answer that the server makes.

    slower_s: more until the first byte.
    """

    fate: Fate = Fate.ANSWERED
    status: int | None = None
    share: float = 1.0
    slower_s: float = 0.0


class Callers:
    """The way in of one cluster.

    at_ingress: told how each call ended for its caller; behind: how it ended for those behind the
    ingress, which may know later. afflictions: by model. ingress_timeout_s: of its route, by model.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.counters = Counters()
        self.at_ingress: list[Callable[[Passage], None]] = []
        self.behind: list[Callable[[Passage], None]] = []
        self.afflictions: dict[Key, Affliction] = {}
        self.ingress_timeout_s: dict[Key, float] = {}
        self._turn = 0
        world.cluster.on(PODS, self._pod_changed)

    def _pod_changed(self, event: StoreEvent) -> None:
        if event.type == "DELETED":
            self.counters.forget(event.object["metadata"]["uid"])

    def call(self, host: str, request: Call, reply: Callable[[Reply], None]) -> None:
        """Gives reply() what the ingress gets, at once or when a pod is there; not to a caller
        that left before."""
        self._turn += 1
        share = (self._turn * _TURN) % 1.0
        world = self.world
        target = find(world.store, world.plan.settings, host, request.path, share=share)
        trip = Trip(
            request=request,
            host=host,
            arrived=world.timeline.now(),
            reply=reply,
            target=target,
            draw=(self._turn * _TURN * _TURN) % 1.0,
        )
        fate = self._struck(trip)
        if target is None:
            self._refuse(trip, Fate.NO_ROUTE)
        elif fate in (Fate.NO_ENDPOINT, Fate.NO_CONNECTION, Fate.SHED):
            self._refuse(trip, fate)
        else:
            self._limit(trip)
            self._send(trip)

    def _struck(self, trip: Trip) -> Fate:
        """The fate that its model's affliction has for this call; ANSWERED: none."""
        found = self._affliction(trip)
        return found.fate if found else Fate.ANSWERED

    def _affliction(self, trip: Trip) -> Affliction | None:
        found = self.afflictions.get(trip.target.model) if trip.target else None
        return found if found is not None and trip.draw < found.share else None

    # What ends a call before its answer

    def _limit(self, trip: Trip) -> None:
        """The caller's patience, and the ingress's."""
        timeline = self.world.timeline
        model = trip.target.model if trip.target else ("", "")
        ingress_s = self.ingress_timeout_s.get(model)
        if trip.request.patience_s is not None:
            left = timeline.after_real(
                trip.request.patience_s, lambda: self._give_up(trip, Fate.LEFT, None)
            )
            trip.limits.append(left)
        if ingress_s is not None:
            late = timeline.after_real(
                ingress_s, lambda: self._give_up(trip, Fate.INGRESS_TIMEOUT, 504)
            )
            trip.limits.append(late)

    def _give_up(self, trip: Trip, fate: Fate, status: int | None) -> None:
        """For the caller it is over; who is behind the ingress learns it only once it answers."""
        if trip.told:
            return
        self._tell(trip, fate, status)
        if trip.end is not None:
            trip.end()

    def _tell(self, trip: Trip, fate: Fate, status: int | None) -> None:
        trip.told = True
        for timer in trip.limits:
            timer.cancel()
        passage = trip.passage(fate, status, at=self.world.timeline.now())
        for hear in self.at_ingress:
            hear(passage)

    def _count(self, trip: Trip, fate: Fate, status: int | None) -> None:
        """The end of a call for all, or for those behind the ingress when its caller had left."""
        trip.counted, trip.end = True, None
        passage = trip.passage(fate, status, at=self.world.timeline.now())
        for hear in self.behind:
            hear(passage)
        if not trip.told:
            self._tell(trip, fate, status)

    def _refuse(self, trip: Trip, fate: Fate) -> None:
        hop, made = MADE[fate]
        gone = trip.told
        self._count(trip, fate, made.status)
        if not gone:
            trip.reply(Reply(hop=hop, answer=made))

    # The way

    def _send(self, trip: Trip) -> None:
        target = trip.target
        if target is None:
            return
        if target.revision is None:
            self._to_pod(trip, dict(target.labels or {}))
        elif self._serves_directly(target.revision):
            self._to_pod(trip, {names.REVISION: target.revision[1]})
        else:
            trip.proxied = True
            self._through_activator(trip, target.revision)

    def _serves_directly(self, revision: Key) -> bool:
        """The activator is out of the path."""
        found = self.world.store.get(SERVERLESSSERVICES, *revision) or {}
        return bool(found.get("spec", {}).get("mode") == "Serve")

    def _through_activator(self, trip: Trip, revision: Key) -> None:
        activator = self.world.activator
        if activator is None:
            return

        def outcome(pod_uid: str | None) -> None:
            trip.forwarded = self.world.timeline.now()
            if pod_uid is None:
                self._refuse(trip, Fate.HELD_TOO_LONG)
            else:
                self._serve(trip, pod_uid, leave=lambda: activator.leave(revision))

        held = activator.enter(revision, outcome, times=trip.request.times)
        if held is not None and not trip.request.body:

            def drop() -> None:
                activator.drop(revision, held)
                self._count(trip, Fate.LEFT_HELD, None)

            trip.end = drop

    def _to_pod(self, trip: Trip, labels: dict[str, str]) -> None:
        world = self.world
        if trip.target is None:
            return
        namespace = trip.target.model[0]
        pods = ready_uids(world.cluster, namespace, labels, world.kubelet.answering)
        if not pods:
            self._refuse(trip, Fate.NO_ENDPOINT)
            return
        activator, revision = world.activator, trip.target.revision
        leave = activator.pass_by(revision) if activator and revision else _nothing
        self._serve(trip, pods[self._turn % len(pods)], leave=leave)

    # At the pod

    def _serve(self, trip: Trip, pod_uid: str, *, leave: Callable[[], None]) -> None:
        trip.pod_uid, trip.end = pod_uid, None
        profile, fate = self.profile(pod_uid), self._struck(trip)
        if profile is None or not self.world.kubelet.answering(pod_uid):
            fate = Fate.REFUSED
        if trip.told:
            self._count(trip, Fate.LEFT, None)
            leave()
        elif profile is None or fate in MADE:
            leave()
            self._refuse(trip, fate if self._has_queue(trip) else Fate.NO_CONNECTION)
        else:
            trip.reply(self._work(trip, profile, pod_uid, leave=leave))

    def _has_queue(self, trip: Trip) -> bool:
        return trip.target is not None and trip.target.revision is not None

    def _work(
        self, trip: Trip, profile: Profile, pod_uid: str, *, leave: Callable[[], None]
    ) -> Reply:
        target = trip.target
        path = target.path if target else trip.request.path
        counts = self.counts_of(pod_uid, profile)
        served = self.ask(profile, pod_uid, replace(trip.request, path=path), trip=trip)
        fate, made = self._in_time(trip, served.answer)

        def finish() -> None:
            if trip.counted:
                return
            served.finish()
            leave()
            self._count(trip, *self._ending(trip, fate, made.status, counts))

        trip.end = finish
        return Reply(hop=_maker(trip, fate), answer=made, pod_uid=pod_uid, finish=finish)

    def _ending(
        self, trip: Trip, fate: Fate, status: int, counts: ServerCounts
    ) -> tuple[Fate, int | None]:
        """Its caller may have left, and its server may have ended under it."""
        if trip.told:
            return Fate.LEFT, None
        uid = trip.pod_uid or ""
        same = self.world.kubelet.runs(uid) and self.counts_of(uid, counts.profile) is counts
        if same:
            return fate, status
        lost = Fate.REFUSED if self._has_queue(trip) else Fate.NO_CONNECTION
        return lost, MADE[lost][1].status

    def _in_time(self, trip: Trip, made: Answer) -> tuple[Fate, Answer]:
        """Its fate by the clock of the revision's timeout; also a stream that its affliction
        breaks."""
        target, activator = trip.target, self.world.activator
        if self._struck(trip) is Fate.BROKEN:
            return Fate.BROKEN, made
        if target is None or target.revision is None or activator is None:
            return Fate.ANSWERED, made
        spent = self.world.timeline.now() - trip.arrived
        left_s = max(0.0, activator.timeout_s(target.revision) - spent.total_seconds())
        if made.after_s > left_s:
            late = ACTIVATOR_TIMEOUT if trip.proxied else QUEUE_TIMEOUT
            return Fate.TOO_SLOW, replace(late, after_s=left_s)
        if made.seconds > left_s:
            return Fate.CUT, replace(made, chunks=made.chunks[: len(made.chunks) // 2])
        return Fate.ANSWERED, made

    def ask(
        self, profile: Profile, pod_uid: str, request: Call, *, trip: Trip | None = None
    ) -> Reply:
        """The server's own answer, counted by it."""
        counts = self.counts_of(pod_uid, profile)
        counts.running += 1
        metrics = counts.text() if request.path == METRICS else ""
        made = self._afflicted(trip, answer(profile, request, metrics=metrics))

        def finish() -> None:
            gone = trip is not None and trip.told
            counts.ended(made, path=request.path, times=request.times, aborted=gone)
            self.world.kubelet.note(pod_uid, _access_line(request, made))
            if made.tokens:
                self.world.cluster.truth.mark(pod_uid, "first_answer", self.world.timeline.now())

        return Reply(hop="server", answer=made, pod_uid=pod_uid, finish=finish)

    def _afflicted(self, trip: Trip | None, made: Answer) -> Answer:
        found = self._affliction(trip) if trip is not None else None
        if found is None:
            return made
        if found.status is not None and found.fate is Fate.ANSWERED:
            return Answer(status=found.status, body=_DEAD, after_s=made.after_s)
        return replace(made, after_s=made.after_s + found.slower_s)

    def counts_of(self, pod_uid: str, profile: Profile) -> ServerCounts:
        """Of the server that runs in a pod now."""
        state = self.world.kubelet.pods.get(pod_uid)
        run = state.server.run if state else None
        started = run.started_at if run else self.world.timeline.now()
        return self.counters.of(pod_uid, profile, started_at=started)

    def profile(self, pod_uid: str) -> Profile | None:
        state = self.world.kubelet.pods.get(pod_uid)
        pod = self.world.kubelet.pod_of(state) if state else None
        return self.world.behaviours.profile_of(pod) if pod else None


# Source: vLLM entrypoints/openai, when its engine core has ended.
_DEAD = (
    b'{"error": {"message": "EngineCore encountered an issue. See stack trace (above) for the '
    b'root cause.", "type": "InternalServerError", "param": null, "code": 500}}'
)


def _nothing() -> None:
    """Nobody counts this call as one in progress."""


def _maker(trip: Trip, fate: Fate) -> str:
    if fate is Fate.TOO_SLOW:
        return "activator" if trip.proxied else "queue-proxy"
    return "server"


def _access_line(request: Call, made: Answer) -> str:
    """As uvicorn writes it, without a time."""
    phrase = HTTPStatus(made.status).phrase
    call = f"{request.method} {request.path} HTTP/1.1"
    return f'INFO:     10.244.0.7:41204 - "{call}" {made.status} {phrase}'
