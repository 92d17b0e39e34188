"""Follow: what the reading path saw since -> the action's next state."""

from datetime import datetime, timedelta
from typing import Any

from fleet.actions.apply import planned, record_fallback, still_to_write, written_so_far
from fleet.actions.asking import CHECK_TOKENS, Asked, ask, can_ask
from fleet.actions.sight import GENERATED, revisions_of, sight_of
from fleet.actions.tools import Tools
from fleet.actions.writing import write
from fleet.domain.plans.answers import UP, Verdict
from fleet.domain.plans.fields import value_at
from fleet.domain.plans.objects import ObjectName
from fleet.domain.plans.plan import Change, When, due_now
from fleet.domain.plans.progress import (
    READ_BACK_S,
    REVERSAL_S,
    Move,
    Next,
    Sight,
    Waited,
    after_accepted,
    after_scaling,
    after_served,
)
from fleet.domain.plans.way import Way
from fleet.history.action_text import evidence_of
from fleet.history.actions import Step, keep_claim, look_again, take_step
from fleet.models import Action, ActionStep, Cluster, ServedModel

LOOK_EVERY = timedelta(seconds=1)
WATCH_EVERY = timedelta(seconds=5)
# A held request wakes the model though its caller leaves soon: a wake is not cancelled.
DEAD_ZONE_WAIT_S = 10.0
CHECK_WAIT_S = 30.0
CHECK_TRIES = 3
CHECK_AGAIN = timedelta(seconds=5)
FINISHED = {Next.FAILED: "failed", Next.SUPERSEDED: "superseded"}


def follow(action: Action, *, cluster: Cluster, tools: Tools) -> None:
    """One look; writes at most one step."""
    steps = list(action.steps.all())
    if _must_read_back(action, steps):
        _read_back(action, steps, cluster=cluster, tools=tools)
        return
    sight = _sight(action, cluster, steps)
    waited = _waited(action, steps, cluster=cluster, tools=tools)
    decide = after_accepted if action.state == "accepted" else after_scaling
    _move(action, decide(_least(action), sight, waited), cluster=cluster, tools=tools)


def watch(action: Action, *, cluster: Cluster, tools: Tools) -> None:
    """After the end: for ten minutes, does anybody take it back? Then only the expiry is left."""
    steps = list(action.steps.all())
    waited = _waited(action, steps, cluster=cluster, tools=tools)
    move = after_served(_least(action), _sight(action, cluster, steps), waited)
    if move.next is Next.SUPERSEDED:
        _move(action, move, cluster=cluster, tools=tools)
        return
    if tools.now() - accepted_at(action, steps) >= timedelta(seconds=REVERSAL_S):
        look_again(action, due_at=action.expires_at)
        return
    soon = tools.now() + WATCH_EVERY
    look_again(action, due_at=min(soon, action.expires_at or soon))


def check(action: Action, *, cluster: Cluster, tools: Tools) -> None:
    """Ready is not served: one small request of our own proves that the route answers."""
    row = ServedModel.objects.of(action.key).present().first()
    if row is None or not can_ask(tools, cluster, row):
        finish(action, state="ready", code="check-not-allowed", params={}, tools=tools)
        return
    keep_claim(action, until=tools.now() + timedelta(seconds=CHECK_WAIT_S + 15))
    asked = ask(tools, cluster, row, tokens=CHECK_TOKENS, timeout_s=CHECK_WAIT_S)
    if asked.verdict is Verdict.SERVES:
        finish(action, state="served", code="answered", params=asked.figures, tools=tools)
    elif asked.verdict in UP:
        code = f"up-{asked.verdict.value}"
        finish(action, state="ready", code=code, params=asked.figures, tools=tools)
    else:
        _check_failed(action, asked, tools=tools)


def finish(action: Action, *, state: str, code: str, params: dict[str, Any], tools: Tools) -> None:
    """The outcome; if changes wait for it, these are written next."""
    now = tools.now()
    if still_to_write(action):
        _step(action, tools, Step(state=state, code=code, params=params, due_at=now))
        _step(action, tools, Step(state="applying", code="writing-source", due_at=now))
        return
    soon = now + WATCH_EVERY
    step = Step(
        state=state,
        code=code,
        params=params,
        finished=True,
        outcome=state,
        due_at=min(soon, action.expires_at or soon) if action.after else None,
        columns={"result": {"code": code, "params": params}},
    )
    _step(action, tools, step)


def accepted_at(action: Action, steps: list[ActionStep]) -> datetime:
    """When the changes followed now were accepted."""
    return max((s.at for s in steps if s.state == "accepted"), default=action.created_at)


def _move(action: Action, move: Move, *, cluster: Cluster, tools: Tools) -> None:
    now = tools.now()
    if move.next is Next.WAIT:
        look_again(action, due_at=now + LOOK_EVERY)
    elif move.next is Next.ASK:
        _ask_once(action, move, cluster=cluster, tools=tools)
    elif move.next is Next.DONE:
        finish(action, state="ready", code=move.code, params=move.params, tools=tools)
    elif move.next in FINISHED:
        _end(action, move, tools=tools)
    else:
        state = action.state if move.next is Next.NOTE else move.next.value
        due_at = now + LOOK_EVERY if move.next is Next.NOTE else now
        step = Step(state=state, code=move.code, params=move.params, due_at=due_at)
        _step(action, tools, step)


