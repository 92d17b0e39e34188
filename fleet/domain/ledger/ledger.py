"""All that is known of one cluster, in memory, folded from changes."""

from collections.abc import Iterable
from datetime import datetime
from typing import Self

from fleet.domain.coldstart.evidence import evidence_of
from fleet.domain.coldstart.heard import Heard
from fleet.domain.ledger.delta import Delta, KeptObject, ReplicaRow
from fleet.domain.ledger.group import Group, Replica
from fleet.domain.ledger.intake import Intake, Look
from fleet.domain.ledger.listening import LogWanted, hear, logs_wanted
from fleet.domain.ledger.places import Place
from fleet.domain.ledger.said import Saying, Surroundings, row_hash, say
from fleet.domain.ledger.settings import LedgerSettings
from fleet.domain.records.change import Change, ChangeType, Listed
from fleet.domain.records.events import EventRecord
from fleet.domain.records.keys import Resource

_ORDER = {resource: at for at, resource in enumerate(Resource)}


class Ledger:
    """All that is known of one cluster. No I/O; the clock is an argument; not thread-safe."""

    def __init__(self, cluster: str, *, settings: LedgerSettings | None = None) -> None:
        self.cluster = cluster
        self.settings = settings or LedgerSettings()
        self._intake = Intake(cluster)

    @classmethod
    def restore(
        cls,
        cluster: str,
        *,
        objects: Iterable[KeptObject],
        replicas: Iterable[ReplicaRow],
        settings: LedgerSettings | None = None,
    ) -> Self:
        """A ledger that goes on where the last one ended, from what its deltas said.

        replicas: those that are not gone, and those gone for less than `keep_gone_s`. Facts that
        cannot be read (of another version) are dropped: their pods are met as new ones.
        """
        ledger = cls(cluster, settings=settings)
        for kept in sorted(objects, key=lambda item: _ORDER[item.resource]):
            if kept.record is not None:
                ledger._intake.restore_object(kept.resource, kept.record)
        for row in replicas:
            ledger._restore_replica(row)
        ledger._intake.after_restore()
        return ledger

    def _restore_replica(self, row: ReplicaRow) -> None:
        try:
            evidence = evidence_of(row.facts)
        except (KeyError, TypeError, ValueError, IndexError):
            return
        place = Place(row.model.kind, row.model.namespace, row.model.name)
        self._intake.restore_replica(place, Replica(evidence, row=row_hash(row)))

    def apply(self, message: Change | Listed) -> None:
        """Take in one message; cheap; a replay is harmless."""
        if isinstance(message, Listed):
            self._intake.listed(message)
            return
        look = Look(at=message.received_at, seen=True)
        if isinstance(message.record, EventRecord):
            if message.type is not ChangeType.DELETED:
                self._intake.event(message.record, look)
        elif message.type is ChangeType.DELETED:
            self._intake.deleted(message.resource, message.record, look)
        else:
            if message.type is ChangeType.ADDED:
                self._intake.born(message.resource, message.record, look)
            self._intake.take(message.resource, message.record, look)

    def logs_wanted(self, *, now: datetime) -> tuple[LogWanted, ...]:
        """Logs that tell of starts: those under way, and once at the end of each."""
        groups = self._intake.places.groups.values()
        at = now.timestamp()
        return tuple(wanted for group in groups for wanted in logs_wanted(group, now=at))

    def heard(self, uid: str, attempt: int, heard: Heard) -> None:
        """What the log of a replica's server says; a replay is harmless."""
        place = self._intake.places.by_uid.get(uid)
        group = self._intake.places.groups.get(place) if place is not None else None
        if place is not None and group is not None and hear(group, uid, attempt, heard=heard):
            group.active.add(group.members.get(uid, uid))
            self._intake.touched.add(place)

    def settle(self, *, now: datetime) -> Delta:
        """What became different since the last call, measured again where it was touched."""
        return self._settle(self._intake.touched, now=now)

    def settle_running(self, *, now: datetime) -> Delta:
        """As `settle`, and also what differs because time passed: starts that run, models that
        nothing was known of, replicas that are gone long enough to be forgotten."""
        groups = self._intake.places.groups
        open_ = {place for place, group in groups.items() if _waits(group)}
        delta = self._settle(self._intake.touched | open_, now=now)
        self._forget(now)
        return delta

    def settle_all(self, *, now: datetime) -> Delta:
        """As `settle_running`, and every start that still runs is said again as of `now`."""
        for group in self._intake.places.groups.values():
            for uid in group.active & group.replicas.keys():
                group.replicas[uid].said.clear()
        return self.settle_running(now=now)

    def _settle(self, touched: set[Place], *, now: datetime) -> Delta:
        saying = Saying(now, self.settings)
        for place in sorted(touched):
            group = self._intake.places.groups.get(place)
            if group is not None:
                say(group, self._around(group), saying)
        saying.objects.extend(self._intake.dirty.values())
        self._intake.dirty.clear()
        self._intake.touched.clear()
        return saying.delta()

    def _around(self, group: Group) -> Surroundings:
        intake = self._intake
        return Surroundings(
            runtime=intake.runtime_of(group),
            namespace=intake.namespaces.get(group.key.namespace),
            nodes=intake.nodes,
        )

    def _forget(self, now: datetime) -> None:
        """Replicas gone for long, and groups with nothing in them."""
        limit = now.timestamp() - self.settings.keep_gone_s
        groups = self._intake.places.groups
        for place in list(groups):
            group = groups[place]
            for uid, replica in list(group.replicas.items()):
                gone = replica.evidence.gone
                if gone is not None and gone.by < limit and uid not in group.active:
                    group.unheard.discard(uid)
                    self._intake.forget_replica(group, uid)
            if group.is_empty():
                del groups[place]


def _waits(group: Group) -> bool:
    """Whether time alone may change something."""
    return bool(group.active) or (group.record is not None and group.said is None)
