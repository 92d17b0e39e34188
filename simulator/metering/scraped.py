"""Every metrics page of one cluster: as targets of a Prometheus, and by pod and port."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simulator.metering.autoscaler import autoscaler_page
from simulator.metering.eras import Era
from simulator.metering.knative import Identity, target_info
from simulator.metering.kube_state import kube_state_page
from simulator.metering.meters import ACTIVATOR, SERVING, Meters
from simulator.metering.picker import PoolState
from simulator.metering.series import Page, labels
from simulator.metering.targets import Read, Target
from simulator.world.behaviours import MODEL_CONTAINERS
from simulator.world.cluster import Ingress
from simulator.world.knative import names
from simulator.world.passages import Key
from simulator.world.podstatus import PodState
from simulator.world.profiles import Profile, Runtime

CONTROL_PORT, QUEUE_PORT, PICKER_PORT = 9090, 9091, 9090
# From this minor version on, calls that wait are told apart from those at work.
SPLIT_SINCE = (1, 22)
_SCOPE = {
    "otel_scope_name": "knative.dev/serving/pkg/activator",
    "otel_scope_schema_url": "",
    "otel_scope_version": "",
}
# Job, namespace, address and port of each ingress's pod.
GATEWAYS = {
    Ingress.ISTIO: ("istio-ingressgateway", "istio-system", "10.244.254.1:15020"),
    Ingress.KOURIER: ("kourier-gateway", "kourier-system", "10.244.254.2:9000"),
    Ingress.ENVOY_GATEWAY: ("envoy-gateway", "envoy-gateway-system", "10.244.254.3:19001"),
}


class Scraped:
    """The pages, made when they are asked for."""

    def __init__(self, meters: Meters) -> None:
        self.meters, self.world = meters, meters.world

    def targets(self) -> Iterator[Target]:
        """Those that service discovery would find now."""
        yield self._gateway()
        yield Target(
            job="kube-state-metrics",
            instance="10.244.253.1:8080",
            labels={"namespace": "kube-system", "pod": "kube-state-metrics-0"},
            read=lambda: [kube_state_page(self.world.store)],
            keeps_labels=True,
        )
        if self.meters.knative:
            yield self._control("activator", self._activator)
            yield self._control("autoscaler", self._autoscaler)
        for state in list(self.world.kubelet.pods.values()):
            yield from self._of_pod(state)
        for profile in self.world.plan.models:
            if profile.runtime is Runtime.LLMISVC:
                yield self._picker(profile)

    def page(self, namespace: str, pod: str, port: int) -> Sequence[Page] | None:
        """What a pod's program gives on a port; None where none of these listens there."""
        for target in self.targets():
            where = (target.labels.get("namespace"), target.labels.get("pod"), target.port)
            if where == (namespace, pod, port) and target.read is not None:
                return target.read()
        return None

    # Control plane, ingress and pickers

    def _gateway(self) -> Target:
        job, namespace, instance = GATEWAYS[self.world.plan.settings.ingress]
        where = {"namespace": namespace, "pod": f"{job}-0"}
        page = self.meters.ingress.page
        return Target(job=job, instance=instance, labels=where, read=lambda: [page])

    def _control(self, program: str, read: Read) -> Target:
        pod = self.meters.control_pod(program)
        where = {"namespace": SERVING, "pod": pod.name}
        return Target(job=program, instance=f"{pod.ip}:{CONTROL_PORT}", labels=where, read=read)

    def _activator(self) -> Sequence[Page]:
        now = self._process(self.meters.began.timestamp())
        if self.meters.era is not Era.OPENCENSUS:
            name = self.meters.control_pod(ACTIVATOR).name
            info = target_info("activator", name, SERVING, {})
            now.gauge("target_info").set(info, 1)
            reachable = labels(_SCOPE | {"peer": "autoscaler"})
            now.gauge("kn_activator_stats_conn_reachable").set(reachable, 1)
        for key in sorted(self.meters.called):
            self._concurrency(now, key)
        return [now, self.meters.activator().page]

    def _concurrency(self, page: Page, key: Key) -> None:
        activator, identity = self.world.activator, self.meters.identity(key)
        if activator is None or identity is None:
            return
        held, running = activator.held(key), activator.running(key)
        if self.meters.era is Era.OPENCENSUS:
            about = {"namespace_name": key[0], "revision_name": key[1]}
            about |= {"configuration_name": identity.service, "service_name": identity.service}
            page.gauge("activator_request_concurrency").set(labels(about), held + running)
            return
        whole = labels(identity.labels | _SCOPE)
        page.gauge("kn_revision_request_concurrency").set(whole, held + running)
        if self.meters.knative and self.meters.knative >= SPLIT_SINCE:
            short = {"k8s_namespace_name": key[0], "kn_revision_name": key[1]}
            page.gauge("kn_revision_request_queued").set(labels(short | _SCOPE), held)
            page.gauge("kn_revision_request_active").set(labels(short | _SCOPE), running)

    def _autoscaler(self) -> Sequence[Page]:
        now = self._process(self.meters.began.timestamp())
        return [now, autoscaler_page(self.world, self.meters.era)]

    def _process(self, started_at: float) -> Page:
        page = Page()
        page.gauge("process_start_time_seconds").set((), started_at)
        return page

    def _picker(self, profile: Profile) -> Target:
        name = f"{profile.name}-kserve-router-scheduler"
        where = {"namespace": profile.namespace, "pod": f"{name}-0", "service": name}
        number = 2 + sum(each.key < profile.key for each in self.world.plan.models)
        return Target(
            job="endpoint-picker",
            instance=f"10.244.252.{number}:{PICKER_PORT}",
            labels=where,
            read=lambda: self.meters.picker(profile).pages(self._pool(profile)),
        )

    def _pool(self, profile: Profile) -> PoolState:
        ready = running = waiting = 0
        for state in self.world.kubelet.pods.values():
            if self.meters.callers.profile(state.uid) == profile and state.ready:
                counts = self.meters.callers.counts_of(state.uid, profile)
                ready, running = ready + 1, running + counts.running
                waiting += counts.waiting
        return PoolState(ready=ready, running=running, waiting=waiting)

    # Pods of models

    def _of_pod(self, state: PodState) -> Iterator[Target]:
        profile = self.meters.callers.profile(state.uid)
        if profile is None or not state.pod_ip:
            return
        pod = self.world.kubelet.pod_of(state)
        found = pod["metadata"].get("labels", {}) if pod else {}
        where = {"namespace": state.key[0], "pod": state.key[1]}
        revision = found.get(names.REVISION)
        if revision is not None:
            yield self._queue_proxy(state, where, found)
        if not profile.runtime.is_vllm:
            return
        llm = {"llm_isvc_name": profile.name} if profile.runtime is Runtime.LLMISVC else {}
        yield Target(
            job="vllm",
            instance=f"{state.pod_ip}:{self.server_port(state)}",
            labels=where | llm,
            read=self._server(state, profile),
        )

    def _queue_proxy(self, state: PodState, where: dict[str, str], found: dict[str, str]) -> Target:
        """As a PodMonitor that takes the revision from the pod's labels."""
        service = found.get(names.SERVICE, "")
        identity = Identity(namespace=state.key[0], service=service, revision=found[names.REVISION])
        return Target(
            job="queue-proxy",
            instance=f"{state.pod_ip}:{QUEUE_PORT}",
            labels=where if self.meters.era is Era.OPENCENSUS else where | identity.labels,
            read=self._queue(state, identity),
        )

    def _queue(self, state: PodState, identity: Identity) -> Read | None:
        """The port is declared even where request metrics are off."""
        on = self.world.plan.settings.request_metrics
        running = any(each.name == "queue-proxy" and each.running is not None for each in state.app)
        if not (on and running):
            return None

        def read() -> Sequence[Page]:
            counts, now = self.meters.queue(state, identity), Page()
            since = next(each.run for each in state.app if each.name == "queue-proxy")
            began = since.started_at if since else state.began
            now.gauge("process_start_time_seconds").set((), began.timestamp())
            if self.meters.era is not Era.OPENCENSUS:
                more = identity.labels | {
                    "container_name": "queue-proxy",
                    "service_instance_id": state.key[1],
                }
                info = target_info(identity.service, state.key[1], state.key[0], more)
                now.gauge("target_info").set(info, 1)
            return [now, counts.page]

        return read

    def _server(self, state: PodState, profile: Profile) -> Read | None:
        if not self.world.kubelet.answering(state.uid):
            return None
        return lambda: self.meters.callers.counts_of(state.uid, profile).pages()

    def server_port(self, state: PodState) -> int:
        pod = self.world.kubelet.pod_of(state)
        for container in pod["spec"]["containers"] if pod else ():
            if container["name"] in MODEL_CONTAINERS:
                ports = container.get("ports", ())
                return int(ports[0]["containerPort"]) if ports else 8080
        return 8080
