"""Scale events, probe failures, and the timeline made of them."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from dashboard.api.schemas.model import Errors, Revision
from dashboard.api.schemas.plan import Action
from fleet.domain.ledger.delta import ScaleKind


class ScaleEvent(BaseModel):
    """A revision's wish changed."""

    at: datetime
    model: str
    revision: str
    from_: int = Field(alias="from")
    to: int
    desired: int
    kind: ScaleKind
    source: str
    cause: str
    actor: str | None


class ScaleEventPage(BaseModel):
    """Newest first."""

    items: list[ScaleEvent]
    next: str | None


class ProbeFailure(BaseModel):
    """Failures told by one Event object; `count` is a lower bound, `at` the newest of them."""

    at: datetime
    first_at: datetime
    model: str
    replica: str
    container: str
    about: str = Field(description="The container that did not pass.")
    probe: str
    while_: str = Field(alias="while", description="starting or serving")
    count: int
    message: str


class ProbeFailurePage(BaseModel):
    """Newest first."""

    items: list[ProbeFailure]
    next: str | None


class ReplicaPoint(BaseModel):
    """How many replicas at a moment. desired: null before the first wish that was seen."""

    at: datetime
    desired: int | None
    ready: int


class RequestPoint(Errors):
    """Requests from `at` on, for `window_s` seconds. `requests` and `lost` are null where nothing
    was read; a step that was read in part is a lower bound."""

    at: datetime
    by_code: dict[str, int]
    broken: int | None = Field(
        description="Streams that ended unfinished, by the model or the caller: cannot be told."
    )
    cut: int | None = Field(description="Streams that a time limit of the path cut.")
    in_flight: float | None = Field(description="The highest seen.")
    queued: float | None = Field(description="The highest seen.")
    p95_s: float | None = Field(description="Of a step of one window alone.")


class Timeline(BaseModel):
    """One model over a time, oldest first, at most 500 of each kind of event. A `cut` list holds
    only the newest of its kind. `requests` is empty where they are not measured."""

    since: datetime
    until: datetime
    step_s: float
    replicas: list[ReplicaPoint]
    requests: list[RequestPoint]
    scale_events: list[ScaleEvent]
    probe_failures: list[ProbeFailure]
    revisions: list[Revision]
    actions: list[Action]
    cut: list[str] = Field(description="Names of the lists that were cut.")
