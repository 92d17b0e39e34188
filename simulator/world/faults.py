"""Faults that somebody seeds into healthy models, and when their callers first felt them.

A fault begins, shows itself in objects, events, logs and counts as it does on real clusters, and
is taken back. The words for causes are those of the field's incident reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from simulator.store.resources import INFERENCESERVICES, PODS
from simulator.world import engine_death
from simulator.world.accidents import Accidents
from simulator.world.calling import Affliction, Callers
from simulator.world.happenings import Happenings
from simulator.world.manifests import inference_service
from simulator.world.passages import Fate, Passage
from simulator.world.podstatus import PodState
from simulator.world.profiles import Profile, Rhythm, Runtime, Trouble
from simulator.world.traffic import Traffic
from simulator.world.world import World

Undo = Callable[[], None]
# Between two ends of a server that has too little memory.
OOM_EVERY_S = 70.0
INGRESS_TIMEOUT_S = 15.0
# Of KServe's HTTPRoutes. Source: kserve/kserve pkg/controller/v1beta1, httproute_reconciler.go.
ROUTE_TIMEOUT_S = 60.0
# Of a server with more to do than it can.
FULL_SHARE = 0.6
FULL_SLOWER_S = 6.0
WAITING = 41


@dataclass(slots=True, kw_only=True)
class Seeded:
    """One fault. first_error_at: its first 5xx, or the first caller that gave up."""

    cluster: str
    kind: str
    namespace: str
    model: str
    cause: str
    how: str
    began_at: datetime
    first_error_at: datetime | None = None
    ended_at: datetime | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "cluster": self.cluster,
            "kind": self.kind,
            "namespace": self.namespace,
            "model": self.model,
            "cause": self.cause,
            "how": self.how,
            "began_at": _stamp(self.began_at),
            "first_user_visible_error_at": _stamp(self.first_error_at),
            "ended_at": _stamp(self.ended_at),
        }


def _stamp(moment: datetime | None) -> str | None:
    return f"{moment:%Y-%m-%dT%H:%M:%S.%fZ}" if moment else None


class Faults:
    """Seeds and takes back. keep: given each fault when its callers first feel it, and at its
    end."""

    def __init__(
        self, callers: Callers, traffic: Traffic, keep: Callable[[Seeded], None] | None = None
    ) -> None:
        self.callers, self.world = callers, callers.world
        self.traffic = traffic
        self.keep = keep or (lambda _: None)
        self.running: dict[tuple[str, str], tuple[Seeded, Undo]] = {}
        callers.at_ingress.append(self._felt)

    def begin(self, how: str, profile: Profile) -> Seeded:
        """how: a key of FAULTS. One fault a model at a time."""
        fault = FAULTS[how]
        kind = "LLMInferenceService" if profile.runtime is Runtime.LLMISVC else "InferenceService"
        seeded = Seeded(
            cluster=self.world.plan.settings.name,
            kind=kind,
            namespace=profile.namespace,
            model=profile.name,
            cause=fault.cause,
            how=how,
            began_at=self.world.timeline.now(),
        )
        undo = fault.seed(Scene(self.callers, self.traffic, profile))
        self.running[profile.key] = (seeded, undo)
        return seeded

    def end(self, profile: Profile) -> None:
        seeded, undo = self.running.pop(profile.key)
        undo()
        seeded.ended_at = self.world.timeline.now()
        self.keep(seeded)

    def _felt(self, passage: Passage) -> None:
        found = self.running.get(passage.model or ("", ""))
        failed = passage.status is None or passage.status >= 500
        if found is not None and failed and found[0].first_error_at is None:
            found[0].first_error_at = passage.at
            self.keep(found[0])


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a fault is seeded."""

    callers: Callers
    traffic: Traffic
    profile: Profile

    @property
    def world(self) -> World:
        return self.callers.world

    def plan(self, **changes: Any) -> Undo:
        """From its next start on the model behaves otherwise."""
        self.world.behaviours.plan([replace(self.profile, **changes)])
        return lambda: self.world.behaviours.plan([self.profile])

    def afflict(self, affliction: Affliction) -> Undo:
        self.callers.afflictions[self.profile.key] = affliction
        return lambda: _drop(self.callers.afflictions, self.profile.key)

    def servers(self) -> list[PodState]:
        """Pods of the model whose server answers."""
        return [
            state
            for state in self.world.kubelet.pods.values()
            if self.callers.profile(state.uid) == self.profile and state.answering
        ]

    def again_and_again(self, every_s: float, act: Callable[[], None]) -> Undo:
        running = [True]

        def turn() -> None:
            if running:
                act()
                self.world.timeline.after_real(every_s, turn)

        turn()
        return running.clear


def _drop(found: dict[tuple[str, str], Any], key: tuple[str, str]) -> None:
    found.pop(key, None)


def _ingress_timeout(scene: Scene) -> Undo:
    limits = scene.callers.ingress_timeout_s
    limits[scene.profile.key] = INGRESS_TIMEOUT_S
    return lambda: _drop(limits, scene.profile.key)


def _image_gone(scene: Scene) -> Undo:
    """The registry has the image no more, and the nodes have forgotten it."""
    nodes, image = scene.world.nodes, scene.profile.image
    nodes.withdrawn.add(image)
    for node in nodes.images.values():
        node.present.discard(image)
    return lambda: nodes.withdrawn.discard(image)


