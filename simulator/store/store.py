"""All objects of one simulated cluster, one resourceVersion counter, one watch history a kind.

For one thread (one asyncio loop): nothing here blocks, waits or locks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Literal, cast

from simulator.store.admission import AdmissionHook, AdmissionRequest
from simulator.store.edits import (
    DEFAULT_GRACE_S,
    deletion_marks,
    draft_of,
    newborn,
    released,
    settled,
    timestamp,
    with_generation,
    with_metadata,
)
from simulator.store.errors import AlreadyExists, Conflict, NotFound
from simulator.store.json_values import JsonObject, copied, shared
from simulator.store.managed_fields import Operation, Writer, updated
from simulator.store.resources import PODS, Resource
from simulator.store.shelf import Shelf
from simulator.store.versions import EventType, StoreEvent, Version

Listener = Callable[[StoreEvent], None]
Objects = list[JsonObject]
Versions = list[Version]
Events = list[StoreEvent]

# A fresh cluster has made its own objects already; so a resourceVersion of 1 is always too old.
FIRST_RESOURCE_VERSION = 1000
HISTORY_EVENTS = 20_000


class Store:
    """Objects by resource, namespace and name. What it returns is read-only for the caller."""

    def __init__(
        self,
        *,
        now: Callable[[], datetime],
        resources: Sequence[Resource],
        uid: Callable[[], str],
        history_events: int = HISTORY_EVENTS,
    ) -> None:
        """now: an aware UTC time; uid: a new unique id; history_events: kept per resource."""
        self.now = now
        self.resources = tuple(resources)
        self.admission: list[AdmissionHook] = []
        self.resource_version = FIRST_RESOURCE_VERSION
        self._uid = uid
        self._shelves = {
            each.group_resource: Shelf(
                each, history_events=history_events, floor=FIRST_RESOURCE_VERSION
            )
            for each in resources
        }
        self._listeners: list[Listener] = []
        self._undelivered: deque[StoreEvent] = deque()
        self._delivering = False

    def get(self, resource: Resource, namespace: str | None, name: str) -> JsonObject | None:
        """The object, or None."""
        version = self.version(resource, namespace, name)
        return version.object if version else None

    def version(self, resource: Resource, namespace: str | None, name: str) -> Version | None:
        return self._shelf(resource).version(namespace, name)

    def list(self, resource: Resource, namespace: str | None = None) -> Objects:
        """All objects of a namespace (None: of all), ordered by namespace and name."""
        return [version.object for version in self.versions(resource, namespace)]

    def versions(self, resource: Resource, namespace: str | None = None) -> Versions:
        """The same as versions, whose JSON is made once."""
        return self._shelf(resource).versions(namespace)

    def versions_at(self, resource: Resource, resource_version: int) -> Versions:
        """What all namespaces held at an earlier resourceVersion. Expired when too old."""
        return self._shelf(resource).versions_at(resource_version)

    def floor(self, resource: Resource) -> int:
        """The oldest resourceVersion that a watch of this resource can start from."""
        return self._shelf(resource).history.floor

    def events_after(self, resource: Resource, resource_version: int) -> Events:
        """What happened since, oldest first. Ask only at or above the floor."""
        return self._shelf(resource).history.after(resource_version)

    def create(
        self,
        resource: Resource,
        obj: JsonObject,
        *,
        manager: str,
        dry_run: bool = False,
        operation: Operation = "Update",
    ) -> JsonObject:
        """Store a new object; fills uid, creationTimestamp, generation, managedFields, version.

        metadata.generateName is honoured. Raises AlreadyExists, Refused.
        """
        created = timestamp(self.now())
        new = newborn(resource, obj, uid=self._uid(), created=created)
        metadata = new["metadata"]
        writer = _writer(resource, manager, operation=operation)
        # What webhooks add afterwards is nobody's.
        entries = updated([], new=new, old=None, writer=writer, time=created)
        self._admit("CREATE", resource, new, None, manager=manager, dry_run=dry_run)
        if self.version(resource, metadata.get("namespace"), metadata["name"]):
            raise AlreadyExists(resource, metadata["name"])
        metadata["managedFields"] = entries
        return new if dry_run else self._commit("ADDED", resource, new, None)

    def change(
        self,
        resource: Resource,
        namespace: str | None,
        name: str,
        edit: Callable[[JsonObject], None],
        *,
        manager: str,
        subresource: str | None = None,
        dry_run: bool = False,
        expect_version: str | None = None,
        operation: Operation = "Update",
    ) -> JsonObject:
        """Edit a copy of an object and store it; an equal result is a no-op.

        subresource: None for a writer in process, who may change all; "status" keeps only the
        change of status; "main" is what the resource's own path does: all but status; "scale".
        operation "Apply": edit has set the new metadata.managedFields; else they follow from
        the difference, and edit leaves them alone.
        Generation rises when anything but metadata and status changed, but for a "binding".
        Losing the last finalizer deletes an object that is marked for it.
        Raises NotFound, Conflict (expect_version), Invalid (another uid), Refused.
        """
        old = self._found(resource, namespace, name)
        before = old.object
        if expect_version not in (None, before["metadata"]["resourceVersion"]):
            raise Conflict(resource, name)
        draft = draft_of(old)
        edit(draft)
        new = settled(resource, draft, before, subresource=subresource)
        door = None if subresource == "main" else subresource
        self._admit("UPDATE", resource, new, before, manager=manager, dry_run=dry_run, door=door)
        new = cast(JsonObject, shared(new, before))
        if new is before:
            return before
        if subresource != "binding":
            new = with_generation(resource, new, before)
        if operation == "Update":
            new = self._owned(new, before, _writer(resource, manager, subresource=door))
        if dry_run:
            return new
        return self._commit("DELETED" if released(new) else "MODIFIED", resource, new, old)

    def delete(
        self,
        resource: Resource,
        namespace: str | None,
        name: str,
        *,
        uid: str | None = None,
        now_gone: bool = True,
        dry_run: bool = False,
        manager: str = "unknown",
        grace_s: int | None = None,
    ) -> JsonObject:
        """Delete an object, or only mark it, and return its last state.

        A pod with now_gone=False is marked with deletionTimestamp and its grace (grace_s, else
        its own, else 30 s); asked so again it stays as it is; now_gone=True removes it (the
        kubelet's last word). An object with finalizers is marked whatever now_gone says.
        Raises NotFound, Conflict (uid of another object), Refused.
        """
        old = self._found(resource, namespace, name)
        obj, metadata = old.object, old.object["metadata"]
        if uid not in (None, metadata["uid"]):
            raise Conflict(resource, name, why=_other_uid(uid, metadata["uid"]), by_kind=True)
        self._admit("DELETE", resource, obj, obj, manager=manager, dry_run=dry_run)
        graceful = resource is PODS and not now_gone
        if dry_run or ("deletionTimestamp" in metadata and graceful):
            return obj
        if not graceful and not metadata.get("finalizers"):
            return self._commit("DELETED", resource, obj, old)
        if "deletionTimestamp" in metadata:
            return obj
        own_grace_s = obj.get("spec", {}).get("terminationGracePeriodSeconds")
        grace = (grace_s or own_grace_s or DEFAULT_GRACE_S) if graceful else 0
        marks = deletion_marks(obj, now=self.now() + timedelta(seconds=grace), grace_s=grace)
        return self._commit("MODIFIED", resource, with_metadata(obj, marks), old)

    def adopt(self, resource: Resource, obj: JsonObject) -> JsonObject:
        """Put in an object as it was recorded elsewhere: all is kept but its resourceVersion."""
        metadata = obj["metadata"]
        old = self.version(resource, metadata.get("namespace"), metadata["name"])
        new = {"apiVersion": resource.api_version, "kind": resource.kind} | copied(obj)
        kept: JsonObject = shared(new, old.object) if old else new
        return self._commit("MODIFIED" if old else "ADDED", resource, kept, old)

    def forget(self, resource: Resource, obj: JsonObject) -> None:
        """Take out an object as a recording saw it go: obj is its last state. NotFound."""
        metadata = obj["metadata"]
        old = self._found(resource, metadata.get("namespace"), metadata["name"])
        identity = {"apiVersion": resource.api_version, "kind": resource.kind}
        self._commit("DELETED", resource, identity | copied(obj), old)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call listener after each commit, in order. Returns what ends it.

        A change made by a listener is delivered after the event that caused it has reached all.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def compact(self) -> None:
        """Forget the watch history: the next watch from an older resourceVersion gets 410."""
        self.resource_version += 1
        for shelf in self._shelves.values():
            shelf.history.forget(floor=self.resource_version)

    def _shelf(self, resource: Resource) -> Shelf:
        return self._shelves[resource.group_resource]

    def _found(self, resource: Resource, namespace: str | None, name: str) -> Version:
        version = self.version(resource, namespace, name)
        if version is None:
            raise NotFound(resource, name)
        return version

    def _owned(self, new: JsonObject, old: JsonObject, writer: Writer) -> JsonObject:
        entries = updated(
            old["metadata"].get("managedFields", []),
            new=new,
            old=old,
            writer=writer,
            time=timestamp(self.now()),
        )
        return with_metadata(new, {"managedFields": entries})

    def _admit(
        self,
        operation: Literal["CREATE", "UPDATE", "DELETE"],
        resource: Resource,
        new: JsonObject,
        old: JsonObject | None,
        *,
        manager: str,
        dry_run: bool,
        door: str | None = None,
    ) -> None:
        request = AdmissionRequest(
            operation=operation,
            resource=resource,
            object=new,
            old=old,
            subresource=door,
            manager=manager,
            dry_run=dry_run,
        )
        for hook in self.admission:
            hook(request)

    def _commit(
        self, event_type: EventType, resource: Resource, obj: JsonObject, old: Version | None
    ) -> JsonObject:
        self.resource_version += 1
        numbered = with_metadata(obj, {"resourceVersion": str(self.resource_version)})
        version = Version(numbered, self.resource_version)
        self._deliver(self._shelf(resource).put(event_type, version, old))
        return version.object

    def _deliver(self, event: StoreEvent) -> None:
        self._undelivered.append(event)
        if self._delivering:
            return
        self._delivering = True
        try:
            while self._undelivered:
                due = self._undelivered.popleft()
                for listener in tuple(self._listeners):
                    listener(due)
        finally:
            self._delivering = False


def _writer(
    resource: Resource,
    manager: str,
    *,
    subresource: str | None = None,
    operation: Operation = "Update",
) -> Writer:
    return Writer(
        operation=operation,
        manager=manager,
        api_version=resource.api_version,
        custom=resource.custom,
        subresource=subresource,
    )


def _other_uid(given: str | None, stored: str) -> str:
    return (
        f"the UID in the precondition ({given}) does not match the UID in record ({stored}). "
        "The object might have been deleted and then recreated"
    )
