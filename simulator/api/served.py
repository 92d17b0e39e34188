"""Which resource answers under which group, version and plural."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from simulator.store.json_values import JsonObject
from simulator.store.resources import EVENTS, Resource
from simulator.store.versions import Version, encoded

_EVENT_NAMES = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
EVENTS_GROUP = "events.k8s.io"


def events_v1(event: JsonObject) -> JsonObject:
    """A core Event under the field names of events.k8s.io/v1."""
    return {_EVENT_NAMES.get(key, key): value for key, value in event.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A resource in one of the versions it is served in.

    shown: the same resource with the group and version of the path; stored: as the store knows it.
    convert: changes field names for this version; None: only apiVersion differs.
    """

    shown: Resource
    stored: Resource
    convert: Callable[[JsonObject], JsonObject] | None = None

    def object(self, stored: JsonObject) -> JsonObject:
        """The object as this version gives it, kind and apiVersion first."""
        obj = self.convert(stored) if self.convert else stored
        return obj | {"kind": self.shown.kind, "apiVersion": self.shown.api_version}

    def bare_json(self, version: Version) -> bytes:
        """Its JSON without kind and apiVersion."""
        if self.convert is None:
            return version.json
        obj = self.convert(version.object)
        return encoded({k: v for k, v in obj.items() if k not in ("kind", "apiVersion")})

    def json(self, version: Version) -> bytes:
        """Its JSON, whole."""
        return self.head + self.bare_json(version)[1:]

    def item_json(self, version: Version) -> bytes:
        """Its JSON as an item of a list: items of built-in kinds carry no kind."""
        return self.json(version) if self.shown.custom else self.bare_json(version)

    @property
    def head(self) -> bytes:
        return f'{{"kind":"{self.shown.kind}","apiVersion":"{self.shown.api_version}",'.encode()


class Catalogue:
    """All that a cluster serves."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        self.all: list[Served] = []
        for resource in resources:
            self.all.append(Served(shown=resource, stored=resource))
            for version in resource.also_served:
                other = replace(resource, version=version)
                self.all.append(Served(shown=other, stored=resource))
        if EVENTS in resources:
            moved = replace(EVENTS, group=EVENTS_GROUP)
            self.all.append(Served(shown=moved, stored=EVENTS, convert=events_v1))
        self._by_path = {
            (each.shown.group, each.shown.version, each.shown.plural): each for each in self.all
        }

    def find(self, group: str, version: str, plural: str) -> Served | None:
        return self._by_path.get((group, version, plural))

    def groups(self) -> dict[str, dict[str, list[Served]]]:
        """group -> version -> resources, in the order they were given."""
        found: dict[str, dict[str, list[Served]]] = {}
        for each in self.all:
            versions = found.setdefault(each.shown.group, {})
            versions.setdefault(each.shown.version, []).append(each)
        return found
