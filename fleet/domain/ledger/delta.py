"""What one batch changed. All of it is the newest value: writing it twice is harmless."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from fleet.domain.coldstart.start import ColdStart
from fleet.domain.records.change import Record
from fleet.domain.records.keys import Mode, ModelKey, Resource
from fleet.domain.records.serving import TrafficTarget


class State(StrEnum):
    """First match wins, in this order. UNKNOWN is said of old data by the reader's clock, never
    by the ledger."""

    UNKNOWN = "Unknown"
    STOPPED = "Stopped"
    FAILING = "Failing"
    STARTING = "Starting"
    DEGRADED = "Degraded"
    WARM = "Warm"
    COLD = "Cold"


class ScaleKind(StrEnum):
    """from-zero, to-zero, up, down: by the numbers; `desired` moved or `ready` moved is told by
    the source."""

    FROM_ZERO = "from-zero"
    TO_ZERO = "to-zero"
    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleEvent:
    """The wish of a revision changed from `from_` to `to` replicas.

    source: podautoscaler, deployment, leaderworkerset. cause: demand, min-change, rollout,
    manual, idle, gave-up, unknown.
    actor: who did it where a field manager tells, else None. uid: identity (workload uid +
    resourceVersion), so replays do not double.
    """

    uid: str
    model: ModelKey
    model_uid: str
    revision: str
    revision_uid: str
    at: datetime
    from_: int
    to: int
    kind: ScaleKind
    source: str
    cause: str
    actor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFailure:
    """Failures of one probe of one container, from Unhealthy Events: `count` is a lower bound
    (events are rate-limited).

    event_uid is the identity. about: the container it speaks of (queue-proxy's readiness speaks
    of the model's container).
    while_: starting or serving.
    """

    event_uid: str
    model: ModelKey
    model_uid: str
    replica: str
    replica_uid: str
    container: str
    about: str
    probe: str
    while_: str
    count: int
    first_at: datetime
    at: datetime
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptObject:
    """The newest record of a live object, or None once it is gone: what the next follower starts
    from."""

    resource: Resource
    uid: str
    namespace: str
    name: str
    record: Record | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaRow:
    """A replica as kept. `facts` is the folded evidence as plain JSON values (an open set, read
    back by the ledger alone)."""

    uid: str
    model: ModelKey
    model_uid: str
    revision: str
    revision_uid: str
    name: str
    role: str
    node: str | None
    created_at: datetime
    ready: bool
    ready_at: datetime | None
    gone_at: datetime | None
    gpus: int
    facts: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRow:
    """A revision as kept: a Knative Revision, or the ReplicaSet / LeaderWorkerSet of a Standard
    or LLM model.

    source: knative, replicaset, leaderworkerset. traffic_percent: None where the cluster says
    nothing (Standard, LLM).
    """

    uid: str
    model: ModelKey
    model_uid: str
    name: str
    source: str
    number: str
    image: str
    created_at: datetime
    gone_at: datetime | None
    traffic_percent: int | None
    min_scale: int | None
    max_scale: int | None
    ready: bool | None
    ready_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """What the objects say of one model now; with history's percentiles it makes the fleet row.

    state_code, state_params: why, as a code with parameters (text is made at the edge).
    replicas desired/min/max: None where unknown. current_revision: the one with the most traffic,
    else the newest ready.
    """

    key: ModelKey
    uid: str
    mode: Mode
    created_at: datetime
    state: State
    state_code: str
    state_params: dict[str, object]
    served_names: tuple[str, ...]
    url: str
    runtime: str
    team: str | None
    environment: str | None
    ready: int
    desired: int | None
    min: int | None
    max: int | None
    current_revision: str
    current_revision_uid: str
    current_revision_created_at: datetime | None
    traffic: tuple[TrafficTarget, ...]
    gone_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTaken:
    """A service that is not taken for vLLM, with the rule that failed (a code)."""

    key: ModelKey
    uid: str
    rule: str
    detail: str
    gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What one batch changed in one cluster."""

    objects: tuple[KeptObject, ...] = ()
    models: tuple[ModelStatus, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    revisions: tuple[RevisionRow, ...] = ()
    replicas: tuple[ReplicaRow, ...] = ()
    starts: tuple[ColdStart, ...] = ()
    scale_events: tuple[ScaleEvent, ...] = ()
    probe_failures: tuple[ProbeFailure, ...] = ()
