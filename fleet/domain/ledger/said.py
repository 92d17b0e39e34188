"""What differs from what was said last, model by model."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from fleet.domain.coldstart.evidence import facts_of
from fleet.domain.coldstart.measure import is_in_flight, measure, measure_attempts
from fleet.domain.coldstart.moments import Reader
from fleet.domain.coldstart.start import ColdStart
from fleet.domain.ledger.attributes import set_attributes
from fleet.domain.ledger.codes import NotTakenRule
from fleet.domain.ledger.context import set_deadline, set_demand, set_node
from fleet.domain.ledger.delta import (
    Delta,
    KeptObject,
    ModelStatus,
    NotTaken,
    ProbeFailure,
    ReplicaRow,
    RevisionRow,
    ScaleEvent,
)
from fleet.domain.ledger.detect import verdict
from fleet.domain.ledger.group import Group, Replica
from fleet.domain.ledger.listening import note_unheard
from fleet.domain.ledger.probes import failures_of
from fleet.domain.ledger.revisions import changed_rows
from fleet.domain.ledger.routes import set_routed
from fleet.domain.ledger.scaling import scale_events
from fleet.domain.ledger.settings import LedgerSettings
from fleet.domain.ledger.status import status_of
from fleet.domain.records.serving import ModelRecord, RuntimeRecord
from fleet.domain.records.workload import NamespaceRecord, NodeRecord

# Children of a new model are made within this time; until then nothing is said against it.
JUDGED_AFTER_S = 60.0
# A route that has not opened by then is not waited for.
ROUTE_WITHIN_S = 600.0


@dataclass(slots=True)
class Saying:
    """Gathers one delta."""

    now: datetime
    settings: LedgerSettings
    objects: list[KeptObject] = field(default_factory=list)
    models: list[ModelStatus] = field(default_factory=list)
    not_taken: list[NotTaken] = field(default_factory=list)
    revisions: list[RevisionRow] = field(default_factory=list)
    replicas: list[ReplicaRow] = field(default_factory=list)
    starts: list[ColdStart] = field(default_factory=list)
    scale_events: list[ScaleEvent] = field(default_factory=list)
    probe_failures: list[ProbeFailure] = field(default_factory=list)

    def delta(self) -> Delta:
        """What was gathered."""
        return Delta(
            objects=tuple(self.objects),
            models=tuple(self.models),
            not_taken=tuple(self.not_taken),
            revisions=tuple(self.revisions),
            replicas=tuple(self.replicas),
            starts=tuple(self.starts),
            scale_events=tuple(self.scale_events),
            probe_failures=tuple(self.probe_failures),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What lies outside of the group."""

    runtime: RuntimeRecord | None
    namespace: NamespaceRecord | None
    nodes: dict[str, NodeRecord]


def say(group: Group, around: Surroundings, saying: Saying) -> None:
    """Everything of one model that differs. A model that is gone still has replicas that end."""
    _farewells(group, saying)
    record = group.record
    if record is None and not group.taken:
        return
    if record is not None and not _is_taken(group, record, around, saying):
        return
    _replicas(group, around, saying)
    saying.scale_events.extend(scale_events(group))
    saying.revisions.extend(changed_rows(group, now=saying.now))
    if record is not None:
        _status(group, record, around, saying)


def _farewells(group: Group, saying: Saying) -> None:
    """Models of this name that are gone."""
    saying.models.extend(group.farewells)
    saying.not_taken.extend(group.farewells_not)
    group.farewells.clear()
    group.farewells_not.clear()


def _is_taken(group: Group, record: ModelRecord, around: Surroundings, saying: Saying) -> bool:
    """Once taken, a model stays so: its objects come and go."""
    if group.said is not None and group.said.uid == record.meta.uid:
        return True
    refused = verdict(group, around.runtime)
    group.taken = refused is None
    if refused is None:
        _retract(group, saying)
        return True
    group.wishes.clear()
    young = (saying.now - record.meta.created_at).total_seconds() < JUDGED_AFTER_S
    if refused[0] is NotTakenRule.NOTHING_SEEN and young:
        return False
    said = NotTaken(key=group.key, uid=record.meta.uid, rule=refused[0].value, detail=refused[1])
    if said != group.said_not:
        group.said_not = said
        saying.not_taken.append(said)
    return False


