"""What surrounds a replica in its model: why it was wanted, what holds it up, since when routed."""

from collections.abc import Iterator

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.moments import Reader
from fleet.domain.coldstart.phases import created_at
from fleet.domain.coldstart.sight import Sight
from fleet.domain.coldstart.start import Trigger
from fleet.domain.coldstart.trigger import CROSS_GAP_S, Context, demand_of
from fleet.domain.ledger.group import Group
from fleet.domain.records.common import Condition, Moved, What, condition
from fleet.domain.records.keys import Mode
from fleet.domain.records.serving import AutoscalerRecord
from fleet.domain.records.workload import NodeRecord, WorkloadRecord

# Messages about a birth are all in by then.
FIXED_AFTER_S = 10.0
# A sibling that went this close to a falling wish was scaled away.
FALL_NEAR_S = 5.0
# Siblings whose births lie closer together were wished for together.
ELDER_BY_S = 2.0


def owner_of(group: Group, evidence: Evidence) -> WorkloadRecord | None:
    """The ReplicaSet that made the pod, if it is known."""
    return group.workloads.get(evidence.owner_uid)


def top_of(group: Group, evidence: Evidence) -> WorkloadRecord | None:
    """The Deployment or LeaderWorkerSet above: by owner, else by revision, else by role."""
    owner = owner_of(group, evidence)
    if owner is not None and owner.kind != "ReplicaSet":
        return owner
    if owner is not None and owner.meta.owner_uid in group.workloads:
        return group.workloads[owner.meta.owner_uid]
    for top in group.tops():
        if evidence.revision_uid and top.revision_uid == evidence.revision_uid:
            return top
        if group.mode is not Mode.KNATIVE and top.role == evidence.role:
            return top
    return None


def autoscaler_of(group: Group, revision_uid: str) -> AutoscalerRecord | None:
    """The PodAutoscaler of a Revision."""
    found = (a for a in group.autoscalers.values() if a.meta.owner_uid == revision_uid)
    return next(found, None)


def name_revision(group: Group, evidence: Evidence, revision: str, revision_uid: str) -> None:
    """A Knative Revision by the pod's labels, else the ReplicaSet or LeaderWorkerSet."""
    if revision:
        evidence.revision, evidence.revision_uid = revision, revision_uid
        return
    part = owner_of(group, evidence) or top_of(group, evidence)
    if part is not None:
        evidence.revision, evidence.revision_uid = part.meta.name, part.meta.uid


def set_demand(group: Group, evidence: Evidence) -> None:
    """Trigger and moment of the demand, until all messages about the birth must be in."""
    if evidence.fixed:
        return
    born = created_at(evidence).at
    demand = demand_of(_context(group, evidence, born))
    if demand.trigger is not Trigger.UNKNOWN or evidence.trigger == Trigger.UNKNOWN:
        evidence.trigger, evidence.demand = demand.trigger.value, demand.at
        evidence.origin = demand.origin
    in_gap = evidence.first == "gap" and evidence.trigger == Trigger.UNKNOWN
    told = born if evidence.demand is None else max(born, evidence.demand.by)
    evidence.fixed = evidence.looked - told > (CROSS_GAP_S if in_gap else FIXED_AFTER_S)


def _context(group: Group, evidence: Evidence, born: float) -> Context:
    owner, top = owner_of(group, evidence), top_of(group, evidence)
    scaler = autoscaler_of(group, evidence.revision_uid)
    revision = group.revisions.get(evidence.revision_uid)
    pins = (*(revision.moves if revision else ()), *(scaler.moves if scaler else ()))
    above = top.moves if top else ()
    return Context(
        created=born,
        nth=_nth(group, evidence, born),
        born_unseen=evidence.first != "watch",
        owner=owner.moves if owner is not None and owner is not top else above,
        top=above,
        scaler=scaler.moves if scaler else (),
        pins=sorted(pins, key=lambda move: move.at),
        asked=group.record.moves if group.record else (),
        elders=_nth(group, evidence, born, by=born - ELDER_BY_S) - 1,
        lost=tuple(_lost(group, evidence, owner or top, born=born)),
        readied=tuple(_readied(group, evidence)),
        born=revision.moves if revision else (),
        scaler_wish=scaler.desired_scale if scaler else None,
        top_created=top.meta.created_at.timestamp() if top else None,
        knative=group.mode is Mode.KNATIVE,
    )


