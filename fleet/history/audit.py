"""The audit trail of actions: added to, never changed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model

from fleet.models import Action, AuditEntry, Plan


def audit_refusal(
    *, action: str, target: str, by: str, reason: str, detail: str, now: datetime
) -> None:
    """Somebody asked for what their role or scope does not allow."""
    AuditEntry.objects.create(
        at=now,
        who=by,
        user=_user(by),
        what=action[:60],
        target=target[:700],
        outcome="refused",
        reason=reason[:500],
        detail=detail[:1024],
    )


def audit_plan(
    plan: Plan,
    *,
    outcome: str,
    who: str,
    now: datetime,
    action: Action | None = None,
    before: Sequence[Any] | None = None,
    after: Sequence[Any] | None = None,
    detail: str = "",
) -> None:
    """What became of a plan or of its action, written with the state it tells of."""
    AuditEntry.objects.create(
        at=now,
        who=who,
        user=_user(who),
        what=plan.action,
        target=str(plan.key)[:700],
        outcome=outcome,
        reason=plan.reason,
        plan=plan.id,
        action=action.id if action else "",
        before=before,
        after=after,
        detail=detail[:1024],
    )


def _user(name: str) -> Any:
    return get_user_model().objects.filter(username=name).first()
