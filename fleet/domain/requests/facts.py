"""From which series exist to what can be told."""

from collections.abc import Collection
from dataclasses import replace

from fleet.domain.requests import eras
from fleet.domain.requests.advice import advice_on
from fleet.domain.requests.eras import Program
from fleet.domain.requests.found import (
    ACTIVATORS_OWN,
    AUTOSCALERS_OWN,
    ENGINE_LAST,
    GPUS,
    IDENTITIES,
    KUBE_STATE,
    PICKERS,
    POOL,
    VLLM_PREFIXES,
    Found,
)
from fleet.domain.requests.hops import told_hops
from fleet.domain.requests.moves import Role, Sight
from fleet.domain.requests.records import Era, MetricsFacts


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
    return replace(facts, advice=tuple(advice_on(facts, found)))


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
