"""Asking: rows that the act worker picks up. Nothing here talks to a cluster."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from fleet.domain.plans.params import read_params, read_reason
from fleet.domain.records.keys import ModelKey
from fleet.errors import BadInput
from fleet.history import actions, audit, plans
from fleet.models import Action, Plan, ServedModel


def request_plan(
    *,
    action: str,
    target: ModelKey,
    params: Mapping[str, Any],
    reason: str,
    by: str,
    now: datetime,
) -> Plan:
    """A plan in state previewing. BadInput for unknown models, actions and parameters."""
    read_params(action, params)
    model = ServedModel.objects.of(target).present().first()
    if model is None:
        raise BadInput(f"there is no model {str(target)[:300]}")
    return plans.add_plan(
        action=action,
        target=target,
        model_uid=model.model_uid,
        params=params,
        reason=read_reason(reason),
        by=by,
        now=now,
    )


def request_apply(
    plan_id: str, *, idempotency_key: str, by: str, now: datetime, reason: str = ""
) -> Action:
    """The plan's action, made once. reason: for a plan that was asked for without one."""
    return actions.add_action(
        plan_id, idempotency_key=idempotency_key, by=by, reason=read_reason(reason), now=now
    )


def request_revert(action_id: str, *, by: str, now: datetime) -> Action:
    """Ask for the action to be undone; harmless when repeated."""
    return actions.ask_revert(action_id, by=by, now=now)


def record_refusal(
    *, action: str, target: ModelKey, by: str, reason: str, detail: str, now: datetime
) -> None:
    """Keep that somebody asked for what their role or scope does not allow."""
    audit.audit_refusal(
        action=action, target=str(target), by=by, reason=reason, detail=detail, now=now
    )
