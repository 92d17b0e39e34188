"""The objects of one resource and their recent past."""

from __future__ import annotations

from simulator.store.errors import Expired
from simulator.store.json_values import JsonObject
from simulator.store.resources import Resource
from simulator.store.versions import EventType, History, StoreEvent, Version


class Shelf:
    """Current versions by namespace ("" for cluster-scoped) and name, and the watch history."""

    def __init__(self, resource: Resource, *, history_events: int, floor: int) -> None:
        self.resource = resource
        self.history = History(limit=history_events, floor=floor)
        self._spaces: dict[str, dict[str, Version]] = {}

    def version(self, namespace: str | None, name: str) -> Version | None:
        return self._spaces.get(namespace or "", {}).get(name)

    def versions(self, namespace: str | None = None) -> list[Version]:
        """All versions now, ordered by namespace and name as the API server lists them."""
        wanted = sorted(self._spaces) if namespace is None else [namespace]
        return [
            version
            for space in wanted
            for _, version in sorted(self._spaces.get(space, {}).items())
        ]

    def versions_at(self, resource_version: int) -> list[Version]:
        """What was there at an earlier resourceVersion, ordered. Expired when too old."""
        if resource_version < self.history.floor:
            raise Expired("The resourceVersion for the provided list is too old.")
        found = {_key(version.object): version for version in self.versions()}
        for event in self.history.newest_first():
            if event.resource_version <= resource_version:
                break
            if event.former:
                found[_key(event.object)] = event.former
            else:
                found.pop(_key(event.object), None)
        return [version for _, version in sorted(found.items())]

    def put(self, event_type: EventType, version: Version, former: Version | None) -> StoreEvent:
        """Keep (or for DELETED, drop) a version and note it in the history."""
        namespace, name = _key(version.object)
        names = self._spaces.setdefault(namespace, {})
        if event_type == "DELETED":
            del names[name]
        else:
            names[name] = version
        if former:
            former.forget_json()
        event = StoreEvent(event_type, self.resource, version, former)
        self.history.append(event)
        return event


def _key(obj: JsonObject) -> tuple[str, str]:
    return obj["metadata"].get("namespace") or "", obj["metadata"]["name"]
