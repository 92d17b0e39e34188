"""What a metrics server can tell of a cluster, found by asking which names have samples."""

import math
from collections import defaultdict
from datetime import datetime

from fleet.adapters.prometheus.answers import number_of
from fleet.adapters.prometheus.client import PrometheusClient
from fleet.adapters.prometheus.promql import any_of
from fleet.adapters.prometheus.queries import FIGURE
from fleet.domain.requests import eras
from fleet.domain.requests.facts import facts_of
from fleet.domain.requests.found import NAMES, VLLM_PREFIXES, Found
from fleet.domain.requests.records import MetricsFacts

# Series of models that sleep are looked for this far back.
BACK = "1h"
APPS = f'__name__=~"{any_of([f"{name}_count" for name in eras.APP_OF.values()])}"'
ROUTES = 'envoy_cluster_name=~"(httproute|grpcroute)/.+"'
REVISIONS = 'envoy_cluster_name=~"[^/|]+/[^/|]+"'
# Each says yes by having a row.
SIGNS = {
    "relabelled": f'{{{APPS},kn_revision_name!="",k8s_namespace_name!=""}}',
    "pod": f'{{{APPS},pod!="",namespace!=""}}',
    "target-info": 'target_info{kn_revision_name!="",k8s_namespace_name!=""}',
    "named": f'{eras.SERVER}_count{{kn_revision_name!="",kn_route_tag=""}}',
    eras.KOURIER: f"envoy_cluster_upstream_rq_xx{{{REVISIONS}}}",
    eras.ENVOY_GATEWAY: f"envoy_cluster_upstream_rq_xx{{{ROUTES}}}",
}
PODS = "sum(kn_revision_pods_count) > 0 or sum(autoscaler_actual_pods) > 0"


def look(client: PrometheusClient, *, now: datetime, knative: str) -> MetricsFacts:
    """knative: its version as objects tell, "" = unknown."""
    at = now.timestamp()
    jobs = _jobs(client, at)
    signs = _signs(client, at)
    pods = client.instant(PODS, at=at, about="whether pods run")
    return facts_of(
        Found(
            source="prometheus",
            asked_at=now,
            jobs=jobs,
            version=client.version(),
            identities=signs & {"relabelled", "pod", "target-info"},
            activator_named="named" in signs,
            envoy=signs & {eras.KOURIER, eras.ENVOY_GATEWAY},
            pods=bool(pods),
            knative=knative,
            last_bound=_last_bound(client, at, jobs),
        )
    )


def _jobs(client: PrometheusClient, at: float) -> dict[str, set[str]]:
    """The jobs that have samples of each name."""
    names = f'{{__name__=~"{any_of(sorted(NAMES))}"}}'
    query = f"count by (__name__, job) (last_over_time({names}[{BACK}]))"
    found: dict[str, set[str]] = defaultdict(set)
    for row in client.instant(query, at=at, about="which metrics there are"):
        found[row.metric.get("__name__", "")].add(row.metric.get("job", ""))
    return found


def _signs(client: PrometheusClient, at: float) -> set[str]:
    parts = [
        f'label_replace(count(last_over_time({selector}[{BACK}])), "{FIGURE}", "{sign}", "", "")'
        for sign, selector in SIGNS.items()
    ]
    rows = client.instant(" or ".join(parts), at=at, about="how series are labelled")
    return {row.metric.get(FIGURE, "") for row in rows}


def _last_bound(client: PrometheusClient, at: float, jobs: dict[str, set[str]]) -> float | None:
    """The last finite bound of vLLM's durations: newer versions let it be set."""
    for prefix in VLLM_PREFIXES:
        if jobs.get(f"{prefix}{eras.ENGINE_RUNNING}"):
            query = f"count by (le) ({prefix}{eras.ENGINE_TIMED}_bucket)"
            rows = client.instant(query, at=at, about="bounds of vLLM's durations")
            bounds = [number_of(row.metric.get("le", "")) for row in rows]
            return max((bound for bound in bounds if math.isfinite(bound)), default=None)
    return None
