"""All that belongs to one model, by name: its record, revisions, workloads, replicas."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.ledger.delta import (
    ModelStatus,
    NotTaken,
    RevisionRow,
)
from fleet.domain.records.common import Moved
from fleet.domain.records.events import EventRecord
from fleet.domain.records.keys import Mode, ModelKey
from fleet.domain.records.serving import (
    AutoscalerRecord,
    Container,
    HorizontalAutoscalerRecord,
    ModelRecord,
    RevisionRecord,
)
from fleet.domain.records.workload import PodRecord, WorkloadRecord


@dataclass(slots=True)
class Replica:
    """One replica: what is kept of it, and hashes of what was last said of it.

    row: of its row. said: by attempt, of its starts. probes: by Event, of its probe failures.
    events: of its Events, the highest count taken in. unhealthy: those not yet said.
    """

    evidence: Evidence
    row: int = 0
    said: dict[int, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    unhealthy: dict[str, EventRecord] = field(default_factory=dict)
    probes: dict[str, int] = field(default_factory=dict)

    @property
    def is_live(self) -> bool:
        """Neither gone nor asked to go."""
        return self.evidence.ended is None


@dataclass(slots=True, frozen=True)
class Wished:
    """A wish that moved, to be said as a scale event. reason: of the autoscaler's Active."""

    uid: str
    move: Moved
    source: str
    revision: str
    revision_uid: str
    reason: str = ""


@dataclass(slots=True)
class Group:
    """One model by name. `record` is None while only its children are known, or after it is gone.

    taken: for vLLM, once it was; its replicas are followed to their end even without the model.
    leaders: uid of each LeaderWorkerSet group's leader, by the group's name; members: the leader's
    uid by that of a worker; waiting: workers of groups whose leader is not known yet. routed: per
    revision name since when it is routable (our clock; 0 = since before we looked).
    """

    key: ModelKey
    record: ModelRecord | None = None
    revisions: dict[str, RevisionRecord] = field(default_factory=dict)
    autoscalers: dict[str, AutoscalerRecord] = field(default_factory=dict)
    workloads: dict[str, WorkloadRecord] = field(default_factory=dict)
    scalers: dict[str, HorizontalAutoscalerRecord] = field(default_factory=dict)
    replicas: dict[str, Replica] = field(default_factory=dict)
    leaders: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)
    waiting: dict[str, dict[str, tuple[PodRecord, float]]] = field(default_factory=dict)
    pod_containers: tuple[Container, ...] = ()
    routed: dict[str, float] = field(default_factory=dict)
    wishes: list[Wished] = field(default_factory=list)
    active: set[str] = field(default_factory=set)
    unheard: set[str] = field(default_factory=set)
    taken: bool = False
    farewells: list[ModelStatus] = field(default_factory=list)
    farewells_not: list[NotTaken] = field(default_factory=list)
    said: ModelStatus | None = None
    said_not: NotTaken | None = None
    said_revisions: dict[str, RevisionRow] = field(default_factory=dict)

    @property
    def mode(self) -> Mode:
        """As stated; where nothing states it, a Deployment that the model owns directly means
        Standard. Source: kserve pkg/controller/v1beta1/inferenceservice/components/predictor.go."""
        if self.record is None:
            return Mode.LLM if self.key.kind == "LLMInferenceService" else Mode.KNATIVE
        if not self.record.mode_stated and self.record.mode is Mode.KNATIVE:
            owners = {item.meta.owner_kind for item in self.tops()}
            return Mode.STANDARD if "InferenceService" in owners else Mode.KNATIVE
        return self.record.mode

    def tops(self) -> Iterator[WorkloadRecord]:
        """Deployments and LeaderWorkerSets: what holds the wish for replicas."""
        return (item for item in self.workloads.values() if item.kind != "ReplicaSet")

    def live(self) -> Iterator[Replica]:
        """Replicas that are there to stay."""
        return (replica for replica in self.replicas.values() if replica.is_live)

    def part_with(self) -> None:
        """The model is gone, though its children may not be yet."""
        self.record, self.said, self.said_not = None, None, None
        self.routed.clear()
        self.wishes.clear()

    def is_empty(self) -> bool:
        """Nothing left to remember."""
        parts = (self.revisions, self.autoscalers, self.workloads, self.scalers, self.replicas)
        return self.record is None and not any(parts) and not self.wishes
