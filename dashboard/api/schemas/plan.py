"""Plans and actions."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

PlanState = Literal["previewing", "planned", "refused", "expired", "applied"]
ActionState = Literal[
    "queued",
    "applying",
    "accepted",
    "scaling",
    "ready",
    "served",
    "failed",
    "refused",
    "superseded",
    "expiring",
    "reverting",
    "reverted",
]


class Change(BaseModel):
    """One field of one object: old and new value; null = the field is absent."""

    object: str
    uid: str | None = None
    field: str
    before: Any
    after: Any
    when: Literal["at-once", "after-ready", "if-undone"] = Field(
        "at-once", description="if-undone: only if the cluster takes the change before it back"
    )


class DryRun(BaseModel):
    """What the API server said to a dry run."""

    ok: bool
    message: str


class Effects(BaseModel):
    """What would follow. null = not known."""

    new_revision: bool | None = None
    rollout: bool | None = None
    pods: int | None = None
    gpus: dict[str, int] | None = None
    free: dict[str, int] | None = Field(None, description="GPUs free now, by resource name.")
    capacity: str | None = None
    eta_p50_s: float | None = None
    cost_per_hour: float | None = None


class Notice(BaseModel):
    """A warning, a refusal or a result: a code that stays, its sentence, the sentence's figures."""

    code: str
    text: str
    params: dict[str, Any]


class Plan(BaseModel):
    """What an action would do; what runs is exactly this. While `previewing`, `dry_run` and
    `effects` are null."""

    id: str
    state: PlanState
    action: str
    target: str
    params: dict[str, Any]
    reason: str
    made_by: str
    expires_at: datetime
    changes: list[Change]
    dry_run: DryRun | None
    effects: Effects | None
    warnings: list[Notice]
    inverse: list[Change]
    refusal: Notice | None


class Step(BaseModel):
    """One state an action reached."""

    state: ActionState
    at: datetime
    evidence: str


class Action(BaseModel):
    """A plan that was applied, followed to its end."""

    id: str
    plan: str
    state: ActionState
    steps: list[Step]
    expires_at: datetime | None
    by: str
    result: Notice | None
    action: str
    target: str
    created_at: datetime
    finished_at: datetime | None


class ActionPage(BaseModel):
    """Newest first."""

    items: list[Action]
    next: str | None


class PlanRequest(BaseModel):
    """What is asked for. `target` is a model's key."""

    action: str = Field(max_length=40, pattern=r"^[a-z-]+$", examples=["raise-min"])
    target: str = Field(max_length=700, examples=["demo-a/InferenceService/chat/pilot"])
    params: dict[str, Any] = Field(
        default_factory=dict, examples=[{"min": 1, "how": "in-place", "expires_in_s": 3600}]
    )
    reason: str = Field("", max_length=500, pattern=r"^[^\x00]*$", examples=["launch at noon"])


class ApplyRequest(BaseModel):
    """May be left out: a reason for a plan that was asked for without one."""

    reason: str = Field("", max_length=500, pattern=r"^[^\x00]*$")


class IdempotencyKey(BaseModel):
    """Any text of the caller's; sent again with a repeated request."""

    idempotency_key: str = Field(
        alias="Idempotency-Key", min_length=1, max_length=120, pattern=r"^[^\x00]*$"
    )


class WaitFilters(BaseModel):
    """How long to wait for the preview."""

    wait_s: float = Field(0, ge=0, le=30, description="Seconds; 0 answers at once.")
