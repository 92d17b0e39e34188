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
from simulator.world.programs import LogLines
from simulator.world.recorder import Source

FIRST_STATUS_S = 0.17
SANDBOX_S = (0.85, 1.15)
STATUS_LAG_S = 0.5
TRUTH_S = 10.0
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
                ContainerState(name=each["name"], image=each["image"], init=init)
                for each, init in listed
            ],
        )

    def _note_start_mode(self, pod: JsonObject, state: PodState) -> None:
        start = self.cluster.truth.of(state.uid)
        if start is None:
            return
        image = state.server.image in self.nodes.images[state.node].present
        profile = self.behaviours.profile_of(pod)
        if profile is None or not profile.runtime.is_vllm:
            self.cluster.truth.forget(state.uid)
            return
        weights = profile.storage.startswith("pvc://")
        modes = {
            (True, True): "cached-both",
            (True, False): "cached-image",
            (False, True): "cached-weights",
        }
        start.start_mode = modes.get((image, weights), "cold")

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
        uid = state.uid
        self.cluster.timeline.after_real(TRUTH_S, lambda: self.cluster.truth.end(uid, "ready"))

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
