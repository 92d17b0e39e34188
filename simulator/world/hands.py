"""Busy people: they wake, flood, roll out, pin, scale, stop, delete and drain what a cluster has,
so that hours hold many starts of every kind.

For proofs, not for the demo: nobody's ordinary day is like this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from simulator.store.json_values import JsonObject
from simulator.store.resources import (
    DEPLOYMENTS,
    INFERENCESERVICES,
    LLMINFERENCESERVICES,
    PODAUTOSCALERS,
    PODS,
    REVISIONS,
    Resource,
)
from simulator.world.happenings import KUBECTL, Happenings
from simulator.world.knative import names
from simulator.world.kserve.names import STOP
from simulator.world.podstatus import PodState
from simulator.world.profiles import Profile, Runtime
from simulator.world.traffic import Traffic
from simulator.world.world import World

Act = Callable[[Profile], None]
# Calls in progress at once, as a multiple of what one replica takes.
FLOOD = 4.0
FLOOD_FOR_S = 40.0
PINNED_S = (90.0, 400.0)
STOPPED_S = 45.0
MENDED_S = (50.0, 130.0)
BACK_S = 120.0


@dataclass(frozen=True, slots=True)
class Habit:
    """What is done, and how long on average between two times to the same model, in seconds."""

    act: Act
    every_s: float


class Hands:
    """The people of one cluster."""

    def __init__(self, world: World, traffic: Traffic) -> None:
        self.world = world
        self.traffic = traffic
        self.draws = world.cluster.draws
        self.happenings = Happenings(world, traffic)
        self.knative = world.plan.settings.knative is not None

    def begin(self, models: Sequence[Profile]) -> None:
        for profile in models:
            for habit in self._habits(profile):
                self._again(profile, habit)

    def _habits(self, profile: Profile) -> Iterator[Habit]:
        yield Habit(self.happenings.crash, 4000.0)
        yield Habit(self.lose, 2500.0)
        yield Habit(self.forget_image, 1500.0)
        yield Habit(self.drain, 20000.0)
        yield Habit(self.stop_for_a_while, 9000.0)
        if profile.runtime is not Runtime.LLMISVC:
            yield Habit(self.happenings.change, 3600.0)
            yield Habit(self.break_image, 9000.0)
        if self.knative:
            yield Habit(self.wake, 420.0)
            yield Habit(self.flood, 1500.0)
            yield Habit(self.pin, 2400.0)
        else:
            yield Habit(self.resize, 500.0)
            yield Habit(self.scale, 1100.0)

    # Callers

    def wake(self, profile: Profile) -> None:
        """A few calls."""
        self.traffic.call(profile)

    def flood(self, profile: Profile) -> None:
        """More calls at once than one replica takes, for a while."""
        most = int(FLOOD * profile.target)
        for number in range(most):
            self.world.timeline.after_real(0.02 * number, lambda: self._keep_busy(profile, most))

    def _keep_busy(self, profile: Profile, times: int) -> None:
        key = self._serving_revision(profile)
        activator = self.world.activator
        if key is None or activator is None:
            return

        def taken(pod_uid: str | None) -> None:
            if pod_uid is not None:
                after = self.draws.uniform(f"busy/{profile.key}", 0.4, 1.0) * FLOOD_FOR_S
                self.world.timeline.after_real(after, lambda: activator.leave(key))

        activator.enter(key, taken)

    def _serving_revision(self, profile: Profile) -> tuple[str, str] | None:
        isvc = self.world.store.get(INFERENCESERVICES, *profile.key) or {}
        predictor = isvc.get("status", {}).get("components", {}).get("predictor", {})
        name = predictor.get("latestReadyRevision")
        return (profile.namespace, str(name)) if name else None

    # Hands on scale

    def pin(self, profile: Profile) -> None:
        """The serving revision gets a floor in place, where this Knative looks for it."""
        key = self._serving_revision(profile)
        syncs = self.world.plan.settings.syncs_annotations
        resource = REVISIONS if syncs else PODAUTOSCALERS
        if key is None or self.world.store.get(resource, *key) is None:
            return
        self.world.causes.by_hand(key)
        self._floor(resource, key, 1)
        for_s = self.draws.uniform(f"pinned/{profile.key}", *PINNED_S)
        low = str(profile.min_replicas)
        self.world.timeline.after_real(for_s, lambda: self._floor(resource, key, int(low)))

    def _floor(self, resource: Resource, key: tuple[str, str], floor: int) -> None:
        def edit(obj: JsonObject) -> None:
            obj["metadata"].setdefault("annotations", {})[names.MIN_SCALE] = str(floor)

        self.world.cluster.change(resource, key, edit, manager="kubectl-annotate")

    def resize(self, profile: Profile) -> None:
        """The model's own number of replicas goes up, or back."""
        llm = profile.runtime is Runtime.LLMISVC
        low = profile.min_replicas

        def edit(obj: JsonObject) -> None:
            holder = obj["spec"] if llm else obj["spec"]["predictor"]
            field = "replicas" if llm else "minReplicas"
            steps = (low, max(1, low), profile.max_replicas)
            holder[field] = self.draws.choice(f"size/{profile.key}", steps)

        self.world.cluster.change(_resource(profile), profile.key, edit, manager=KUBECTL)

    def scale(self, profile: Profile) -> None:
        """`kubectl scale` on the Deployment, where nothing sets it back."""
        if profile.runtime is Runtime.LLMISVC or profile.autoscaler == "none":
            return
        key = (profile.namespace, f"{profile.name}-predictor")
        deployment = self.world.store.get(DEPLOYMENTS, *key)
        if deployment is None or int(deployment["spec"]["replicas"]) >= profile.max_replicas:
            return

        def edit(obj: JsonObject) -> None:
            obj["spec"]["replicas"] += 1

        self.world.causes.by_hand(key)
        self.world.cluster.change(DEPLOYMENTS, key, edit, manager="kubectl", subresource="scale")

    # Hands on models, pods and nodes

    def stop_for_a_while(self, profile: Profile) -> None:
        """Stopped by its annotation, and resumed."""
        self._annotate_stop(profile, stopped=True)
        self.world.timeline.after_real(
            STOPPED_S, lambda: self._annotate_stop(profile, stopped=False)
        )

    def _annotate_stop(self, profile: Profile, *, stopped: bool) -> None:
        def edit(obj: JsonObject) -> None:
            annotations = obj["metadata"].setdefault("annotations", {})
            annotations.pop(STOP, None)
            if stopped:
                annotations[STOP] = "true"

        self.world.cluster.change(_resource(profile), profile.key, edit, manager="kubectl-annotate")

    def break_image(self, profile: Profile) -> None:
        """A tag that no registry knows, put right within minutes."""
        self._set_image(profile, f"{profile.image.rpartition(':')[0]}:missing")
        after = self.draws.uniform(f"mended/{profile.key}", *MENDED_S)
        self.world.timeline.after_real(after, lambda: self._set_image(profile, profile.image))

    def _set_image(self, profile: Profile, image: str) -> None:
        def edit(obj: JsonObject) -> None:
            predictor = obj["spec"]["predictor"]
            holder = predictor["model"] if "model" in predictor else predictor["containers"][0]
            holder["image"] = image

        self.world.cluster.change(INFERENCESERVICES, profile.key, edit, manager=KUBECTL)

    def lose(self, profile: Profile) -> None:
        """Somebody deletes a pod of the model, as often as not while it loads."""
        states = sorted(self._pods(profile), key=lambda state: (state.ready, state.uid))
        if states:
            self.world.cluster.remove(PODS, states[0].key, graceful=True)

    def _pods(self, profile: Profile) -> Iterator[PodState]:
        for state in self.world.kubelet.pods.values():
            pod = self.world.kubelet.pod_of(state)
            if pod is None or state.stopping:
                continue
            if self.world.behaviours.profile_of(pod) == profile:
                yield state

    def drain(self, profile: Profile) -> None:
        """The node of one of its pods is drained, and comes back."""
        state = next(self._pods(profile), None)
        if state is None:
            return
        node = state.node
        self.world.nodes.cordon(node, unschedulable=True)
        for each in list(self.world.kubelet.pods.values()):
            if each.node == node and not each.stopping:
                self.world.cluster.remove(PODS, each.key, graceful=True)
        self.world.timeline.after_real(
            BACK_S, lambda: self.world.nodes.cordon(node, unschedulable=False)
        )

    def forget_image(self, profile: Profile) -> None:
        """The kubelet of some node threw the model's image away, for want of disk."""
        holding = [
            (node, image)
            for node, images in sorted(self.world.nodes.images.items())
            for image in (profile.image, profile.model_image)
            if image in images.present and not self._uses(node, image)
        ]
        if holding:
            node, image = self.draws.choice(f"forgets/{profile.key}", holding)
            self.world.nodes.images[node].present.discard(image)
            self.world.nodes.image_changed(node)

    def _uses(self, node: str, image: str) -> bool:
        """An image that a container runs from, or is about to, is not thrown away."""
        return any(
            state.node == node and any(each.image == image for each in state.containers)
            for state in self.world.kubelet.pods.values()
        )

    # When

    def _again(self, profile: Profile, habit: Habit) -> None:
        name = f"hands/{getattr(habit.act, '__name__', '')}/{profile.key}"

        def happen() -> None:
            habit.act(profile)
            self._again(profile, habit)

        self.world.timeline.after_real(10.0 + self.draws.exponential(name, habit.every_s), happen)


def _resource(profile: Profile) -> Resource:
    return LLMINFERENCESERVICES if profile.runtime is Runtime.LLMISVC else INFERENCESERVICES
