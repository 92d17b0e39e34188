"""What is concluded of a model: findings of a diagnosis, and advice on its settings."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from fleet.domain.diagnosis.records import Cause, FaultPhase, Remedy
from fleet.domain.lint.records import Effect, Severity


class TopFinding(BaseModel):
    """The best finding of a model; `evidence_count` pieces speak for it, `count` findings there
    are."""

    cause: Cause
    confidence: float
    summary: str
    evidence_count: int
    count: int


class Piece(BaseModel):
    """One piece of evidence; `ref` such as `Pod/chat/name`, `Event/FailedScheduling/name`,
    `log/kserve-container:17`."""

    kind: str
    ref: str
    says: str
    at: datetime | None


class Finding(BaseModel):
    """One cause with what it rests on; remedies best first."""

    cause: Cause
    confidence: float
    phase: FaultPhase
    summary: str
    evidence: list[Piece]
    remedies: list[Remedy]


class Lint(BaseModel):
    """One advice; `code` has a page under docs/rules. `patch`: YAML, null = none."""

    code: str
    slug: str
    severity: Severity
    object: str
    field: str | None
    title: str
    why: str
    measured: dict[str, float] = Field(description="Figures of this model that it rests on.")
    patch: str | None
    effect: Effect
    extra_gpus: int | None = Field(description="Meanwhile; null = not known.")
