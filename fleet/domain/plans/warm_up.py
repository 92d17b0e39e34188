"""Warm up: a real request through the model's own route. Only Knative's activator holds a request
while the model starts; elsewhere a sleeping model answers 503 at once."""

from collections.abc import Callable

from fleet.domain.plans.capacity import fit
from fleet.domain.plans.facts import Facts
from fleet.domain.plans.params import WarmUp
from fleet.domain.plans.plan import Draft, Effects, Notice
from fleet.domain.plans.refusals import model_refusal
from fleet.domain.plans.starts import median_s
from fleet.domain.records.keys import Mode

REFUSALS: tuple[tuple[str, Callable[[Facts], bool]], ...] = (
    ("no-activator", lambda f: asleep(f) and f.model.mode is not Mode.KNATIVE),
    ("no-address", lambda f: not f.has_address),
    ("route-not-allowed", lambda f: not f.can_ask),
)


def plan_warm_up(wanted: WarmUp, facts: Facts) -> Draft | Notice:
    """The draft (no object is changed), or the Notice why it is refused."""
    refused = model_refusal(facts)
    if refused:
        return refused
    for code, rule in REFUSALS:
        if rule(facts):
            return Notice(code=code, params={"mode": facts.model.mode.value})
    return Draft(effects=_effects(facts), warnings=_warnings(wanted, facts))


def asleep(facts: Facts) -> bool:
    """Nothing runs and nothing is wished for."""
    return not facts.ready and not facts.desired


def _effects(facts: Facts) -> Effects:
    pods = 1 if asleep(facts) else 0
    capacity, free = fit(
        pods=pods,
        per_pod=facts.model.gpus,
        nodes=facts.nodes,
        held=facts.gpu_pods,
        placement=facts.model.placement,
        home=facts.home_nodes,
    )
    return Effects(
        pods=pods,
        gpus=dict(facts.model.gpus) if pods else {},
        free=free,
        capacity=capacity.value,
        eta_p50_s=median_s(facts.ready_starts_s) if pods else None,
    )


def _warnings(wanted: WarmUp, facts: Facts) -> tuple[Notice, ...]:
    """The request is traffic like any other: it keeps the model up for the autoscaler's window."""
    expected = median_s(facts.ready_starts_s)
    notices = [Notice(code="counts-as-traffic", params={"requests": wanted.requests})]
    if asleep(facts) and expected is not None and expected > wanted.timeout_s:
        params = {"timeout_s": wanted.timeout_s, "eta_p50_s": expected}
        notices.append(Notice(code="timeout-below-start", params=params))
    return tuple(notices)
