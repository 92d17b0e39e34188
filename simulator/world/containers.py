"""Starting, probing, crashing and restarting the containers of a pod.

Source: kubernetes/kubernetes pkg/kubelet (images/image_manager.go, kuberuntime, prober); texts as
seen on 1.36.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from simulator.store.json_values import JsonObject
from simulator.world.behaviours import Behaviours
from simulator.world.podstatus import ContainerState, PodState, Run
from simulator.world.probing import Probe, Worker, failure_text, probe_of
from simulator.world.pulling import Images

if TYPE_CHECKING:
    from simulator.world.kubelet import Kubelet

# Source: kubernetes/kubernetes pkg/kubelet/kubelet.go, MaxCrashLoopBackOff and its start.
BACKOFF_FIRST_S = 10.0
BACKOFF_MOST_S = 300.0
# The kubelet looks at a pod that waits about this often, and says BackOff again.
BACKOFF_SAID_S = 11.5
# Source: kserve/kserve pkg/constants; the init container that brings the weights.
FETCH = "storage-initializer"
# How a server that does not listen yet ends on SIGTERM. Source: vLLM's signal handler.
TERMINATED_EXIT = 130
TERMINATED = "KeyboardInterrupt: terminated\n"


class Containers:
    def __init__(self, kubelet: Kubelet, behaviours: Behaviours) -> None:
        self.kubelet = kubelet
        self.behaviours = behaviours
        self.images = Images(kubelet)

    # In order: init containers, then the others

    def start_init(self, state: PodState, pod: JsonObject) -> None:
        waiting = next((each for each in state.init if not each.finished), None)
        if waiting is None:
            self.start_app(state, pod, 0)
            return
        self.images.ensure(state, pod, waiting, lambda: self._run(state, pod, waiting))

    def start_app(self, state: PodState, pod: JsonObject, index: int) -> None:
        """Starts the containers one after the other, each after its image is there."""
        if index >= len(state.app):
            return
        container = state.app[index]

        def begin() -> None:
            self._run(state, pod, container)
            self.kubelet.later(state, 0.02, lambda: self.start_app(state, pod, index + 1))

        self.images.ensure(state, pod, container, begin)

    # One run of one container

    def _run(self, state: PodState, pod: JsonObject, container: ContainerState) -> None:
        now = self.kubelet.cluster.now()
        program = self.behaviours.program(pod, container.name)
        number = 0 if container.run is None else container.run.number + 1
        if container.run is not None:
            container.last = container.run
        container.run = run = Run(program, number, now)
        container.restarts = number
        container.started = container.init or "startupProbe" not in spec_of(pod, container.name)
        self._say_begun(state, pod, container)
        self._mark_begun(state, container)
        if program.ends_after_s is not None:
            self.during(state, run, program.ends_after_s, lambda: self._end(state, pod, container))
        if program.answers_after_s is not None:
            self.during(
                state, run, program.answers_after_s, lambda: self._answers(state, container, run)
            )
        if not container.init or container.sidecar:
            self._probe(state, pod, container, run)
        self.kubelet.sync_soon(state)
        if container.sidecar:
            self.kubelet.later(state, 0.01, lambda: self.start_init(state, pod))

    def _say_begun(self, state: PodState, pod: JsonObject, container: ContainerState) -> None:
        self.kubelet.say(pod, state, "Created", "Container created", container=container)
        self.kubelet.say(pod, state, "Started", "Container started", container=container)

    def _mark_begun(self, state: PodState, container: ContainerState) -> None:
        if container.name == FETCH:
            self.kubelet.mark(state, "fetch_started")
        elif container is state.server:
            self.kubelet.mark(state, "container_started")
            start = self.kubelet.cluster.truth.of(state.uid)
            if start is not None:
                start.restarts = container.restarts
                start.failure = None if start.attempt else start.failure

    def during(self, state: PodState, run: Run, stage_s: float, call: Callable[[], None]) -> None:
        """Calls after a stage, if this run still goes on by then."""

        def if_running() -> None:
            if run.ended_at is None:
                call()

        self.kubelet.later(state, stage_s, if_running)

    def _answers(self, state: PodState, container: ContainerState, run: Run) -> None:
        run.answering = True
        if container is state.server:
            self.kubelet.mark(state, "engine_answers")

    # Probes

    def _probe(self, state: PodState, pod: JsonObject, container: ContainerState, run: Run) -> None:
        spec = spec_of(pod, container.name)
        startup = probe_of(spec, "startupProbe")
        if startup is not None:
            self._work(state, pod, container, run, startup)
        else:
            self._probe_on(state, pod, container, run)

    def _probe_on(
        self, state: PodState, pod: JsonObject, container: ContainerState, run: Run
    ) -> None:
        """Readiness and liveness, once the startup probe has passed or where there is none."""
        spec = spec_of(pod, container.name)
        readiness, liveness = probe_of(spec, "readinessProbe"), probe_of(spec, "livenessProbe")
        if readiness is None:
            self._become_ready(state, container)
        else:
            self._work(state, pod, container, run, readiness)
        if liveness is not None and not run.answering:
            self._work(state, pod, container, run, liveness)

    def _work(
        self, state: PodState, pod: JsonObject, container: ContainerState, run: Run, probe: Probe
    ) -> None:
        def answers() -> bool:
            return state.answering if probe.port == 8012 else run.answering

        def failed(missed: Probe) -> None:
            text = failure_text(missed, state.pod_ip)
            self.kubelet.say(pod, state, "Unhealthy", text, container=container, kind="Warning")

        def passed(answered: Probe) -> None:
            self._passed(state, pod, container, run, answered)

        Worker(
            probe=probe,
            answers=answers,
            later=lambda stage_s, call: self.during(state, run, stage_s, call),
            failed=failed,
            passed=passed,
            gave_up=lambda missed: self._kill(state, pod, container, missed),
        ).begin()

    def _passed(
        self, state: PodState, pod: JsonObject, container: ContainerState, run: Run, probe: Probe
    ) -> None:
        if probe.kind == "startupProbe":
            container.started = True
            self._probe_on(state, pod, container, run)
        elif probe.kind == "readinessProbe":
            self._become_ready(state, container)

    def _become_ready(self, state: PodState, container: ContainerState) -> None:
        container.ready = True
        if state.ready:
            state.was_ready = True
            self.kubelet.mark(state, "ready")
            self.kubelet.end_truth_soon(state)
            self.kubelet.later(state, 0.01, lambda: self.kubelet.sync(state))
        else:
            self.kubelet.sync_soon(state)

    # The end of a run

    def _kill(
        self, state: PodState, pod: JsonObject, container: ContainerState, probe: Probe
    ) -> None:
        noun = probe.noun.lower()
        text = f"Container {container.name} failed {noun} probe, will be restarted"
        self.kubelet.say(pod, state, "Killing", text, container=container)
        run = container.running
        if run is None:
            return
        end = self.kubelet.cluster.draws.uniform("sigterm", 0.6, 1.4)
        self.during(state, run, end, lambda: self._killed(state, pod, container))

    def _killed(self, state: PodState, pod: JsonObject, container: ContainerState) -> None:
        run = container.running
        served = run is not None and run.answering
        code, message = (0, "") if served else (TERMINATED_EXIT, TERMINATED)
        if run is not None and not served:
            run.written.append(
                (self.kubelet.cluster.now(), f"(APIServer pid=1) {TERMINATED.strip()}")
            )
        self.close(container, code, message)
        self._fail_truth(state, "killed by its probe")
        self.restart(state, pod, container)

    def _end(self, state: PodState, pod: JsonObject, container: ContainerState) -> None:
        run = container.running
        if run is None:
            return
        self.close(container, run.program.exit_code, run.program.message)
        if container.init and not run.exit_code:
            self._init_done(state, pod, container)
            return
        self._fail_truth(state, f"{container.name} exit {run.exit_code}")
        self.restart(state, pod, container)

    def close(self, container: ContainerState, code: int, message: str) -> None:
        run = container.running
        if run is None:
            return
        run.ended_at = self.kubelet.cluster.now()
        run.exit_code, run.message, run.answering = code, message, False
        run.reason = "Error" if code else "Completed"
        container.started = False
        container.ready = container.init and not code
        container.shows_waiting = False

    def _fail_truth(self, state: PodState, failure: str) -> None:
        start = self.kubelet.cluster.truth.of(state.uid)
        if start is not None and "ready" not in start.marks:
            start.failure = failure

    def _init_done(self, state: PodState, pod: JsonObject, container: ContainerState) -> None:
        if container.name == FETCH:
            self.kubelet.mark(state, "fetch_ended")
        for each in state.app:
            each.shows_waiting = True
        lag = self.kubelet.cluster.draws.uniform("relist", 0.1, 0.6)
        self.kubelet.later(state, lag, lambda: self.kubelet.sync(state))
        self.kubelet.later(state, lag + 0.01, lambda: self.start_init(state, pod))

    def restart(self, state: PodState, pod: JsonObject, container: ContainerState) -> None:
        """The first restart is at once; each later one waits twice as long."""
        if container is state.server and state.was_ready:
            self.kubelet.begin_again(state)
        self.kubelet.later(state, 0.3, lambda: self.kubelet.sync(state))
        wait_s = back_off_seconds(container.restarts)
        if wait_s == 0:
            self.kubelet.later(state, 0.5, lambda: self._again(state, pod, container))
            return
        self.kubelet.later(state, 0.4, lambda: self._show_back_off(state, container, wait_s))
        self._say_back_off(state, pod, container, wait_s)
        self.kubelet.later(state, wait_s, lambda: self._again(state, pod, container))

    def _show_back_off(self, state: PodState, container: ContainerState, wait_s: float) -> None:
        name = f"{state.key[1]}_{state.key[0]}({state.uid})"
        text = f"back-off {_back_off_text(wait_s)} restarting failed container={container.name}"
        container.waiting = ("CrashLoopBackOff", f"{text} pod={name}")
        container.shows_waiting = True
        self.kubelet.sync(state)

    def _say_back_off(
        self, state: PodState, pod: JsonObject, container: ContainerState, left_s: float
    ) -> None:
        name = f"{state.key[1]}_{state.key[0]}({state.uid})"
        text = f"Back-off restarting failed container {container.name} in pod {name}"
        self.kubelet.say(pod, state, "BackOff", text, container=container, kind="Warning")
        if left_s > BACKOFF_SAID_S:
            rest = left_s - BACKOFF_SAID_S
            self.kubelet.later(
                state, BACKOFF_SAID_S, lambda: self._say_back_off(state, pod, container, rest)
            )

    def _again(self, state: PodState, pod: JsonObject, container: ContainerState) -> None:
        self.images.ensure(state, pod, container, lambda: self._run(state, pod, container))


def back_off_seconds(restarts: int) -> float:
    """0, then 10 s, doubled each time up to five minutes. restarts: before this one."""
    if restarts == 0:
        return 0.0
    return float(min(BACKOFF_MOST_S, BACKOFF_FIRST_S * 2 ** (restarts - 1)))


def _back_off_text(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def spec_of(pod: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    listed = [*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"]]
    found: Mapping[str, Any] = next(each for each in listed if each["name"] == name)
    return found
