"""A model, its revisions, and the clusters they run on."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from dashboard.api.schemas.cold_start import ColdStart
from dashboard.api.schemas.insight import Finding, Lint, TopFinding
from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.flight import Confidence, Lateness, LateReason
from fleet.domain.compare.like import Kin
from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import Mode, ModelKind


class Replicas(BaseModel):
    """null = not known."""

    ready: int
    desired: int | None
    min: int | None
    max: int | None


class CurrentRevision(BaseModel):
    """The revision with the most traffic, else the newest ready one."""

    name: str
    uid: str | None
    traffic_percent: int | None
    created_at: datetime | None


class InFlight(BaseModel):
    """A start that runs now. `eta_*_s`: seconds that remain, from `eta_n` and `eta_p95_n`
    comparable starts of one start mode; `eta_from` and `eta_p95_from` say how near these are.
    `late_after_s`, `overdue_after_s`: seconds since it was demanded."""

    id: int | None
    phase: Phase | None
    elapsed_s: float | None
    eta_p50_s: float | None
    eta_p95_s: float | None
    eta_from: Kin | None
    eta_n: int
    eta_p95_from: Kin | None
    eta_p95_n: int
    eta_confidence: Confidence
    late: Lateness
    late_reason: LateReason | None
    late_after_s: float | None
    overdue_after_s: float | None


class ColdStarts(BaseModel):
    """Ready starts of 7 days: p50 is null under 5 of them, p95 under 20."""

    count_7d: int
    failed_7d: int
    p50_s: float | None
    p95_s: float | None
    last: ColdStart | None
    in_flight: list[InFlight]


class ProbeFailures(BaseModel):
    """A lower bound: events are rate-limited."""

    starting: int
    serving: int
    at_least: bool


class Errors(BaseModel):
    """What became of the requests of `window_s` seconds. `by_hop`: 5xx that callers got, by who
    made them; a hop's null = cannot be told apart here. `client_gone`: callers that left before
    an answer, never part of `lost`."""

    window_s: float
    requests: int | None = Field(description="null = not known")
    requests_at_least: bool = Field(description="`requests` is a lower bound.")
    share_5xx: float | None = Field(
        description="null without any request, and where `requests_at_least`"
    )
    lost: int | None = Field(description="5xx in all")
    by_hop: dict[str, int | None]
    at_least: list[str] = Field(description="Hops whose count is a lower bound.")
    client_gone: int | None
    in_flight: float | None = Field(
        None, description="Not answered yet in the newest 30 s that were read; null = not known."
    )


class Model(BaseModel):
    """One InferenceService or LLMInferenceService that serves vLLM."""

    key: str
    uid: str
    cluster: str
    kind: ModelKind
    namespace: str
    name: str
    mode: Mode
    state: State
    state_reason: str
    served_names: list[str]
    url: str | None
    team: str | None
    environment: str | None
    replicas: Replicas
    revision: CurrentRevision | None
    cold_start: ColdStarts
    errors: Errors | None = Field(description="null = not measured here")
    probe_failures_1h: ProbeFailures
    finding: TopFinding | None = Field(
        description="null = nothing was found wrong, or nobody looked yet"
    )
    data_age_s: float | None = Field(description="null = the cluster was never in step")


class Revision(BaseModel):
    """A Knative Revision, or the ReplicaSet or LeaderWorkerSet revision of other modes."""

    name: str
    uid: str
    source: str
    number: str | None
    image: str | None
    traffic_percent: int | None
    min_scale: int | None
    max_scale: int | None
    ready: bool | None
    ready_reason: str | None
    created_at: datetime
    gone_at: datetime | None


class ModelDetail(Model):
    """A model with its revisions, newest first, findings best first and advice worst first."""

    revisions: list[Revision]
    findings: list[Finding]
    lint: list[Lint]
    diagnosed_at: datetime | None = Field(description="null = nobody looked yet")


class ModelPage(BaseModel):
    """`next` is null after the last page, and always with `sort=worst`."""

    items: list[Model]
    next: str | None


class MissingPermission(BaseModel):
    """A right we do not hold, and what its lack costs."""

    permission: str
    costs: str


class Cluster(BaseModel):
    """Counts are of what lies in the caller's scope. `state`: live, connecting, slow,
    unreachable or paused."""

    name: str
    state: str
    data_age_s: float | None
    kubernetes: str | None
    kserve: str | None
    knative: str | None
    metric_era: str | None
    missing: list[MissingPermission]
    models: int
    not_taken_for_vllm: int
    read_only: bool


class ClusterPage(BaseModel):
    """By name."""

    items: list[Cluster]
    next: str | None
