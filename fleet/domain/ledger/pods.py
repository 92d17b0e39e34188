"""Pods and their Events on the way into replicas."""

from collections import OrderedDict, deque
from dataclasses import dataclass, field

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.fold_event import FOLDED, fold_event
from fleet.domain.coldstart.fold_pod import drop_member, fold_member, fold_pod
from fleet.domain.coldstart.sight import Sight, clock_ahead_s
from fleet.domain.ledger.context import name_revision
from fleet.domain.ledger.group import Group, Replica
from fleet.domain.ledger.places import is_newer
from fleet.domain.records.events import EventRecord
from fleet.domain.records.workload import PodRecord

# A pod that a watch brings this long after its birth was not watched being born.
LATE_S = 5.0
EARLY_EVENTS_AT_MOST = 5_000
MEMBERS_WAITING_AT_MOST = 256
EVENTS_A_REPLICA_AT_MOST = 200


@dataclass(slots=True)
class Clocks:
    """How late the API server's stamps come, over the last births that a watch brought."""

    lags: deque[float] = field(default_factory=lambda: deque(maxlen=32))

    def born(self, created: float, *, at: float) -> None:
        """One more birth."""
        self.lags.append(at - created)

    @property
    def ahead_s(self) -> float:
        """By how much the API server's clock runs ahead of ours."""
        if not self.lags:
            return 0.0
        return clock_ahead_s(min(self.lags), max(self.lags), len(self.lags))


@dataclass(slots=True)
class EarlyEvents:
    """Events of pods that are not known yet: watches cross. The oldest go first."""

    waiting: OrderedDict[str, list[tuple[EventRecord, float, bool]]] = field(
        default_factory=OrderedDict
    )
    held: int = 0

    def keep(self, event: EventRecord, *, at: float, live: bool) -> None:
        """Hold one back."""
        self.waiting.setdefault(event.object_uid, []).append((event, at, live))
        self.held += 1
        while self.held > EARLY_EVENTS_AT_MOST:
            _, dropped = self.waiting.popitem(last=False)
            self.held -= len(dropped)

    def of(self, uid: str) -> list[tuple[EventRecord, float, bool]]:
        """What was held back for a pod, in the order it came."""
        found = self.waiting.pop(uid, [])
        self.held -= len(found)
        return found


def is_ours(event: EventRecord) -> bool:
    """Whether an Event tells something of a start or of probes."""
    return event.object_kind == "Pod" and event.reason in FOLDED


def take_event(replica: Replica, event: EventRecord, *, at: float, live: bool) -> bool:
    """Fold an Event into its replica, or into the worker of the group that it speaks of; False for
    one that is known already."""
    uid = event.meta.uid
    if replica.events.get(uid, 0) >= event.count:
        return False
    if len(replica.events) >= EVENTS_A_REPLICA_AT_MOST and uid not in replica.events:
        return False
    replica.events[uid] = event.count
    evidence = replica.evidence.members.get(event.object_uid, replica.evidence)
    fold_event(evidence, event, at=at, live=live)
    if event.reason == "Unhealthy":
        replica.unhealthy[uid] = event
    return True


def new_replica(
    pod: PodRecord, *, at: float, seen: bool, first_look: bool, ahead_s: float
) -> Replica:
    """A replica not known before. first_look: the first list of all shows pods of any age."""
    created = pod.meta.created_at.timestamp()
    evidence = Evidence(uid=pod.meta.uid, created=created, plane_ahead_s=ahead_s)
    if seen and at - (created - ahead_s) <= LATE_S:
        evidence.added = Sight(created, None, at)
    else:
        evidence.first = "list" if first_look else "gap"
    return Replica(evidence)


def take_pod(group: Group, replica: Replica, pod: PodRecord, *, at: float) -> bool:
    """Fold a pod into its replica; False for a message that is no news."""
    evidence = replica.evidence
    known = evidence.resource_version
    if known and not is_newer(pod.meta.resource_version, known):
        return False
    evidence.resource_version = pod.meta.resource_version
    evidence.model_uid = evidence.model_uid or (group.record.meta.uid if group.record else "")
    fold_pod(evidence, pod, at=at)
    name_revision(group, evidence, pod.revision, pod.revision_uid)
    return True


def take_member(group: Group, pod: PodRecord, *, at: float) -> str | None:
    """A worker of a LeaderWorkerSet group: its leader's uid, or None while that is not known."""
    uid = pod.meta.uid
    leader = group.replicas.get(group.members.get(uid) or group.leaders.get(pod.group, ""))
    if leader is not None:
        return leader.evidence.uid if _join(group, leader, pod, at=at) else None
    held = sum(len(members) for members in group.waiting.values())
    if held < MEMBERS_WAITING_AT_MOST:
        group.waiting.setdefault(pod.group, {})[uid] = (pod, at)
    return None


def _join(group: Group, leader: Replica, pod: PodRecord, *, at: float) -> bool:
    """Whether it was news of a worker of this leader."""
    known = leader.evidence.members.get(pod.meta.uid)
    if known is not None and not is_newer(pod.meta.resource_version, known.resource_version):
        return False
    if not fold_member(leader.evidence, pod, at=at):
        return False
    group.members[pod.meta.uid] = leader.evidence.uid
    return True


def member_gone(group: Group, uid: str) -> str | None:
    """A worker is gone: its leader's uid, None if it is no worker that we know."""
    leader = group.replicas.get(group.members.pop(uid, ""))
    for waiting in group.waiting.values():
        waiting.pop(uid, None)
    if leader is None:
        return None
    drop_member(leader.evidence, uid)
    return leader.evidence.uid


def lead(group: Group, pod: PodRecord) -> None:
    """A leader has come: its workers may have come before it."""
    if not pod.group:
        return
    group.leaders[pod.group] = pod.meta.uid
    for member, at in group.waiting.pop(pod.group, {}).values():
        _join(group, group.replicas[pod.meta.uid], member, at=at)


def end_replica(replica: Replica, *, at: float, unseen_since: float | None) -> None:
    """The pod is gone; unseen if it went while nobody watched."""
    evidence = replica.evidence
    there = max(evidence.looked, unseen_since or 0.0) or None
    evidence.gone = Sight(None, there, at)
    evidence.unseen_end = unseen_since is not None and evidence.deleted is None
    evidence.ready_now = False
