"""What befalls a server that serves: it stalls, or the kernel ends it."""

from __future__ import annotations

from simulator.store.json_values import JsonObject
from simulator.world.containers import spec_of
from simulator.world.kubelet import Kubelet
from simulator.world.podstatus import PodState
from simulator.world.probing import late_text, probe_of


class Accidents:
    def __init__(self, kubelet: Kubelet) -> None:
        self.kubelet = kubelet
        self.containers = kubelet.containers

    def stall(self, state: PodState, pod: JsonObject, seconds: float) -> None:
        """A server that answers too late for its probe; only pods without queue-proxy."""
        server = state.server
        probe = probe_of(spec_of(pod, server.name), "readinessProbe")
        if probe is None or server.running is None or len(state.app) > 1:
            return
        late = late_text(probe, state.pod_ip)

        def miss() -> None:
            self.kubelet.say(pod, state, "Unhealthy", late, container=server, kind="Warning")

        run, misses = server.running, int(seconds // probe.period_s) + 1
        for number in range(misses):
            self.containers.during(state, run, number * probe.period_s, miss)
        if misses >= probe.failures:
            after = (probe.failures - 1) * probe.period_s
            self.containers.during(state, run, after, lambda: self._readiness(state, ready=False))
            self.containers.during(state, run, seconds, lambda: self._readiness(state, ready=True))

    def _readiness(self, state: PodState, *, ready: bool) -> None:
        state.server.ready = ready
        self.kubelet.sync(state)

    def kill_for_memory(self, state: PodState, pod: JsonObject) -> None:
        """The kernel ends the server for want of memory; it is restarted in place, no new start."""
        server = state.server
        if server.running is None:
            return
        self.containers.close(server, 137, "")
        if server.run is not None:
            server.run.reason = "OOMKilled"
        self.containers.restart(state, pod, server)
