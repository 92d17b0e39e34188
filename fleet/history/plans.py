"""The only writer of plans: asked for, claimed by one worker, settled once."""

import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from fleet.domain.records.keys import ModelKey
from fleet.history.action_text import evidence_text
from fleet.history.audit import audit_plan
from fleet.models import Plan

# A plan shows the cluster as it was; older ones are made anew.
PLAN_LIVES = timedelta(minutes=10)
# A worker that took a plan and did not come back by then never will. A slow cluster must fit in,
# else each worker would take the plan from the one before, for ever.
PREVIEW_CLAIM = timedelta(seconds=60)


def add_plan(
    *,
    action: str,
    target: ModelKey,
    model_uid: str,
    params: Mapping[str, Any],
    reason: str,
    by: str,
    now: datetime,
) -> Plan:
    """A plan to be previewed by the act worker."""
    return Plan.objects.create(
        id=uuid.uuid4().hex,
        action=action,
        cluster=target.cluster,
        kind=target.kind,
        namespace=target.namespace,
        name=target.name,
        model_uid=model_uid,
        params=dict(params),
        reason=reason,
        made_by=by,
        created_at=now,
        expires_at=now + PLAN_LIVES,
    )


def claim_plan(plan_id: str, *, worker: str, now: datetime) -> Plan | None:
    """The plan, ours to preview; None if somebody else has it or it is done."""
    free = Q(claimed_at=None) | Q(claimed_at__lt=now - PREVIEW_CLAIM)
    mine = Plan.objects.filter(free, id=plan_id, state="previewing").update(
        claimed_at=now, claimed_by=worker
    )
    return Plan.objects.get(id=plan_id) if mine else None


def unclaimed_plans(*, now: datetime) -> list[str]:
    """Plans that no bell announced, or whose worker never came back."""
    free = Q(claimed_at=None) | Q(claimed_at__lt=now - PREVIEW_CLAIM)
    rows = Plan.objects.filter(free, state="previewing", expires_at__gt=now)
    return list(rows.order_by("created_at").values_list("id", flat=True)[:100])


def expire_plans(*, now: datetime) -> int:
    """Plans too old to be applied; how many there were."""
    rows = Plan.objects.filter(state__in=["previewing", "planned"], expires_at__lte=now)
    return rows.update(state="expired")


def settle_plan(
    plan: Plan,
    *,
    body: Mapping[str, Any],
    seen: Mapping[str, Any],
    refusal: Mapping[str, Any] | None,
    now: datetime,
) -> bool:
    """The preview's result; False when the claim was lost meanwhile, and nothing is written."""
    state = "refused" if refusal else "planned"
    with transaction.atomic():
        rows = Plan.objects.filter(id=plan.id, state="previewing", claimed_by=plan.claimed_by)
        if not rows.update(state=state, body=body, seen=seen, refusal=refusal):
            return False
        if refusal:
            audit_plan(plan, outcome="refused", who=plan.made_by, now=now, detail=_said(refusal))
    plan.refresh_from_db()
    return True


def _said(refusal: Mapping[str, Any]) -> str:
    return evidence_text(str(refusal.get("code", "")), refusal.get("params") or {})
