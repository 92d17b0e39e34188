"""What is kept of models beside their starts, as tables."""

from __future__ import annotations

from typing import Any

from dashboard.tables.columns import Column, Table, column
from fleet.models import Action, ProbeFailure, Replica, Revision, ScaleEvent


def _key() -> tuple[Column[Any], ...]:
    """Of which model a row is."""
    return tuple(column(name) for name in ("cluster", "kind", "namespace", "name"))


REVISIONS: Table[Revision] = Table(
    name="revisions",
    columns=(
        column("created_at"),
        *_key(),
        column("revision"),
        column("uid"),
        column("source"),
        column("image"),
        column("traffic_percent"),
        column("min_scale"),
        column("max_scale"),
        column("ready"),
        column("ready_reason"),
        column("gone_at"),
    ),
)
REPLICAS: Table[Replica] = Table(
    name="replicas",
    columns=(
        column("created_at"),
        *_key(),
        column("replica"),
        column("uid"),
        column("revision"),
        column("role"),
        column("node"),
        column("gpus"),
        column("ready"),
        column("ready_at"),
        column("gone_at"),
    ),
)
SCALE_EVENTS: Table[ScaleEvent] = Table(
    name="scale-events",
    columns=(
        column("at"),
        *_key(),
        column("revision"),
        column("from", lambda row: row.from_count),
        column("to", lambda row: row.to_count),
        column("kind_of_change", lambda row: row.change),
        column("cause"),
        column("source"),
        column("actor"),
    ),
)
PROBE_FAILURES: Table[ProbeFailure] = Table(
    name="probe-failures",
    columns=(
        column("at"),
        column("first_at"),
        *_key(),
        column("replica"),
        column("container"),
        column("about"),
        column("probe"),
        column("while", lambda row: row.during),
        column("count_at_least", lambda row: row.count),
        column("message"),
    ),
)
PHASES: Table[dict[str, Any]] = Table(
    name="phases",
    columns=(
        column("phase", lambda row: row["phase"]),
        column("part", lambda row: row.get("part")),
        column("within", lambda row: row.get("within") or None),
        column("started_at", lambda row: row.get("started_at")),
        column("ended_at", lambda row: row.get("ended_at")),
        column("seconds", lambda row: row["seconds"]),
        column("error_s", lambda row: row.get("error_s")),
        column("source", lambda row: row.get("source")),
    ),
)
ACTIONS: Table[Action] = Table(
    name="actions",
    columns=(
        column("created_at"),
        *_key(),
        column("action"),
        column("state"),
        column("by"),
        column("reason", lambda row: row.plan.reason),
        column("finished_at"),
        column("expires_at"),
        column("id", lambda row: row.pk),
    ),
)
