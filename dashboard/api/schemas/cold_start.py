"""A cold start."""

from __future__ import annotations

from datetime import datetime
from typing import Any

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


class EngineLog(BaseModel):
    """What the model server's log tells of a start: parsed facts and the few decisive lines,
    redacted."""

    state: str = Field(description="read, json, none, cut")
    engine_version: str | None
    silent_since: str | None
    facts: dict[str, Any]
    decisive: list[str]


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
    image: str | None = Field(description="Of the model's container, as declared.")
    image_digest: str | None = Field(description="sha256:… of what ran.")
    engine_version: str | None = Field(
        description="vLLM's, by its log, else by a tag that is a plain version."
    )
    gpus: int | None
    node_pool: str | None
    weights_from: str | None = Field(
        description="storage-initializer, modelcar, local-cache, pvc, download, baked"
    )
    progress_deadline_s: float | None
    image_pull: str | None = Field(description="full, cached")
    image_bytes: int | None = Field(description="As the kubelet told when it pulled.")
    log: EngineLog | None = Field(description="null where no log was read.")


class ColdStartPage(BaseModel):
    """Newest first."""

    items: list[ColdStart]
    next: str | None
