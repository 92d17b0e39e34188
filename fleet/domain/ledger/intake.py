"""Messages on the way into the groups: which object, is it news, what does it touch."""

from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.ledger.delta import KeptObject
from fleet.domain.ledger.group import Group, Replica
from fleet.domain.ledger.lists import missing
from fleet.domain.ledger.moves import with_moves
from fleet.domain.ledger.places import Place, Places, is_newer, part_of, place_of
from fleet.domain.ledger.pods import (
    Clocks,
    EarlyEvents,
    end_replica,
    is_ours,
    lead,
    member_gone,
    new_replica,
    take_event,
    take_member,
    take_pod,
)
from fleet.domain.ledger.routes import mark_routable
from fleet.domain.ledger.scaling import wishes_of_scaler, wishes_of_workload
from fleet.domain.records.change import Listed, Record
from fleet.domain.records.events import EventRecord
from fleet.domain.records.keys import Resource
from fleet.domain.records.serving import (
    AutoscalerRecord,
    HorizontalAutoscalerRecord,
    ModelRecord,
    RuntimeRecord,
)
from fleet.domain.records.workload import NamespaceRecord, NodeRecord, PodRecord, WorkloadRecord

GONE_AT_MOST = 20_000
# An object that a watch brings later than this after its creation is old, only new to us.
BORN_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One message. seen: a watch brought it, as it happened. unseen_since: for a list after a gap,
    when the gap began; None for the first look."""

    at: datetime
    seen: bool
    unseen_since: datetime | None = None

    @property
    def blind_since(self) -> float | None:
        """When the gap began that the look ends, None if there was none."""
        return self.unseen_since.timestamp() if self.unseen_since is not None else None

    @property
    def at_s(self) -> float:
        """Our clock, seconds since the epoch."""
        return self.at.timestamp()


class Intake:
    """Holds the groups and what lies around them; notes what was touched and what must be kept."""

    def __init__(self, cluster: str) -> None:
        self.places = Places(cluster)
        self.runtimes: dict[tuple[str, str], RuntimeRecord] = {}
        self.nodes: dict[str, NodeRecord] = {}
        self.namespaces: dict[str, NamespaceRecord] = {}
        self.known: dict[Resource, dict[str, Record | None]] = {item: {} for item in Resource}
        self.gone: OrderedDict[str, None] = OrderedDict()
        self.early = EarlyEvents()
        self.clocks = Clocks()
        self.touched: set[Place] = set()
        self.dirty: dict[str, KeptObject] = {}

    def born(self, resource: Resource, record: Record, look: Look) -> None:
        """A birth that a watch brought tells how late the API server's stamps come."""
        if record.meta.uid not in self.known[resource]:
            self.clocks.born(record.meta.created_at.timestamp(), at=look.at_s)

    def take(self, resource: Resource, record: Record, look: Look) -> None:
        """An object that exists."""
        if record.meta.uid in self.gone:
            return
        if isinstance(record, RuntimeRecord | NodeRecord | NamespaceRecord):
            self._take_around(resource, record)
            return
        place = self.places.of(record)
        if place is None:
            return
        group = self.places.group(place)
        if isinstance(record, PodRecord):
            self._take_pod(place, group, record, look)
        elif isinstance(record, ModelRecord):
            self._take_model(resource, group, record, look)
        else:
            self._take_part(resource, place, group, record, look)

    def _take_around(
        self, resource: Resource, record: RuntimeRecord | NodeRecord | NamespaceRecord
    ) -> None:
        old = self.known[resource].get(record.meta.uid)
        if old is not None and not _is_news(old, record):
            return
        self.known[resource][record.meta.uid] = record
        if isinstance(record, RuntimeRecord):
            self.runtimes[record.meta.namespace, record.meta.name] = record
        elif isinstance(record, NodeRecord):
            self.nodes[record.meta.name] = record
        else:
            self.namespaces[record.meta.name] = record
        if old is None or not _is_same(old, record):
            self._keep(resource, record)
            self._touch_around(record)

    def _touch_around(self, record: RuntimeRecord | NodeRecord | NamespaceRecord) -> None:
        """Models that use the runtime, or live in the namespace."""
        for place, group in self.places.groups.items():
            named = group.record.runtime if group.record is not None else ""
            uses = isinstance(record, RuntimeRecord) and named == record.meta.name
            lives = isinstance(record, NamespaceRecord) and place.namespace == record.meta.name
            if uses or lives:
                self.touched.add(place)

    def _take_model(
        self, resource: Resource, group: Group, record: ModelRecord, look: Look
    ) -> None:
        old, place = group.record, place_of(group)
        if old is not None and old.meta.uid != record.meta.uid:
            self._model_gone(group, look)
            old = None
        if old is not None and not _is_news(old, record):
            return
        born = self._is_born(record, look)
        group.record = with_moves(old, record, at=look.at, seen=look.seen, born=born)
        self.places.remember(place, record)
        self.known[resource][record.meta.uid] = group.record
        if old is None:
            group.active.update(group.replicas)
        if old is None or not _is_same(old, group.record):
            mark_routable(group, at=self._since(look), blind_since=look.blind_since)
            self._keep(resource, group.record)
            self.touched.add(place)

    def _take_part(
        self, resource: Resource, place: Place, group: Group, record: Any, look: Look
    ) -> None:
        parts = part_of(group, record)
        old = parts.get(record.meta.uid)
        if old is not None and not _is_news(old, record):
            return
        if not isinstance(record, HorizontalAutoscalerRecord):
            born = self._is_born(record, look)
            record = with_moves(old, record, at=look.at, seen=look.seen, born=born)
        parts[record.meta.uid] = record
        self.places.remember(place, record)
        self.known[resource][record.meta.uid] = record
        if old is None or not _is_same(old, record):
            self._part_moved(group, old, record, look)
            self._keep(resource, record)
            self.touched.add(place)

    def _part_moved(self, group: Group, old: Any, record: Any, look: Look) -> None:
        if isinstance(record, AutoscalerRecord):
            mark_routable(group, at=self._since(look), blind_since=look.blind_since)
            group.wishes.extend(wishes_of_scaler(old, record))
        elif isinstance(record, WorkloadRecord):
            group.wishes.extend(wishes_of_workload(group, old, record))

    def _since(self, look: Look) -> float:
        """When something that a look shows may be said to hold: a first list shows what held."""
        return look.at_s if look.seen or look.unseen_since is not None else 0.0

    def _is_born(self, record: Record, look: Look) -> bool:
        """Whether an object that we do not know is new, not only new to us."""
        created = record.meta.created_at.timestamp() - self.clocks.ahead_s
        if look.seen:
            return look.at_s - created <= BORN_WITHIN_S
        return look.unseen_since is not None and created >= look.unseen_since.timestamp() - 1.0

    def _take_pod(self, place: Place, group: Group, pod: PodRecord, look: Look) -> None:
        uid = pod.meta.uid
        self.known[Resource.PODS][uid] = None
        self.places.remember(place, pod)
        group.pod_containers = pod.declared or group.pod_containers
        if not pod.leader:
            leader = take_member(group, pod, at=look.at_s)
            if leader is not None:
                self._early_events(group.replicas[leader], of=uid)
                self._touch_replica(place, group, leader)
            return
        if uid not in group.replicas:
            self._new_replica(group, pod, look)
        if take_pod(group, group.replicas[uid], pod, at=look.at_s):
            self._early_events(group.replicas[uid], of=uid)
            self._touch_replica(place, group, uid)

    def _new_replica(self, group: Group, pod: PodRecord, look: Look) -> None:
        group.replicas[pod.meta.uid] = new_replica(
            pod,
            at=look.at_s,
            seen=look.seen,
            first_look=not look.seen and look.unseen_since is None,
            ahead_s=self.clocks.ahead_s,
        )
        lead(group, pod)

    def _early_events(self, replica: Replica, *, of: str) -> None:
        for event, at, live in self.early.of(of):
            take_event(replica, event, at=at, live=live)

    def _touch_replica(self, place: Place, group: Group, uid: str) -> None:
        group.active.add(uid)
        self.touched.add(place)

    def event(self, event: EventRecord, look: Look) -> None:
        """An Event; one about a pod that is not known yet is held back."""
        if not is_ours(event):
            return
        place = self.places.by_uid.get(event.object_uid)
        if place is None:
            if event.object_uid not in self.gone:
                self.early.keep(event, at=look.at_s, live=look.seen)
            return
        group = self.places.groups[place]
        uid = group.members.get(event.object_uid, event.object_uid)
        replica = group.replicas.get(uid)
        if replica is not None and take_event(replica, event, at=look.at_s, live=look.seen):
            self._touch_replica(place, group, uid)

    def deleted(self, resource: Resource, record: Record, look: Look) -> None:
        """The last state of an object that is gone."""
        uid = record.meta.uid
        if isinstance(record, PodRecord) and uid in self.places.by_uid and record.leader:
            place = self.places.by_uid[uid]
            take_pod(self.places.groups[place], self._replica(uid), record, at=look.at_s)
        self._end(resource, uid, look)

    def _replica(self, uid: str) -> Replica:
        return self.places.groups[self.places.by_uid[uid]].replicas[uid]

    def _end(self, resource: Resource, uid: str, look: Look) -> None:
        """However it was seen to go."""
        if uid in self.gone:
            return
        self.gone[uid] = None
        while len(self.gone) > GONE_AT_MOST:
            self.gone.popitem(last=False)
        record = self.known[resource].pop(uid, None)
        if resource is Resource.PODS:
            self._pod_gone(uid, look)
        elif record is not None:
            self._object_gone(resource, record, look)

    def _pod_gone(self, uid: str, look: Look) -> None:
        place = self.places.by_uid.get(uid)
        group = self.places.groups.get(place) if place is not None else None
        replica = group.replicas.get(uid) if group is not None else None
        if place is None or group is None or replica is None:
            self.places.forget(uid, None)
            leader = member_gone(group, uid) if group is not None else None
            if place is not None and group is not None and leader is not None:
                self._touch_replica(place, group, leader)
            return
        since = look.blind_since if not look.seen else None
        end_replica(replica, at=look.at_s, unseen_since=since)
        self._touch_replica(place, group, uid)

    def _object_gone(self, resource: Resource, record: Record, look: Look) -> None:
        uid = record.meta.uid
        self._keep(resource, record, gone=True)
        if isinstance(record, RuntimeRecord | NodeRecord | NamespaceRecord):
            self._around_gone(record)
            return
        place = self.places.by_uid.get(uid)
        self.places.forget(uid, record)
        if place is None or place not in self.places.groups:
            return
        group = self.places.groups[place]
        self.touched.add(place)
        if isinstance(record, ModelRecord):
            if group.record is not None and group.record.meta.uid == uid:
                self._model_gone(group, look)
            return
        part_of(group, record).pop(uid, None)

    def _around_gone(self, record: RuntimeRecord | NodeRecord | NamespaceRecord) -> None:
        if isinstance(record, RuntimeRecord):
            self.runtimes.pop((record.meta.namespace, record.meta.name), None)
        elif isinstance(record, NodeRecord):
            self.nodes.pop(record.meta.name, None)
        else:
            self.namespaces.pop(record.meta.name, None)

    def _model_gone(self, group: Group, look: Look) -> None:
        if group.said is not None:
            group.farewells.append(replace(group.said, gone_at=look.at))
        if group.said_not is not None:
            group.farewells_not.append(replace(group.said_not, gone=True))
        group.part_with()

    def listed(self, listed: Listed) -> None:
        """A whole list: what it shows exists, what it lacks has ended."""
        look = Look(at=listed.received_at, seen=False, unseen_since=listed.unseen_since)
        if listed.resource is Resource.EVENTS:
            for record in listed.records:
                if isinstance(record, EventRecord):
                    self.event(record, look)
            return
        for record in listed.records:
            self.take(listed.resource, record, look)
        for uid in list(missing(listed, self.known[listed.resource], self.places)):
            self._end(listed.resource, uid, look)

    def runtime_of(self, group: Group) -> RuntimeRecord | None:
        """The runtime that a model names: of its namespace, else of the cluster."""
        name = group.record.runtime if group.record is not None else ""
        return self.runtimes.get((group.key.namespace, name)) or self.runtimes.get(("", name))

    def _keep(self, resource: Resource, record: Record, *, gone: bool = False) -> None:
        meta = record.meta
        self.dirty[meta.uid] = KeptObject(
            resource=resource,
            uid=meta.uid,
            namespace=meta.namespace,
            name=meta.name,
            record=None if gone else record,
        )

    def restore_object(self, resource: Resource, record: Record) -> None:
        """A kept object, as it was; nothing moves by it."""
        if isinstance(record, RuntimeRecord | NodeRecord | NamespaceRecord):
            self._take_around(resource, record)
            return
        place = self.places.of(record)
        if place is None:
            return
        self.known[resource][record.meta.uid] = record
        group = self.places.group(place)
        self.places.remember(place, record)
        if isinstance(record, ModelRecord):
            group.record = record
        part_of(group, record)[record.meta.uid] = record

    def restore_replica(self, place: Place, replica: Replica) -> None:
        """A kept replica. Starts that had not ended are looked at again."""
        evidence = replica.evidence
        group = self.places.group(place)
        group.replicas[evidence.uid] = replica
        group.active.add(evidence.uid)
        group.taken = True
        if evidence.gone is None:
            self.places.by_uid[evidence.uid] = place
            self.known[Resource.PODS][evidence.uid] = None
            self._restore_members(place, group, evidence)
        else:
            self.gone[evidence.uid] = None

    def _restore_members(self, place: Place, group: Group, leader: Evidence) -> None:
        if leader.group:
            group.leaders[leader.group] = leader.uid
        for uid in leader.members:
            group.members[uid] = leader.uid
            self.places.by_uid[uid] = place
            self.known[Resource.PODS][uid] = None

    def after_restore(self) -> None:
        """What holds now held before; nothing is to be kept again."""
        for group in self.places.groups.values():
            mark_routable(group, at=0.0)
        self.dirty.clear()
        self.touched.clear()

    def forget_replica(self, group: Group, uid: str) -> None:
        """Gone for long."""
        del group.replicas[uid]
        self.places.forget(uid, None)
        for known in (group.leaders, group.members):
            for name in [name for name, leader in known.items() if leader == uid]:
                del known[name]


def _is_news(old: Record, new: Record) -> bool:
    return is_newer(new.meta.resource_version, old.meta.resource_version)


def _is_same(old: Any, new: Any) -> bool:
    """Whether nothing that we read differs but the resourceVersion."""
    version = new.meta.resource_version
    return bool(replace(old, meta=replace(old.meta, resource_version=version)) == new)
