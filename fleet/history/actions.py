"""The only writer of actions and their steps.

Every write is guarded by the state it starts from and by who holds the claim; what it means for the
audit trail is written in the same transaction.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from fleet.errors import BadInput, LeaseLost
from fleet.history.action_text import evidence_text
from fleet.history.audit import audit_plan
from fleet.history.first_answers import note_first_answer
from fleet.models import Action, ActionStep, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What an action reaches next. code, params: the evidence. due_at: when to look again, None =
    never. finished: nothing more happens by itself. columns: further columns of the row."""

    state: str
    code: str
    params: Mapping[str, Any] = field(default_factory=dict)
    due_at: datetime | None = None
    finished: bool = False
    outcome: str = ""
    columns: Mapping[str, Any] = field(default_factory=dict)


def add_action(
    plan_id: str, *, idempotency_key: str, by: str, reason: str, now: datetime
) -> Action:
    """The plan's one action: made on the first call, the same one on every later call.

    Raises BadInput when the plan is not (or no longer) there to be applied.
    """
    with transaction.atomic():
        if reason:
            Plan.objects.filter(id=plan_id, state="planned", reason="").update(reason=reason)
        ready = Plan.objects.filter(id=plan_id, state="planned", expires_at__gt=now)
        if ready.exclude(reason="").update(state="applied"):
            return _new_action(Plan.objects.get(id=plan_id), key=idempotency_key, by=by, now=now)
    done = Action.objects.filter(plan=plan_id).first()
    if done is not None:
        return done
    raise BadInput(_why_not(Plan.objects.filter(id=plan_id).first(), now=now))


def _new_action(plan: Plan, *, key: str, by: str, now: datetime) -> Action:
    action = Action.objects.create(
        id=uuid.uuid4().hex,
        plan=plan,
        idempotency_key=key[:120],
        action=plan.action,
        cluster=plan.cluster,
        kind=plan.kind,
        namespace=plan.namespace,
        name=plan.name,
        model_uid=plan.model_uid,
        by=by,
        created_at=now,
        due_at=now,
    )
    _add_step(action, Step(state="queued", code="asked"), now=now)
    audit_plan(plan, outcome="asked", who=by, now=now, action=action)
    return action


def _why_not(plan: Plan | None, *, now: datetime) -> str:
    if plan is None:
        return "there is no such plan"
    if plan.state == "planned" and not plan.reason:
        return "reason: say why before it is applied"
    expired = plan.state == "planned" and plan.expires_at <= now
    return f"the plan is {'expired' if expired else plan.state}; make a new one"


REVERTIBLE = ("accepted", "scaling", "ready", "served", "failed", "expiring", "reverting")


def ask_revert(action_id: str, *, by: str, now: datetime) -> Action:
    """Ask for undoing. Asking twice is harmless. BadInput when there is nothing to undo."""
    with transaction.atomic():
        action = Action.objects.filter(id=action_id).select_related("plan").first()
        if action is None:
            raise BadInput("there is no such action")
        if action.revert_asked_by or action.state == "reverted":
            return action
        if action.state not in REVERTIBLE or not action.inverse:
            raise BadInput(f"nothing to undo: the action is {action.state}")
        Action.objects.filter(id=action_id).update(revert_asked_by=by, due_at=now)
        audit_plan(action.plan, outcome="undo-asked", who=by, now=now, action=action)
    action.refresh_from_db()
    return action


def due_actions(*, now: datetime) -> list[str]:
    """Actions to be looked at now that nobody is looking at."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    rows = Action.objects.filter(free, due_at__lte=now)
    return list(rows.order_by("due_at").values_list("id", flat=True)[:200])


def claim_action(action_id: str, *, worker: str, now: datetime, for_s: float) -> Action | None:
    """The action, ours until the claim runs out; None if it is not due or another has it."""
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    until = now + timedelta(seconds=for_s)
    mine = Action.objects.filter(free, id=action_id, due_at__lte=now).update(
        claimed_by=worker, claimed_until=until
    )
    return Action.objects.select_related("plan").get(id=action_id) if mine else None


def keep_claim(action: Action, *, until: datetime) -> None:
    """A longer claim, before a wait that is known to be long. LeaseLost if it is not ours."""
    mine = Action.objects.filter(id=action.id, claimed_by=action.claimed_by)
    if not mine.update(claimed_until=until):
        raise LeaseLost(f"action {action.id} is another worker's now")


def release(action: Action) -> None:
    """Let the next look, at the row's due time, be anybody's."""
    Action.objects.filter(id=action.id, claimed_by=action.claimed_by).update(
        claimed_by="", claimed_until=None
    )


def take_step(action: Action, step: Step, *, now: datetime) -> None:
    """Write the step and the row's new state. LeaseLost when another worker took over or the row
    is not in the state that we saw: nothing is written then."""
    values: dict[str, Any] = {**step.columns, "state": step.state, "due_at": step.due_at}
    if step.finished:
        values["finished_at"] = now
    with transaction.atomic():
        mine = Action.objects.filter(id=action.id, state=action.state, claimed_by=action.claimed_by)
        if not mine.update(**values):
            raise LeaseLost(f"action {action.id} is another worker's now")
        # Undoing was asked for since we read the row: that is due at once.
        asked = Action.objects.filter(id=action.id).exclude(revert_asked_by=action.revert_asked_by)
        asked.update(due_at=now)
        _add_step(action, step, now=now)
        if step.code == "answered":
            note_first_answer(action.cluster, action.model_uid, at=now)
        if step.outcome:
            _audit_step(action, step, now=now)
    action.refresh_from_db()


def _audit_step(action: Action, step: Step, *, now: datetime) -> None:
    """before, after: what the step itself wrote, else what the action wrote."""
    audit_plan(
        action.plan,
        outcome=step.outcome,
        who=action.revert_asked_by or action.by,
        now=now,
        action=action,
        before=step.columns.get("before", action.before),
        after=step.columns.get("after", action.after),
        detail=evidence_text(step.code, step.params),
    )


def look_again(action: Action, *, due_at: datetime | None) -> None:
    """Nothing new: only when to look again. A due time asked for meanwhile is kept."""
    mine = Action.objects.filter(id=action.id, claimed_by=action.claimed_by, due_at=action.due_at)
    mine.update(due_at=due_at)


def _add_step(action: Action, step: Step, *, now: datetime) -> None:
    ActionStep.objects.create(
        action=action,
        state=step.state,
        at=now,
        evidence=evidence_text(step.code, step.params),
    )
