"""Plans and actions."""

from __future__ import annotations

from typing import Any

from dashboard.action_words import evidence_words, refusal_text, result_text, warning_text
from fleet.models import Action, Plan


def plan(row: Plan) -> dict[str, Any]:
    """The contract's plan. What the preview has not found yet is null or empty."""
    body = row.body
    return {
        "id": row.pk,
        "state": row.state,
        "action": row.action,
        "target": str(row.key),
        "params": row.params,
        "reason": row.reason,
        "made_by": row.made_by,
        "expires_at": row.expires_at,
        "changes": body.get("changes", []),
        "dry_run": body.get("dry_run"),
        "effects": body.get("effects"),
        "warnings": [{**kept, "text": warning_text(kept)} for kept in body.get("warnings", [])],
        "inverse": body.get("inverse", []),
        "refusal": row.refusal and {**row.refusal, "text": refusal_text(row.refusal)},
    }


def action(row: Action) -> dict[str, Any]:
    """The contract's action; its steps should be prefetched."""
    return {
        "id": row.pk,
        "plan": row.plan_id,
        "state": row.state,
        "steps": [
            {"state": step.state, "at": step.at, "evidence": evidence_words(step.evidence)}
            for step in row.steps.all()
        ],
        "expires_at": row.expires_at,
        "by": row.by,
        "result": row.result and {**row.result, "text": result_text(row.result)},
        "action": row.action,
        "target": str(row.key),
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }
