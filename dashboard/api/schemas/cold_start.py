"""A cold start."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from fleet.domain.coldstart.start import Outcome, Phase, StartMode, Trigger


class Part(BaseModel):
    """A named part of a phase. Those of the same `within` follow one another but need not fill it;
    never add one to what it lies within."""

    part: str
    seconds: float
    within: str = Field("", description='The part that it lies within; "" = the phase itself.')


class PhaseSpan(BaseModel):
    """A span of a start. `error_s`: how far off its length may be; null = cannot be told."""

    phase: Phase
    started_at: datetime
    ended_at: datetime | None = Field(description="null while it runs")
    seconds: float
    source: str
    error_s: float | None
    parts: list[Part] = []


class Failure(BaseModel):
    """Why a start failed."""

    class_: str = Field(alias="class")
    reason: str


class ColdStart(BaseModel):
    """One replica's attempt to go from demanded to its first good answer. The phases up to
    `unexplained` add up to `total_s`."""

    id: int | None
    model: str = Field(description="The model's key.")
    revision: str
    replica: str
    replica_uid: str
    role: str
    node: str | None
    restarts: int
    trigger: Trigger
    start_mode: StartMode
    outcome: Outcome
    failure: Failure | None
    started_at: datetime
    ready_at: datetime | None
    ended_at: datetime | None
    first_answer_at: datetime | None
    ended_in_phase: Phase | None
    total_s: float | None
    total_to_first_answer_s: float | None
    unexplained_s: float
    clamped: bool
    phases: list[PhaseSpan]
    requests_lost: dict[str, int | None] | None = Field(description="By hop; null = not known.")


class ColdStartPage(BaseModel):
    """Newest first."""

    items: list[ColdStart]
    next: str | None
