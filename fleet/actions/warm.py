"""Warm-up: real requests, one after the other; each answer is a step, so a successor of a killed
worker goes on where it ended."""

from datetime import timedelta

from fleet.actions.asking import WARM_UP_TOKENS, Asked, ask, can_ask, route_of
from fleet.actions.tools import Tools
from fleet.domain.plans.answers import UP, Verdict
from fleet.domain.plans.params import WarmUp, read_params
from fleet.history.action_text import evidence_of
from fleet.history.actions import Step, keep_claim, take_step
from fleet.models import Action, Cluster, ServedModel

CLAIM_MARGIN = timedelta(seconds=15)


def warm(action: Action, *, cluster: Cluster, tools: Tools) -> None:
    """Send what is left of the requests, and end with the first that is not answered well."""
    if cluster.read_only:
        _end(action, state="refused", code="cluster-read-only", params={}, tools=tools)
        return
    row = ServedModel.objects.of(action.key).present().first()
    if row is None or not can_ask(tools, cluster, row):
        _end(action, state="refused", code="route-not-allowed", params={}, tools=tools)
        return
    if action.state == "queued":
        _begin(action, row, cluster=cluster, tools=tools)
    wanted = read_params(action.action, action.plan.params)
    assert isinstance(wanted, WarmUp)
    for number in range(_answered(action) + 1, wanted.requests + 1):
        keep_claim(action, until=tools.now() + timedelta(seconds=wanted.timeout_s) + CLAIM_MARGIN)
        asked = ask(tools, cluster, row, tokens=WARM_UP_TOKENS, timeout_s=wanted.timeout_s)
        if not _note(action, asked, number=number, of=wanted.requests, tools=tools):
            return


def _begin(action: Action, row: ServedModel, *, cluster: Cluster, tools: Tools) -> None:
    route = route_of(cluster, row)
    now = tools.now()
    take_step(action, Step(state="applying", code="finding-route", due_at=now), now=now)
    params = {"url": route.url, "path": route.path, "model": route.model}
    take_step(
        action, Step(state="accepted", code="request-sent", params=params, due_at=now), now=now
    )
    tools.announce(action)


def _answered(action: Action) -> int:
    codes = [evidence_of(step.evidence)[0] for step in action.steps.all()]
    return codes.count("answered")


def _note(action: Action, asked: Asked, *, number: int, of: int, tools: Tools) -> bool:
    """Whether the next request is to be sent."""
    params = {**asked.figures, "number": number, "of": of}
    if asked.verdict is not Verdict.SERVES:
        state = "ready" if asked.verdict in UP else "failed"
        prefix = "up-" if asked.verdict in UP else ""
        _end(action, state=state, code=f"{prefix}{asked.verdict.value}", params=params, tools=tools)
        return False
    if number >= of:
        _end(action, state="served", code="answered", params=params, tools=tools)
        return False
    now = tools.now()
    take_step(action, Step(state="accepted", code="answered", params=params, due_at=now), now=now)
    tools.announce(action)
    return True


def _end(action: Action, *, state: str, code: str, params: dict[str, object], tools: Tools) -> None:
    step = Step(
        state=state,
        code=code,
        params=params,
        finished=True,
        outcome=state,
        columns={"result": {"code": code, "params": params}},
    )
    take_step(action, step, now=tools.now())
    tools.announce(action)
