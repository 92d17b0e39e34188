"""Windows of user-visible errors."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from dashboard.api.shapes.insight import finding
from fleet.history.incident_around import actions_about, around, starts_about
from fleet.models import Incident

HAPPENED = ("starts", "scale_events", "probe_failures", "revisions", "actions")


def incident(row: Incident, *, now: datetime) -> dict[str, Any]:
    """The contract's incident; its starts and actions are looked up while it goes on."""
    return {
        "id": row.pk,
        "model": str(row.key),
        "started_at": row.started_at,
        "ended_at": row.ended_at,
        "last_error_at": row.last_error_at,
        "requests": row.requests,
        "requests_lost": row.requests_lost,
        "at_least": row.at_least,
        "by_hop": row.by_hop,
        "by_code": row.by_code,
        "client_gone": row.client_gone,
        "cause": row.cause or None,
        "confidence": row.confidence,
        "revisions": row.revisions,
        "cold_starts": _starts(row, now=now),
        "actions": _actions(row, now=now),
    }


def incident_detail(row: Incident, *, now: datetime) -> dict[str, Any]:
    """With its findings and what happened about it."""
    told = row.around if row.ended_at else around(row.key, row.started_at, now)
    return incident(row, now=now) | {
        "findings": [finding(each) for each in row.findings],
        "diagnosed_at": row.diagnosed_at,
        "unread": row.around.get("unread", []),
        "around": {name: told.get(name, []) for name in HAPPENED},
    }


def _starts(row: Incident, *, now: datetime) -> list[int]:
    """Those of the incident itself, not only about it."""
    if row.ended_at is None:
        return starts_about(row.key, row.started_at, now)
    return [each["id"] for each in row.around.get("starts", ()) if _ran_in(each, row)]


def _actions(row: Incident, *, now: datetime) -> list[str]:
    if row.ended_at is None:
        return actions_about(row.key, row.started_at, now)
    return [each["id"] for each in row.around.get("actions", ())]


def _ran_in(start: dict[str, Any], row: Incident) -> bool:
    ended = start["ended_at"]
    began_in_time = datetime.fromisoformat(start["at"]) <= row.last_error_at
    return began_in_time and (not ended or datetime.fromisoformat(ended) >= row.started_at)
