"""All kubelets of one cluster: from a bound pod to a ready one, and to its end.

Order, texts and lags of status updates are those seen on Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import PODS
from simulator.store.versions import StoreEvent
from simulator.world.behaviours import Behaviours
from simulator.world.cluster import Cluster
from simulator.world.containers import Containers
from simulator.world.nodes import Nodes
from simulator.world.podstatus import ContainerState, PodState
from simulator.world.profiles import Profile
from simulator.world.programs import LogLines
from simulator.world.recorder import Source
from simulator.world.replicasets import model_of
from simulator.world.truth import Start

FIRST_STATUS_S = 0.17
SANDBOX_S = (0.85, 1.15)
STATUS_LAG_S = 0.5
TRUTH_S = 10.0
# Whether the image and the weights were there.
MODES = {
    "cached-both": (True, True),
    "cached-image": (True, False),
    "cached-weights": (False, True),
    "cold": (False, False),
}
# Until the next run begins, what ended the last one stands in the way.
DOWN = "the server is down"
# A server that ran long writes no more: logs only ever grow, and memory is bounded.
MOST_LINES = 2000


class Kubelet:
    """Runs every pod that is bound to a node."""

    def __init__(self, cluster: Cluster, nodes: Nodes, behaviours: Behaviours) -> None:
        self.cluster = cluster
        self.nodes = nodes
        self.pods: dict[str, PodState] = {}
        self.behaviours = behaviours
        self.containers = Containers(self, behaviours)
        self._addresses = 0
        cluster.on(PODS, self._changed)

    # What others ask

    def log(self, pod_uid: str, container: str, *, previous: bool) -> LogLines | None:
        """Lines of the newest run, or of the one before it; None when there was none."""
        pod = self.pods.get(pod_uid)
        states = [] if pod is None else [each for each in pod.containers if each.name == container]
        if not states:
            return None
        run = states[0].last if previous else states[0].run
        if previous and states[0].running is None and states[0].shows_waiting:
            run = states[0].run
        return run.log(self.cluster.now()) if run else None

    def note(self, pod_uid: str, line: str) -> None:
        """The server of a pod writes a line of its log."""
        pod = self.pods.get(pod_uid)
        run = pod.server.running if pod else None
        if run is not None and len(run.written) < MOST_LINES:
            run.written.append((self.cluster.now(), line))

    def answering(self, pod_uid: str) -> bool:
        """Whether the server of this pod listens."""
        pod = self.pods.get(pod_uid)
        return pod is not None and pod.answering and not pod.stopping

    def runs(self, pod_uid: str) -> bool:
        """Whether the server of this pod runs, on its way out or not."""
        pod = self.pods.get(pod_uid)
        return pod is not None and pod.server.running is not None

    # What happens to a pod

    def _changed(self, event: StoreEvent) -> None:
        pod, meta = event.object, event.object["metadata"]
        uid = meta["uid"]
        if event.type == "DELETED":
            self._forget(uid)
        elif "deletionTimestamp" in meta:
            self._stop(pod)
        elif uid not in self.pods and pod["spec"].get("nodeName"):
            self._accept(pod)

    def _forget(self, uid: str) -> None:
        self.pods.pop(uid, None)
        self.cluster.truth.leave(uid)
        start = self.cluster.truth.of(uid)
        if start is not None:
            ready = "ready" in start.marks
            failed = start.failure is not None
            self.cluster.truth.end(uid, "ready" if ready else "failed" if failed else "aborted")

    def _accept(self, pod: JsonObject) -> None:
        state = self._state_of(pod)
        self.pods[state.uid] = state
        self._note_start_mode(pod, state)
        self.later(state, FIRST_STATUS_S, lambda: self.sync(state))
        sandbox_s = self.cluster.draws.uniform("sandbox", *SANDBOX_S)
        self.later(state, FIRST_STATUS_S + sandbox_s, lambda: self._sandbox_up(state, pod))

    def _state_of(self, pod: Mapping[str, Any]) -> PodState:
        meta, spec = pod["metadata"], pod["spec"]
        listed = [(each, True) for each in spec.get("initContainers", ())]
        listed += [(each, False) for each in spec["containers"]]
        return PodState(
            uid=meta["uid"],
            key=(meta["namespace"], meta["name"]),
            node=spec["nodeName"],
            host_ip=self.nodes.address(spec["nodeName"]),
            began=self.cluster.now(),
            containers=[
                ContainerState(
                    name=each["name"],
                    image=each["image"],
                    init=init,
                    sidecar=init and each.get("restartPolicy") == "Always",
                )
                for each, init in listed
            ],
        )

    def _note_start_mode(self, pod: JsonObject, state: PodState) -> None:
        """Of a group: what one of its pods has to get first was not there."""
        start = self.cluster.truth.of(self.cluster.truth.leader_of(state.uid))
        if start is None:
            return
        profile = self.behaviours.profile_of(pod)
        if profile is None or not profile.runtime.is_vllm:
            self.cluster.truth.forget(state.uid)
            return
        image = state.server.image in self.nodes.images[state.node].present
        weights = self._weights_there(profile, state)
        known = MODES.get(start.start_mode, (True, True))
        wanted = (image and known[0], weights and known[1])
        start.start_mode = next(mode for mode, there in MODES.items() if there == wanted)

    def _weights_there(self, profile: Profile, state: PodState) -> bool:
        """Nothing has to be fetched from outside the cluster."""
        present = self.nodes.images[state.node].present
        if profile.model_image:
            return profile.model_image in present
        if profile.baked:
            return profile.image in present
        return profile.local_cache or profile.storage.startswith("pvc://")

    def _sandbox_up(self, state: PodState, pod: JsonObject) -> None:
        self._addresses += 1
        state.sandbox_up = True
        state.pod_ip = f"10.244.{40 + self._addresses // 250 % 200}.{2 + self._addresses % 250}"
        self.mark(state, "sandbox_up")
        self.containers.start_init(state, pod)

    def _stop(self, pod: JsonObject) -> None:
        uid, meta = pod["metadata"]["uid"], pod["metadata"]
        key = (meta["namespace"], meta["name"])
        state = self.pods.get(uid)
        if state is None:
            if not pod["spec"].get("nodeName"):
                self.cluster.timeline.after(0.005, lambda: self.cluster.remove(PODS, key))
            return
        if state.stopping:
            return
        state.stopping = True
        self._say_stopping(pod, state)
        stop_s = _pre_stop_seconds(pod) + self.cluster.draws.uniform("stop", 1.1, 1.6)
        timeline = self.cluster.timeline
        timeline.after(stop_s, lambda: self._stopped(state))
        timeline.after(stop_s + 0.7, lambda: self.cluster.remove(PODS, key))

    def _say_stopping(self, pod: JsonObject, state: PodState) -> None:
        for each in state.app:
            if each.running is not None:
                text = f"Stopping container {each.name}"
                self.say(pod, state, "Killing", text, container=each)

    def _stopped(self, state: PodState) -> None:
        for each in state.containers:
            if each.running is not None:
                each.running.ended_at = self.cluster.now()
                each.shows_waiting = each.ready = each.started = False
        self.sync(state)

    # Tools of Containers

    def later(self, state: PodState, stage_s: float, call: Callable[[], None]) -> None:
        """Calls after a stage, unless the pod is on its way out by then."""

        def if_alive() -> None:
            if not state.stopping and state.uid in self.pods:
                call()

        self.cluster.timeline.after(stage_s, if_alive)

    def sync_soon(self, state: PodState) -> None:
        lag = self.cluster.draws.uniform("lag", 0.8, 1.3) * STATUS_LAG_S
        self.later(state, lag, lambda: self.sync(state))

    def sync(self, state: PodState) -> None:
        """Writes the pod's status as it is now."""
        now = self.cluster.now()

        def edit(obj: JsonObject) -> None:
            obj["status"] = state.as_json(obj.get("status", {}), now)

        self.cluster.change(PODS, state.key, edit, manager="kubelet", subresource="status")

    def mark(self, state: PodState, boundary: str, moment: datetime | None = None) -> None:
        self.cluster.truth.mark(state.uid, boundary, moment or self.cluster.now())

    def end_truth_soon(self, state: PodState) -> None:
        """A start is over some seconds after readiness: by then its first answer is out."""
        truth = self.cluster.truth
        uid = truth.leader_of(state.uid)
        start = truth.of(uid)

        def end() -> None:
            if start is not None and truth.of(uid) is start and "ready" in start.marks:
                truth.end(uid, "ready")

        self.cluster.timeline.after_real(TRUTH_S, end)

    def begin_again(self, state: PodState) -> None:
        """The server of a pod that had been ready ended: the pod starts again, in place. A group of
        pods does not: it is made anew."""
        pod = self.pod_of(state)
        profile = self.behaviours.profile_of(pod) if pod else None
        truth, model = self.cluster.truth, model_of(pod) if pod else None
        if profile is None or model is None or not profile.runtime.is_vllm or profile.nodes > 1:
            return
        before = truth.of(state.uid)
        if before is not None and "ready" not in before.marks:
            return
        truth.end(state.uid, "ready")
        state.attempts += 1
        start = Start(
            cluster=self.cluster.settings.name,
            model=model,
            namespace=state.key[0],
            pod=state.key[1],
            pod_uid=state.uid,
            attempt=state.attempts,
            trigger="restart",
            start_mode="cached-both",
            node=state.node,
            failure=DOWN,
        )
        truth.begin(start)
        truth.mark(state.uid, "demanded", self.cluster.now())

    def pod_of(self, state: PodState) -> JsonObject | None:
        return self.cluster.store.get(PODS, *state.key)

    def say(
        self,
        pod: JsonObject,
        state: PodState,
        reason: str,
        text: str,
        *,
        container: ContainerState,
        kind: str = "Normal",
    ) -> None:
        part = "initContainers" if container.init else "containers"
        self.cluster.recorder.event(
            pod,
            reason,
            text,
            source=Source("kubelet", state.node),
            field_path=f"spec.{part}{{{container.name}}}",
            kind=kind,
        )


def _pre_stop_seconds(pod: Mapping[str, Any]) -> float:
    """A preStop that sleeps; Knative's drain ends at once when nothing is in flight."""
    for container in pod["spec"]["containers"]:
        command = container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command")
        if command and command[0].endswith("sleep"):
            return float(command[1])
    return 0.0
