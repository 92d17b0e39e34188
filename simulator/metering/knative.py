"""The pages of activator and queue-proxy from 1.19 on.

Source: knative/serving pkg/activator, pkg/queue/request_metric.go, otelhttp 0.69.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.metering.eras import Era, Witness, row_of
from simulator.metering.series import Labels, Page, labels
from simulator.world.passages import Passage

# Seconds. Source: otelhttp, semconv; nothing lies between the last one and infinity.
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
SERVER = "http_server_request_duration_seconds"
CLIENT = "http_client_request_duration_seconds"
INVOCATION = {
    Era.TRANSITION: "kn_queueproxy_app_duration_seconds",
    Era.OPENTELEMETRY: "kn_serving_invocation_duration_seconds",
}
DEPTH = {
    Era.TRANSITION: "kn_queueproxy_depth",
    Era.OPENTELEMETRY: "kn_serving_queue_depth",
}
_HTTP = {
    "network_protocol_name": "http",
    "network_protocol_version": "1.1",
    "otel_scope_name": "go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp",
    "otel_scope_schema_url": "",
    "otel_scope_version": "0.69.0",
    "url_scheme": "http",
}
_QUEUE = {
    "otel_scope_name": "knative.dev/serving/pkg/queue",
    "otel_scope_schema_url": "",
    "otel_scope_version": "",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A revision under the names that series carry."""

    namespace: str
    service: str
    revision: str

    @property
    def labels(self) -> dict[str, str]:
        return {
            "k8s_namespace_name": self.namespace,
            "kn_configuration_name": self.service,
            "kn_revision_name": self.revision,
            "kn_service_name": self.service,
        }


def target_info(program: str, pod: str, namespace: str, more: Mapping[str, str]) -> Labels:
    return labels(
        {
            "k8s_namespace_name": namespace,
            "k8s_pod_name": pod,
            "service_name": program,
            "service_version": "unknown",
            "telemetry_sdk_language": "go",
            "telemetry_sdk_name": "opentelemetry",
            "telemetry_sdk_version": "1.44.0",
            **more,
        }
    )


def _witness(seen: Witness) -> dict[str, str]:
    if isinstance(seen, int):
        return {"http_response_status_code": str(seen)}
    return {"error_type": str(seen)}


@dataclass(slots=True)
class ActivatorCounts:
    """Counters of one activator; they live as long as its process."""

    era: Era
    page: Page = field(default_factory=Page)

    def count(self, passage: Passage, identity: Identity | None, pod_ip: str) -> None:
        """identity: None where the revision is unknown, and so not in the labels."""
        row = row_of(passage, self.era)
        about = _HTTP | {"http_request_method": passage.method}
        about |= identity.labels if identity else {}
        if row.client_activator is not None:
            where = {"server_address": pod_ip, "server_port": "8012"}
            key = labels(about | where | _witness(row.client_activator))
            # The client's clock stops at the response headers.
            spent = 0.0 if passage.streamed else passage.seconds - passage.waited_s
            self.page.histogram(CLIENT, BOUNDS).observe(key, spent, passage.times)
        if row.server_activator is not None:
            key = labels(about | {"server_address": passage.host} | _witness(row.server_activator))
            self.page.histogram(SERVER, BOUNDS).observe(key, passage.seconds, passage.times)


@dataclass(slots=True)
class QueueProxyCounts:
    """Counters of one queue-proxy; they go with its pod."""

    era: Era
    pod_ip: str
    user_port: int
    page: Page = field(default_factory=Page)

    def count(self, passage: Passage) -> None:
        row, spent = row_of(passage, self.era), passage.seconds - passage.waited_s
        about = _HTTP | {"http_request_method": passage.method, "kn_route_tag": "kn:disabled"}
        if row.client_queue is not None:
            where = {"server_address": "127.0.0.1", "server_port": str(self.user_port)}
            key = labels(about | where | _witness(row.client_queue))
            until_headers = 0.0 if passage.streamed else spent
            self.page.histogram(CLIENT, BOUNDS).observe(key, until_headers, passage.times)
        if row.server_queue is not None:
            key = labels(about | self._asked(passage) | _witness(row.server_queue))
            self.page.histogram(SERVER, BOUNDS).observe(key, spent, passage.times)
        if row.invocation is not None:
            key = labels(_QUEUE | _witness(row.invocation))
            # Source: knative/serving#16358, whole seconds until 1.20.2.
            told = float(int(spent)) if self.era is Era.TRANSITION else spent
            self.page.histogram(INVOCATION[self.era], BOUNDS).observe(key, told, passage.times)

    def _asked(self, passage: Passage) -> dict[str, str]:
        """Whom the call was sent to: the pod by the activator, the public name past it."""
        if passage.proxied:
            return {"server_address": self.pod_ip, "server_port": "8012"}
        return {"server_address": passage.host}

    def set_depth(self, waiting: int) -> None:
        """Only told where container concurrency is limited."""
        self.page.gauge(DEPTH[self.era]).set(labels(_QUEUE), float(waiting))
