"""What the ingress counts: Istio's gateway, Kourier's, Envoy Gateway's.

Source: Istio's standard metrics; Envoy's cluster and HTTP statistics, where a cluster also counts
the codes that Envoy makes in its name (router.cc, chargeUpstreamCode).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.metering.series import Page, labels
from simulator.world.cluster import Ingress
from simulator.world.passages import Fate, Passage

# Source: Envoy, access log response flags.
FLAGS: Mapping[Fate, str] = {
    Fate.NO_ROUTE: "NR",
    Fate.NO_ENDPOINT: "UH",
    Fate.NO_CONNECTION: "UF",
    Fate.INGRESS_TIMEOUT: "UT",
}
# What Envoy counts beside the code. Source: Envoy, cluster_manager statistics.
_BESIDE: Mapping[Fate, str] = {
    Fate.NO_ENDPOINT: "envoy_cluster_upstream_cx_none_healthy",
    Fate.NO_CONNECTION: "envoy_cluster_upstream_cx_connect_fail",
    Fate.INGRESS_TIMEOUT: "envoy_cluster_upstream_rq_timeout",
}
# Milliseconds. Source: Istio, and Envoy's default histogram buckets.
BOUNDS_MS = (
    *(0.5, 1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 300000),
    *(600000, 1800000, 3600000),
)
_ISTIO = {
    "connection_security_policy": "unknown",
    "grpc_response_status": "",
    "reporter": "source",
    "request_protocol": "http",
    "source_workload": "istio-ingressgateway",
    "source_workload_namespace": "istio-system",
}
MS = 1000.0


@dataclass(slots=True)
class IstioCounts:
    """istio_requests_total and the durations. A call without a route has no destination."""

    page: Page = field(default_factory=Page)

    def count(self, passage: Passage, cluster: str) -> None:
        namespace, _, service = cluster.partition("/")
        workload = "activator" if passage.proxied else f"{service}-deployment"
        about = {
            **_ISTIO,
            "destination_service_name": service or "unknown",
            "destination_service_namespace": namespace or "unknown",
            "destination_workload": workload if service else "unknown",
            "response_code": str(passage.status or 0),
            "response_flags": "DC" if passage.status is None else FLAGS.get(passage.fate, "-"),
        }
        key = labels(about)
        self.page.counter("istio_requests_total").add(key, passage.times)
        durations = self.page.histogram("istio_request_duration_milliseconds", BOUNDS_MS)
        durations.observe(key, passage.seconds * MS, passage.times)


@dataclass(slots=True)
class EnvoyCounts:
    """Statistics of Envoy's clusters and of its listener."""

    page: Page = field(default_factory=Page)

    def count(self, passage: Passage, cluster: str) -> None:
        self._downstream(passage)
        if not cluster:
            return
        about, times = {"envoy_cluster_name": cluster}, passage.times
        if passage.fate is not Fate.NO_ENDPOINT:
            self.page.counter("envoy_cluster_upstream_rq_total").add(labels(about), times)
        beside = _BESIDE.get(passage.fate)
        if beside:
            self.page.counter(beside).add(labels(about), times)
        if passage.status is None:
            self.page.counter("envoy_cluster_upstream_rq_cancelled").add(labels(about), times)
            return
        self._code(about, passage.status, times)
        if passage.fate is not Fate.NO_ENDPOINT:
            spent = self.page.histogram("envoy_cluster_upstream_rq_time", BOUNDS_MS)
            spent.observe(labels(about), passage.seconds * MS, times)

    def _code(self, about: dict[str, str], status: int, times: int) -> None:
        whole = about | {"envoy_response_code_class": str(status // 100)}
        self.page.counter("envoy_cluster_upstream_rq_xx").add(labels(whole), times)
        exact = about | {"envoy_response_code": str(status)}
        self.page.counter("envoy_cluster_upstream_rq").add(labels(exact), times)

    def _downstream(self, passage: Passage) -> None:
        about = {"envoy_http_conn_manager_prefix": "http-10080"}
        if passage.status is None:
            reset = self.page.counter("envoy_http_downstream_rq_rx_reset")
            reset.add(labels(about), passage.times)
            return
        whole = about | {"envoy_response_code_class": str(passage.status // 100)}
        self.page.counter("envoy_http_downstream_rq_xx").add(labels(whole), passage.times)


def counts_of(ingress: Ingress) -> IstioCounts | EnvoyCounts:
    return IstioCounts() if ingress is Ingress.ISTIO else EnvoyCounts()