def _retract(group: Group, saying: Saying) -> None:
    if group.said_not is not None:
        saying.not_taken.append(replace(group.said_not, gone=True))
        group.said_not = None


def _replicas(group: Group, around: Surroundings, saying: Saying) -> None:
    now = saying.now.timestamp()
    for uid in sorted(group.active):
        replica = group.replicas.get(uid)
        if replica is None:
            group.active.discard(uid)
            continue
        evidence = replica.evidence
        evidence.model_uid = evidence.model_uid or (group.record.meta.uid if group.record else "")
        set_demand(group, evidence)
        set_deadline(group, evidence)
        for pod in evidence.pods():
            set_node(pod, around.nodes.get(pod.node))
        set_attributes(group, evidence)
        set_routed(group, evidence)
        saying.starts.extend(_starts(group, replica, now=now))
        saying.probe_failures.extend(failures_of(group, replica))
        row = row_of(group, replica)
        if row_hash(row) != replica.row:
            replica.row = row_hash(row)
            saying.replicas.append(row)
        if not _is_open(replica, now=now):
            note_unheard(group, evidence)
            group.active.discard(uid)


def _starts(group: Group, replica: Replica, *, now: float) -> Iterator[ColdStart]:
    """Measured again; said if more than the running clock differs."""
    evidence, cluster = replica.evidence, group.key.cluster
    first = measure(evidence, cluster=cluster, now=now)
    for start in (first, *measure_attempts(evidence, cluster=cluster, now=now)):
        standing = hash((_still(start), repr(start.log)))
        if replica.said.get(start.attempt) != standing:
            replica.said[start.attempt] = standing
            yield start


def _still(start: ColdStart) -> ColdStart:
    """Without what only follows the clock."""
    if not is_in_flight(start):
        return start
    phases = tuple(
        replace(span, seconds=0.0) if span.ended_at is None else span for span in start.phases
    )
    return replace(start, total_s=None, phases=phases)


def _is_open(replica: Replica, *, now: float) -> bool:
    """Whether other objects than the pod may still change what is said of it."""
    evidence = replica.evidence
    if evidence.gone is not None:
        return False
    if evidence.ready is None or not evidence.fixed or evidence.waits_for_members:
        return True
    waits = evidence.routed is None and now - evidence.ready.by < ROUTE_WITHIN_S
    again = bool(evidence.attempts) and evidence.attempts[-1].ready is None
    return evidence.deleted is None and (waits or again)


def row_of(group: Group, replica: Replica) -> ReplicaRow:
    """A replica as kept. Ready before it was first looked at: since the moment of its stamp."""
    evidence = replica.evidence
    ready = Reader(evidence).node(evidence.ready, prompt=True)
    return ReplicaRow(
        uid=evidence.uid,
        model=group.key,
        model_uid=evidence.model_uid,
        revision=evidence.revision,
        revision_uid=evidence.revision_uid,
        name=evidence.name,
        role=evidence.role,
        node=evidence.node or None,
        created_at=_time(evidence.created),
        ready=evidence.ready_now,
        ready_at=_time(ready.at) if ready else None,
        gone_at=_time(evidence.gone.by) if evidence.gone else None,
        gpus=evidence.gpus,
        facts=facts_of(evidence),
    )


def row_hash(row: ReplicaRow) -> int:
    """Changes with whatever the row says; facts are all that a row is made of."""
    return hash((row.model, row.revision_uid, repr(row.facts)))


def _time(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _status(group: Group, record: ModelRecord, around: Surroundings, saying: Saying) -> None:
    status = status_of(
        group,
        record,
        in_flight(group, now=saying.now.timestamp()),
        namespace=around.namespace,
        settings=saying.settings,
    )
    if status != group.said:
        group.said = status
        saying.models.append(status)


def in_flight(group: Group, *, now: float) -> list[ColdStart]:
    """Starts of live replicas that have not ended, the last attempt of each."""
    found = []
    for replica in group.live():
        evidence = replica.evidence
        attempts = list(measure_attempts(evidence, cluster=group.key.cluster, now=now))
        last = attempts[-1] if attempts else None
        if last is None and (evidence.ready is None or evidence.waits_for_members):
            last = measure(evidence, cluster=group.key.cluster, now=now)
        if last is not None and is_in_flight(last):
            found.append(last)
    return found