def _end(action: Action, move: Move, *, tools: Tools) -> None:
    """failed keeps its change, so its expiry and undo stay; superseded has nothing left to undo."""
    state = FINISHED[move.next]
    step = Step(
        state=state,
        code=move.code,
        params=move.params,
        finished=True,
        due_at=action.expires_at if state == "failed" else None,
        outcome=state,
        columns={"result": {"code": move.code, "params": move.params}},
    )
    _step(action, tools, step)


def _step(action: Action, tools: Tools, step: Step) -> None:
    take_step(action, step, now=tools.now())
    tools.announce(action)


def _least(action: Action) -> int:
    return int(action.plan.params["min"])


def _sight(action: Action, cluster: Cluster, steps: list[ActionStep]) -> Sight:
    changes = written_so_far(action)
    return sight_of(
        cluster,
        action.key,
        changes=changes,
        source=_follows_source(changes),
        since=accepted_at(action, steps),
    )


def _follows_source(changes: list[Change]) -> bool:
    """The change on the model's own object is the last to be written, if there is one."""
    return any(ObjectName.parse(change.object).kind not in GENERATED for change in changes)


def _waited(action: Action, steps: list[ActionStep], *, cluster: Cluster, tools: Tools) -> Waited:
    """Time counts only as far as the cluster was watched: a blind spell proves nothing."""
    since = accepted_at(action, steps)
    seen_until = min(tools.now(), cluster.last_proof_at or since)
    notes = {evidence_of(step.evidence)[0]: step.at for step in steps if step.at >= since}
    failing_at = notes.get("start-failing")
    row = ServedModel.objects.of(action.key).present().first()
    pinned = bool(revisions_of(written_so_far(action)))
    return Waited(
        since_s=(seen_until - since).total_seconds(),
        failing_s=None if failing_at is None else (tools.now() - failing_at).total_seconds(),
        asked="dead-zone" in notes,
        may_ask=pinned and row is not None and can_ask(tools, cluster, row),
    )


def _ask_once(action: Action, move: Move, *, cluster: Cluster, tools: Tools) -> None:
    """Said first, then done: a successor of a killed worker does not ask again."""
    now = tools.now()
    params = {**move.params, "min": _least(action)}
    due_at = now + LOOK_EVERY
    _step(action, tools, Step(state=action.state, code=move.code, params=params, due_at=due_at))
    keep_claim(action, until=now + timedelta(seconds=DEAD_ZONE_WAIT_S + 15))
    row = ServedModel.objects.of(action.key).present().first()
    if row is not None:
        ask(tools, cluster, row, tokens=CHECK_TOKENS, timeout_s=DEAD_ZONE_WAIT_S)


def _check_failed(action: Action, asked: Asked, *, tools: Tools) -> None:
    """A route may lag behind its pods, so it is asked again a little later."""
    params = {**asked.figures, "verdict": asked.verdict.value}
    codes = [evidence_of(step.evidence)[0] for step in action.steps.all()]
    if codes.count("check-failed") + 1 >= CHECK_TRIES:
        _end(action, Move(next=Next.FAILED, code="no-good-answer", params=params), tools=tools)
        return
    due_at = tools.now() + CHECK_AGAIN
    step = Step(state="ready", code="check-failed", params=params, due_at=due_at)
    _step(action, tools, step)


def _must_read_back(action: Action, steps: list[ActionStep]) -> bool:
    """Only where the version was undecided, and only once."""
    if action.state != "accepted" or action.plan.body.get("way") != Way.AUTOSCALER_FIRST:
        return False
    codes = {evidence_of(step.evidence)[0] for step in steps}
    return not codes & {"floor-kept", "written-to-revision"}


def _read_back(action: Action, steps: list[ActionStep], *, cluster: Cluster, tools: Tools) -> None:
    """Does the PodAutoscaler still have its floor? If the cluster took it back, this is Knative
    1.21 or later, and the Revision is the place."""
    now = tools.now()
    if now - accepted_at(action, steps) < timedelta(seconds=READ_BACK_S):
        look_again(action, due_at=now + LOOK_EVERY)
        return
    writer = tools.writer(cluster)
    kept = all(
        value_at(writer.read(change.object), change.field) == change.after
        for change in written_so_far(action)
    )
    if kept:
        _step(action, tools, Step(state="accepted", code="floor-kept", due_at=now))
        return
    owners = action.plan.seen.get("objects", {})
    written = write(writer, due_now(planned(action), When.IF_UNDONE), owners=owners)
    if written.problem:
        move = Move(next=Next.FAILED, code=written.problem.code, params=written.problem.params)
        _end(action, move, tools=tools)
        return
    _step(action, tools, record_fallback(action, written, now=now))