def _gpus_taken(scene: Scene) -> Undo:
    """A job of somebody else takes the GPUs of the model's pool."""
    profile, world = scene.profile, scene.world
    hog = replace(
        profile,
        name=f"{profile.name}-batch",
        min_replicas=1,
        max_replicas=1,
        rhythm=Rhythm.NEVER,
        trouble=Trouble.NONE,
    )
    world.behaviours.plan([hog])
    world.cluster.ensure(INFERENCESERVICES, inference_service(hog), manager="kubectl")
    return lambda: world.cluster.remove(INFERENCESERVICES, hog.key)


def _rolled_out(scene: Scene) -> Undo:
    """A change starts a second copy, for which there is no GPU."""
    Happenings(scene.world, scene.traffic).change(scene.profile)
    return lambda: None


def _slow_rollout(scene: Scene) -> Undo:
    """A change starts a second copy, which loads beyond the deadline."""
    undo = scene.plan(trouble=Trouble.LOAD_SLOW)
    _rolled_out(scene)
    return undo


def _engine_dead(scene: Scene) -> Undo:
    """The engine has ended; the server before it goes on, and answers 500."""
    for state in scene.servers():
        engine_death.write(scene.world.kubelet, state.uid, scene.profile)
    return scene.afflict(Affliction(fate=Fate.ANSWERED, status=500))


def _overloaded(scene: Scene) -> Undo:
    """More calls than it can take: they wait in the engine; beyond that queue-proxy refuses them,
    or without one the ingress waits no longer."""
    if scene.world.plan.settings.knative is None:
        late = scene.afflict(Affliction(share=FULL_SHARE, slower_s=2 * ROUTE_TIMEOUT_S))
        limits = scene.callers.ingress_timeout_s
        limits[scene.profile.key] = ROUTE_TIMEOUT_S
    else:
        limits = {}
        full = Affliction(fate=Fate.QUEUE_FULL, share=FULL_SHARE, slower_s=FULL_SLOWER_S)
        late = scene.afflict(full)
    stop = scene.again_and_again(10.0, lambda: _fill(scene, WAITING))

    def undo() -> None:
        stop()
        late()
        limits.pop(scene.profile.key, None)
        _fill(scene, 0)

    return undo


def _fill(scene: Scene, waiting: int) -> None:
    for state in scene.servers():
        scene.callers.counts_of(state.uid, scene.profile).waiting = waiting
        engine_death.write_load(scene.world.kubelet, state.uid, scene.profile, waiting)


def _memory_short(scene: Scene) -> Undo:
    accidents = Accidents(scene.world.kubelet)

    def strike() -> None:
        for state in scene.servers():
            pod = scene.world.kubelet.pod_of(state)
            if pod is not None:
                accidents.kill_for_memory(state, pod)

    return scene.again_and_again(OOM_EVERY_S, strike)


def _drained(scene: Scene) -> Undo:
    """Its node is emptied for maintenance."""
    world = scene.world
    nodes = {state.node for state in scene.servers()}
    for node in nodes:
        world.nodes.cordon(node, unschedulable=True)
    for state in list(world.kubelet.pods.values()):
        if state.node in nodes:
            world.cluster.remove(PODS, state.key, graceful=True)

    def undo() -> None:
        for node in nodes:
            world.nodes.cordon(node, unschedulable=False)

    return undo


def _nothing(_scene: Scene) -> Undo:
    """The fault lies in the settings; it is felt once somebody calls."""
    return lambda: None


@dataclass(frozen=True, slots=True)
class Fault:
    """cause: as incident reports name it. asleep: it is felt by those who wake the model. silent:
    no caller feels it, as what served before goes on."""

    cause: str
    seed: Callable[[Scene], Undo]
    asleep: bool = True
    silent: bool = False


def _planned(trouble: Trouble) -> Callable[[Scene], Undo]:
    return lambda scene: scene.plan(trouble=trouble)


FAULTS: Mapping[str, Fault] = {
    "timeout": Fault("timeout-shorter-than-load", _nothing),
    "ingress-timeout": Fault("timeout-shorter-than-load", _ingress_timeout),
    "gpu-oom": Fault("gpu-oom", _planned(Trouble.CRASH_LOOP)),
    "liveness": Fault("liveness-kills-loading", _planned(Trouble.LOAD_SLOW)),
    "denied": Fault("model-download-denied", _planned(Trouble.DOWNLOAD_DENIED)),
    "slow-download": Fault("model-download-slow", _planned(Trouble.DOWNLOAD_SLOW)),
    "hub-busy": Fault("upstream-hub-rate-limit", _planned(Trouble.HUB_BUSY)),
    "image": Fault("image-pull-failed", _image_gone),
    "no-gpu": Fault("unschedulable-gpu", _gpus_taken),
    "deadline": Fault("progress-deadline-exceeded", _slow_rollout, asleep=False, silent=True),
    "startup-probe": Fault("probe-too-strict", _planned(Trouble.LOAD_SLOW)),
    "rollout": Fault("rollout-capacity-deadlock", _rolled_out, asleep=False, silent=True),
    "engine": Fault("engine-died", _engine_dead, asleep=False),
    "overload": Fault("overload", _overloaded, asleep=False),
    "host-oom": Fault("host-oom", _memory_short, asleep=False),
    "drain": Fault("draining", _drained, asleep=False),
}
