"""Which series exist, as a look found them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from fleet.domain.requests import eras

# How queue-proxy's series may name their revision, best first. By pod name before target_info: a
# join fails whole when two targets share an address for some minutes.
IDENTITIES = ("relabelled", "pod", "target-info")
# Kept beside the jobs: the last finite bound of vLLM's durations here, in s.
ENGINE_LAST = "vllm-last-bound"
VLLM_PREFIXES = ("vllm:", "vllm_")
PICKERS = ("inference_objective", "inference_model")
ACTIVATORS_OWN = (
    "kn_revision_request_concurrency",
    "kn_revision_request_queued",
    "kn_activator_stats_conn_reachable",
)
AUTOSCALERS_OWN = ("kn_revision_pods_count", "autoscaler_actual_pods")
DOTTED = (
    "kn.queueproxy.app.duration_seconds_count",
    "kn.serving.invocation.duration_seconds_count",
    "http.server.request.duration_seconds_count",
)
KUBE_STATE, GPUS, UP = "kube_pod_created", "DCGM_FI_DEV_GPU_UTIL", "up"
# The pool's gauge is there also where no request failed yet.
POOL = "inference_pool_ready_pods"
NAMES = frozenset(
    {
        *(counted.metric for row in eras.KNATIVE.values() for counted in row),
        *(counted.metric for row in eras.INGRESSES.values() for counted in row),
        *(f"{kind}_request_total" for kind in PICKERS),
        *(f"{prefix}{eras.ENGINE_RUNNING}" for prefix in VLLM_PREFIXES),
        *(gauge.metric for gauge in eras.IN_FLIGHT.values()),
        *(*ACTIVATORS_OWN, *AUTOSCALERS_OWN, *DOTTED),
        *(POOL, KUBE_STATE, GPUS, UP, eras.ENGINE.metric),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """jobs: which jobs have samples of each name, "" = of no job. identities: of IDENTITIES, those
    that queue-proxy's series allow. activator_named: its series name their revision. envoy: kinds
    of Envoy gateways by their clusters' names. pods: some pod of a revision runs now.

    knative: its version as objects tell, "" = unknown or none. last_bound: of vLLM's durations, s.
    """

    source: str
    asked_at: datetime
    jobs: Mapping[str, Collection[str]]
    version: str = ""
    identities: Collection[str] = ()
    activator_named: bool = False
    envoy: Collection[str] = ()
    pods: bool = False
    knative: str = ""
    last_bound: float | None = None

    def has(self, *names: str) -> bool:
        return any(self.jobs.get(name) for name in names)

    def jobs_of(self, *names: str) -> tuple[str, ...]:
        return tuple(sorted({job for name in names for job in self.jobs.get(name, ())}))
