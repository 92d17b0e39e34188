"""From which series exist to what can be told, and what to switch on to be told more."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from fleet.domain.requests import eras
from fleet.domain.requests.eras import Program
from fleet.domain.requests.hops import told_hops
from fleet.domain.requests.moves import Role, Sight
from fleet.domain.requests.records import Advice, Era, MetricsFacts

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


def facts_of(found: Found) -> MetricsFacts:
    """Everything that follows from what exists."""
    era = _era(found)
    ingress, picker, vllm = _ingress(found), _picker(found), _vllm(found)
    jobs = _jobs(found, era, ingress=ingress, picker=picker, vllm=vllm)
    roles = frozenset(role for role in Role if role in jobs)
    identity = _identity(found, era, roles)
    if era is not Era.OPENCENSUS and not identity:
        jobs = {role: has for role, has in jobs.items() if role not in OF_QUEUE_PROXY}
        roles -= OF_QUEUE_PROXY
    facts = MetricsFacts(
        source=found.source,
        asked_at=found.asked_at,
        version=found.version,
        era=era,
        queue_proxy=identity,
        ingress=ingress,
        picker=picker,
        vllm=vllm,
        kube_state=found.has(KUBE_STATE),
        gpus=found.has(GPUS),
        told=told_hops(Sight(era=era, roles=roles, ingress=ingress)),
        jobs=jobs,
        advice=(),
    )
    return _advised(facts, found)


OF_QUEUE_PROXY = frozenset({Role.QUEUE_PROXY, Role.ASKED, Role.APP})


def _era(found: Found) -> Era:
    """The newest that has samples: after an upgrade the old names linger for a while."""
    for era in (Era.OPENTELEMETRY, Era.TRANSITION):
        if found.has(f"{eras.APP_OF[era]}_count"):
            return era
    if found.has(*ACTIVATORS_OWN):
        return Era.OPENTELEMETRY
    old = (counted.metric for counted in eras.KNATIVE[Era.OPENCENSUS])
    return Era.OPENCENSUS if found.has(*old) else Era.NONE


def _ingress(found: Found) -> str:
    """Istio first: it alone says who made a code."""
    if found.has("istio_requests_total"):
        return eras.ISTIO
    for kind in (eras.KOURIER, eras.ENVOY_GATEWAY):
        if kind in found.envoy:
            return kind
    return eras.NGINX if found.has("nginx_ingress_controller_requests") else ""


def _picker(found: Found) -> str:
    for kind in PICKERS:
        if found.has(f"{kind}_request_total", f"{kind}_request_error_total"):
            return kind
    return PICKERS[0] if found.has(POOL) else ""


def _vllm(found: Found) -> str:
    for prefix in VLLM_PREFIXES:
        if found.has(f"{prefix}{eras.ENGINE_RUNNING}"):
            return prefix
    return ""


def _jobs(
    found: Found, era: Era, *, ingress: str, picker: str, vllm: str
) -> dict[str, tuple[str, ...]]:
    jobs = _knative_jobs(found, era)
    if ingress:
        names = [counted.metric for counted in eras.INGRESSES[ingress]]
        jobs[Program.INGRESS] = found.jobs_of(*names)
    if picker:
        jobs[Program.PICKER] = found.jobs_of(POOL, *(f"{kind}_request_total" for kind in PICKERS))
    if vllm:
        jobs[Program.VLLM] = found.jobs_of(f"{vllm}{eras.ENGINE_RUNNING}")
        counting = set(found.jobs_of(eras.ENGINE.metric)) & set(jobs[Program.VLLM])
        if counting:
            jobs[Role.ENGINE] = tuple(sorted(counting))
    if found.last_bound is not None:
        jobs[ENGINE_LAST] = (str(found.last_bound),)
    return jobs


def _knative_jobs(found: Found, era: Era) -> dict[str, tuple[str, ...]]:
    """A role is there when its name has samples in a job of its program."""
    own = {
        Program.ACTIVATOR: found.jobs_of(*ACTIVATORS_OWN) if found.activator_named else (),
        Program.QUEUE_PROXY: found.jobs_of(f"{eras.APP_OF.get(era, '')}_count"),
    }
    jobs: dict[str, tuple[str, ...]] = {}
    for counted in eras.KNATIVE[era]:
        has = found.jobs_of(counted.metric)
        if era is not Era.OPENCENSUS:
            has = tuple(job for job in has if job in own[counted.program])
        if has:
            jobs[counted.role] = has
    if Role.ACTIVATOR in jobs or found.has(*AUTOSCALERS_OWN):
        jobs.setdefault(Program.AUTOSCALER, found.jobs_of(*AUTOSCALERS_OWN))
    return jobs


def _identity(found: Found, era: Era, roles: Collection[Role]) -> str:
    if Role.QUEUE_PROXY not in roles:
        return ""
    if era is Era.OPENCENSUS:
        return IDENTITIES[0]
    return next((way for way in IDENTITIES if way in found.identities), "")


def _advised(facts: MetricsFacts, found: Found) -> MetricsFacts:
    return replace(facts, advice=tuple(_advice(facts, found)))


def _advice(facts: MetricsFacts, found: Found) -> Iterator[Advice]:
    yield from _knative_advice(facts, found)
    if found.has(*DOTTED):
        yield Advice(code="dotted-names")
    if not facts.ingress:
        yield Advice(code="no-ingress-metrics")
    if not facts.vllm:
        yield Advice(code="no-vllm")
    if found.source == "prometheus" and not found.has(UP):
        yield Advice(code="no-up")


def _knative_advice(facts: MetricsFacts, found: Found) -> Iterator[Advice]:
    control_plane = found.has(*ACTIVATORS_OWN, *AUTOSCALERS_OWN) or facts.era is not Era.NONE
    if not control_plane:
        if found.knative:
            yield Advice(code="metrics-off", params={"knative": found.knative})
        return
    has_queue_proxy = found.has(*(f"{name}_count" for name in eras.APP_OF.values()))
    if not has_queue_proxy and found.pods:
        yield Advice(code="request-metrics-off", rolls_pods=True)
    if has_queue_proxy and not facts.queue_proxy:
        yield Advice(code="no-queue-proxy-identity")
    if facts.queue_proxy and Role.ASKED not in facts.jobs and facts.era is not Era.OPENCENSUS:
        yield Advice(code="client-metrics-dropped")
    if not found.has(*ACTIVATORS_OWN, "activator_request_count"):
        yield Advice(code="no-activator-metrics")
    elif facts.era is not Era.OPENCENSUS and _labels_lost(found):
        yield Advice(code="activator-labels-lost", params={"knative": found.knative})


def _labels_lost(found: Found) -> bool:
    """Knative 1.19.0 to 1.19.2. Source: knative/serving#16044."""
    return not found.activator_named and found.has(f"{eras.SERVER}_count")
