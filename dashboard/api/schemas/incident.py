"""Windows of user-visible errors."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from dashboard.api.schemas.insight import Finding
from fleet.domain.diagnosis.records import Cause


class Incident(BaseModel):
    """Callers of one model got 5xx from `started_at` to `ended_at`."""

    id: int
    model: str
    started_at: datetime
    ended_at: datetime | None = Field(description="null = it goes on")
    last_error_at: datetime = Field(description="The end of the newest window with errors.")
    requests: int | None = Field(description="All of that time; null = not measured.")
    requests_lost: int = Field(description="5xx that callers got.")
    at_least: bool = Field(description="`requests_lost` is a lower bound.")
    by_hop: dict[str, int | None] = Field(description="null = cannot be told apart there.")
    by_code: dict[str, int]
    client_gone: int | None = Field(description="Callers that left first; not among the lost.")
    cause: Cause | None = Field(description="Of the first finding; null = not diagnosed.")
    confidence: float | None
    revisions: list[str] = Field(description="Those with errors.")
    cold_starts: list[int] = Field(description="Starts that ran in that time.")
    actions: list[str] = Field(description="Actions about that time.")


class IncidentDetail(Incident):
    """With what the diagnosis rests on and what happened."""

    findings: list[Finding] = Field(description="Best first, as of `diagnosed_at`.")
    diagnosed_at: datetime | None
    unread: list[tuple[datetime, datetime]] = Field(
        description="Spans in which metrics were not read."
    )
    around: dict[str, list[dict[str, Any]]] = Field(
        description="From 10 min before to 5 min after: starts, scale_events, probe_failures,"
        " revisions, actions."
    )


class IncidentPage(BaseModel):
    """Newest first."""

    items: list[Incident]
    next: str | None
