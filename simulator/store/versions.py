"""Versions of objects, the events between them, and the history a watch resumes from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from simulator.store.json_values import JsonObject
from simulator.store.resources import Resource

EventType = Literal["ADDED", "MODIFIED", "DELETED"]


def encoded(value: object) -> bytes:
    """Compact JSON in UTF-8, as the API server writes it."""
    return msgspec.json.encode(value)


def decoded(data: bytes) -> Any:
    """A JSON value of its own, that may be edited."""
    return msgspec.json.decode(data)


class Version:
    """One object at one resourceVersion.

    json: the object without kind and apiVersion, which go in front of it or not at all, made
    once, when first asked for.
    """

    __slots__ = ("_json", "object", "resource_version")

    def __init__(self, obj: JsonObject, resource_version: int) -> None:
        self.object = obj
        self.resource_version = resource_version
        self._json: bytes | None = None

    @property
    def json(self) -> bytes:
        if self._json is None:
            bare = {k: v for k, v in self.object.items() if k not in ("kind", "apiVersion")}
            self._json = encoded(bare)
        return self._json

    def forget_json(self) -> None:
        """Free the bytes of a version that was replaced; they are made again when asked for."""
        self._json = None


@dataclass(frozen=True, slots=True)
class StoreEvent:
    """One change that was committed.

    version: the object after it; of a DELETED the last state, under the deletion's own number.
    former: the object before it, None for ADDED.
    """

    type: EventType
    resource: Resource
    version: Version
    former: Version | None

    @property
    def object(self) -> JsonObject:
        return self.version.object

    @property
    def previous(self) -> JsonObject | None:
        return self.former.object if self.former else None

    @property
    def resource_version(self) -> int:
        return self.version.resource_version


class History:
    """The last events of one resource. floor: the oldest resourceVersion it can resume from."""

    def __init__(self, *, limit: int, floor: int) -> None:
        self.floor = floor
        self._events: deque[StoreEvent] = deque()
        self._limit = limit

    def append(self, event: StoreEvent) -> None:
        self._events.append(event)
        if len(self._events) > self._limit:
            self.floor = self._events.popleft().resource_version

    def after(self, resource_version: int) -> list[StoreEvent]:
        """Events above resource_version, oldest first; ask only at or above the floor."""
        found: list[StoreEvent] = []
        for event in self.newest_first():
            if event.resource_version <= resource_version:
                break
            found.append(event)
        found.reverse()
        return found

    def newest_first(self) -> Iterator[StoreEvent]:
        return reversed(self._events)

    def forget(self, *, floor: int) -> None:
        self._events.clear()
        self.floor = floor