def _nth(group: Group, evidence: Evidence, born: float, *, by: float | None = None) -> int:
    """The how-manieth living pod of its owner this one was when it was made. Those of one moment
    are counted by name, so that each has a number of its own. by: of those born before that."""
    mine = (born if by is None else by, evidence.name)
    before = 0
    for replica in group.replicas.values():
        other = replica.evidence
        if other.owner_uid != evidence.owner_uid or other.uid == evidence.uid:
            continue
        first = (created_at(other).at, other.name) < mine
        before += first and not _had_ended(other, evidence, born)
    return before + 1


def _lost(
    group: Group, evidence: Evidence, owner: WorkloadRecord | None, *, born: float
) -> Iterator[float]:
    """When siblings ended though nobody wanted fewer."""
    falls = [m.at.timestamp() for m in (owner.moves if owner else ()) if _falls(m)]
    for replica in group.replicas.values():
        other = replica.evidence
        ended = other.ended
        if other.uid == evidence.uid or other.owner_uid != evidence.owner_uid or ended is None:
            continue
        if not any(abs(ended.by - fall) <= FALL_NEAR_S for fall in falls):
            yield _ended_at(other, evidence, born)


def _ended_at(other: Evidence, evidence: Evidence, born: float) -> float:
    """On our clock; never after the birth of a pod that it was followed by."""
    ended = other.ended
    assert ended is not None
    if not _had_ended(other, evidence, born):
        return ended.by
    at = Reader(other).plane(ended)
    return min(at.at if at is not None else ended.by, born)


def _had_ended(other: Evidence, evidence: Evidence, born: float) -> bool:
    """Whether a sibling had ended when a pod was born. One watch is in order, however late it is
    read; what went in a gap went before whatever was born in it, if it can have."""
    ended = other.ended
    if ended is None:
        return False
    if evidence.added is not None and ended.by <= evidence.added.by:
        return True
    if other.unseen_end and (ended.after or 0.0) <= born:
        return True
    return ended.by <= born


def _readied(group: Group, evidence: Evidence) -> Iterator[float]:
    """When siblings of the same revision became ready."""
    for replica in group.replicas.values():
        other = replica.evidence
        if other.ready is not None and other.revision_uid == evidence.revision_uid:
            yield other.ready.by


def _falls(move: Moved) -> bool:
    return move.what == What.WISH and (move.to or 0) < (move.from_ or 0)


def set_deadline(group: Group, evidence: Evidence) -> None:
    """Whether the rollout that the replica belongs to was declared failed while it started."""
    if evidence.ready is not None or evidence.ended is not None:
        return
    declared = _declared(group, evidence)
    if declared is None or declared.changed_at is None:
        return
    stamp = declared.changed_at.timestamp()
    if stamp >= evidence.created - 1.0:
        evidence.deadline = Sight(stamp, None, stamp)


def _declared(group: Group, evidence: Evidence) -> Condition | None:
    """Of the Deployment, if the pod is of its newest ReplicaSet; else of the Revision."""
    top, owner = top_of(group, evidence), owner_of(group, evidence)
    newest = top is None or owner is None or _is_newest(owner, top)
    progress = condition(top.conditions, "Progressing") if top is not None and newest else None
    if progress is not None and past_deadline(progress):
        return progress
    revision = group.revisions.get(evidence.revision_uid)
    available = condition(revision.conditions, "ResourcesAvailable") if revision else None
    return available if available is not None and past_deadline(available) else None


def _is_newest(owner: WorkloadRecord, top: WorkloadRecord) -> bool:
    """A new Deployment is not numbered yet."""
    return top.revision_number in {"", owner.revision_number}


def past_deadline(seen: Condition) -> bool:
    """Source: kubernetes pkg/controller/deployment/util, reason ProgressDeadlineExceeded; Knative
    copies it."""
    return seen.status == "False" and seen.reason == "ProgressDeadlineExceeded"


def set_node(evidence: Evidence, node: NodeRecord | None) -> None:
    """Its pool, and whether it was made for the pod: it is younger then, whoever made it."""
    if node is not None and node.pool:
        evidence.pool = node.pool
    if node is None or evidence.node_born is not None or evidence.unschedulable is None:
        return
    born = node.meta.created_at.timestamp()
    if born > evidence.created + 1.0:
        evidence.node_born = born
