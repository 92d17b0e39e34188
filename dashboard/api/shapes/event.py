"""Scale events and probe failures."""

from __future__ import annotations

from typing import Any

from fleet.models import ProbeFailure, ScaleEvent


def scale_event(row: ScaleEvent) -> dict[str, Any]:
    """The contract's scale_event. `desired` is the wish after the change."""
    return {
        "at": row.at,
        "model": str(row.key),
        "revision": row.revision,
        "from": row.from_count,
        "to": row.to_count,
        "desired": row.to_count,
        "kind": row.change,
        "source": row.source,
        "cause": row.cause,
        "actor": row.actor or None,
    }


def probe_failure(row: ProbeFailure) -> dict[str, Any]:
    """The contract's probe_failure."""
    return {
        "at": row.at,
        "first_at": row.first_at,
        "model": str(row.key),
        "replica": row.replica,
        "container": row.container,
        "about": row.about,
        "probe": row.probe,
        "while": row.during,
        "count": row.count,
        "message": row.message,
    }
