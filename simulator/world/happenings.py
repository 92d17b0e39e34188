"""What people and nodes do to a running cluster: changes, scaling, crashes, stalls, drains.

The first of each comes soon after the world goes live, so that whoever looks sees something move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.store.json_values import JsonObject
from simulator.store.resources import INFERENCESERVICES, LLMINFERENCESERVICES, PODS
from simulator.world.accidents import Accidents
from simulator.world.podstatus import PodState
from simulator.world.profiles import Profile, Rhythm, Runtime, Trouble
from simulator.world.traffic import Traffic
from simulator.world.world import World

if TYPE_CHECKING:
    from simulator.world.faults import Faults

KUBECTL = "kubectl-edit"
# Which models somebody keeps trying to repair, by changing their arguments.
RETRIED = (Trouble.DOWNLOAD_DENIED, Trouble.LIVENESS_KILL, Trouble.CRASH_LOOP)
# The first model of a kind moves at once, others in their turn.
SOON_S = (2.0, 9.0)
LATER_S = (25.0, 150.0)
RETRY_S = 1200.0
ROLLOUT_S = 900.0
COLD_NODE_S = 1500.0
BUSY_S = 1200.0
STALL_S = 500.0
DRAIN_S = 2400.0
MAINTENANCE_S = 600.0
SCALE_S = 240.0
CRASH_S = 840.0
# Models whose engine dies, or that are overrun, for some minutes: by the fault's name.
STRUCK = {"reranker": "engine", "mistral-7b": "host-oom", "llama-3-8b": "overload"}
STRUCK_FIRST_S = (40.0, 120.0)
STRUCK_S = 1700.0
STRUCK_FOR_S = (100.0, 220.0)
ON_SCHEDULE = ("llama-guard", "night-batch")


class Happenings:
    """Begins with the world going live. All gaps are real seconds around their mean."""

    def __init__(self, world: World, traffic: Traffic, faults: Faults | None = None) -> None:
        """faults: none, and no server ever dies or is overrun."""
        self.world = world
        self.faults = faults
        self.traffic = traffic
        self.accidents = Accidents(world.kubelet)
        self._moved: set[tuple[str, Trouble]] = set()

    def begin(self) -> None:
        for profile in self.world.plan.models:
            if profile.trouble is Trouble.STUCK_ROLLOUT:
                self._soon_and_again(profile, ROLLOUT_S, self.change)
            elif profile.trouble in RETRIED:
                self._every(profile, RETRY_S, self.change)
            elif profile.trouble is Trouble.COLD_IMAGE:
                self._soon_and_again(profile, COLD_NODE_S, self.traffic.burst)
            elif profile.trouble is Trouble.NO_GPU:
                self._soon_and_again(profile, BUSY_S, self.traffic.burst)
            else:
                self._ordinary(profile)

    def _ordinary(self, profile: Profile) -> None:
        standard = self.world.plan.settings.knative is None
        if self.faults and profile.rhythm is Rhythm.STEADY and profile.name in STRUCK:
            first = self.world.cluster.draws.uniform(f"first/{profile.key}", *STRUCK_FIRST_S)
            self.world.timeline.after_real(first, lambda: self.strike(profile))
            self._every(profile, STRUCK_S, self.strike)
        if profile.name in ON_SCHEDULE:
            self._soon_and_again(profile, SCALE_S, self.turn_on_or_off)
        elif profile.rhythm is Rhythm.BURSTS:
            self._soon(profile, self.traffic.burst)
        elif standard and profile.rhythm is Rhythm.STEADY and profile.gpus:
            self._every(profile, 3 * ROLLOUT_S, self.change)
            self._hardships(profile)

    def _hardships(self, profile: Profile) -> None:
        """What a model with one replica does not come through without an error."""
        self._every(profile, 3 * CRASH_S, self.crash)
        self._every(profile, STALL_S, self.stall)
        self._every(profile, 3 * DRAIN_S, self.drain)

    # What can happen

    def change(self, profile: Profile) -> None:
        """Somebody edits the model's arguments: a new revision, or rolled pods."""
        number = int(self.world.cluster.draws.uniform(f"edit/{profile.key}", 100, 999))
        argument = f"--max-num-seqs={number}"

        def edit(obj: JsonObject) -> None:
            predictor = obj["spec"]["predictor"]
            holder = predictor["model"] if "model" in predictor else predictor["containers"][0]
            kept = [
                each for each in holder.get("args", []) if not each.startswith("--max-num-seqs")
            ]
            holder["args"] = [*kept, argument]

        if profile.runtime is not Runtime.LLMISVC:
            self.world.cluster.change(INFERENCESERVICES, profile.key, edit, manager=KUBECTL)

    def turn_on_or_off(self, profile: Profile) -> None:
        """A job that scales a model up for its hours, and down afterwards."""
        is_llm = profile.runtime is Runtime.LLMISVC

        def edit(obj: JsonObject) -> None:
            holder = obj["spec"] if is_llm else obj["spec"]["predictor"]
            field = "replicas" if is_llm else "minReplicas"
            holder[field] = 0 if holder.get(field) else 1

        resource = LLMINFERENCESERVICES if is_llm else INFERENCESERVICES
        self.world.cluster.change(resource, profile.key, edit, manager="scheduled-job")

    def crash(self, profile: Profile) -> None:
        """The host runs out of memory under a serving model."""
        found = self._serving(profile)
        if found is not None:
            self.accidents.kill_for_memory(*found)

    def strike(self, profile: Profile) -> None:
        """A fault of some minutes, unless another one is on."""
        if self.faults is None or profile.key in self.faults.running:
            return
        self.faults.begin(STRUCK[profile.name], profile)
        lasts = self.world.cluster.draws.uniform(f"struck/{profile.key}", *STRUCK_FOR_S)
        self.world.timeline.after_real(lasts, lambda: self._calm(profile))

    def _calm(self, profile: Profile) -> None:
        if self.faults is not None:
            self.faults.end(profile)

    def stall(self, profile: Profile) -> None:
        """The engine is busy with one long step: probes time out, nothing restarts."""
        found = self._serving(profile)
        if found is not None:
            seconds = self.world.cluster.draws.uniform(f"stall/{profile.key}", 4, 12)
            self.accidents.stall(*found, seconds)

    def drain(self, profile: Profile) -> None:
        """The node of a serving model is drained for ten minutes of maintenance, and comes back."""
        found = self._serving(profile)
        if found is None:
            return
        node = found[0].node
        self.world.nodes.cordon(node, unschedulable=True)
        for state in list(self.world.kubelet.pods.values()):
            if state.node == node:
                self.world.cluster.remove(PODS, state.key, graceful=True)
        self.world.timeline.after_real(
            MAINTENANCE_S, lambda: self.world.nodes.cordon(node, unschedulable=False)
        )

    def _serving(self, profile: Profile) -> tuple[PodState, JsonObject] | None:
        """A ready pod of the model."""
        for state in self.world.kubelet.pods.values():
            pod = self.world.kubelet.pod_of(state)
            if pod is None or not state.ready or state.stopping:
                continue
            if self.world.behaviours.profile_of(pod) == profile:
                return state, pod
        return None

    # When

    def _soon(self, profile: Profile, act: Callable[[Profile], None]) -> None:
        kind = (act.__name__, profile.trouble)
        window = LATER_S if kind in self._moved else SOON_S
        self._moved.add(kind)
        after = self.world.cluster.draws.uniform(f"soon/{profile.key}", *window)
        self.world.timeline.after_real(after, lambda: act(profile))

    def _every(self, profile: Profile, mean_s: float, act: Callable[[Profile], None]) -> None:
        gap = self.world.cluster.draws.uniform(f"every/{profile.key}", 0.6, 1.4) * mean_s

        def happen() -> None:
            act(profile)
            self._every(profile, mean_s, act)

        self.world.timeline.after_real(gap, happen)

    def _soon_and_again(
        self, profile: Profile, mean_s: float, act: Callable[[Profile], None]
    ) -> None:
        self._soon(profile, act)
        self._every(profile, mean_s, act)


class Health(Happenings):
    """What people do where nothing ever fails: no server dies or stalls, no node is drained."""

    def _hardships(self, profile: Profile) -> None:
        """None."""
