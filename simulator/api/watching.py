"""Watches: one subscription to the store feeds every stream.

Each change is written as JSON once for all watchers of the same form. Source for bookmarks,
410 and selectors: recorded exchanges in tests/fixtures/http.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from simulator.api.forms import Form
from simulator.api.listing import ListOptions
from simulator.api.served import Served
from simulator.api.tables import empty_table, metadata_of, table_of
from simulator.store.json_values import JsonObject
from simulator.store.resources import PODS
from simulator.store.store import Store
from simulator.store.versions import EventType, StoreEvent, Version, encoded

# A watcher this far behind is cut off, as a real API server does.
BACKLOG_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Shape:
    """How lines are written: as which version and in which form."""

    served: Served
    form: Form
    include: str = "Metadata"

    @property
    def key(self) -> tuple[str, str, str]:
        return self.served.shown.api_version, self.form, self.include


class Line:
    """One change, written at most once per shape and type."""

    __slots__ = ("_written", "event")

    def __init__(self, event: StoreEvent) -> None:
        self.event = event
        self._written: dict[tuple[str, ...], bytes] = {}

    def bytes(
        self, event_type: EventType, version: Version, *, shape: Shape, now: datetime
    ) -> bytes:
        key = (event_type, *shape.key)
        if key not in self._written:
            self._written[key] = written(event_type, version, shape=shape, now=now)
        return self._written[key]


def written(
    event_type: EventType,
    version: Version,
    *,
    shape: Shape,
    now: datetime,
    with_columns: bool = False,
) -> bytes:
    """One line of a stream."""
    if shape.form is Form.OBJECT:
        body = shape.served.json(version)
    elif shape.form is Form.METADATA:
        body = encoded(metadata_of(version.object))
    else:
        body = encoded(
            table_of(
                shape.served.shown,
                [shape.served.object(version.object)],
                now=now,
                metadata={"resourceVersion": str(version.resource_version)},
                include=shape.include,
                with_columns=with_columns,
            )
        )
    return b'{"type":"%s","object":%s}\n' % (event_type.encode(), body)


class Watcher:
    """One open watch: what waits to be sent."""

    def __init__(self, store: Store, shape: Shape, options: ListOptions, *, since: int) -> None:
        """since: nothing up to this resourceVersion is sent, be it of the future."""
        self.lines: deque[bytes] = deque()
        self.cut = False
        self._store = store
        self._shape = shape
        self._options = options
        self._said_columns = shape.form is not Form.TABLE
        self._awake = asyncio.Event()
        self._since = since

    def offer(self, line: Line) -> None:
        """Queue a change, as far as this watch is concerned."""
        change = self._seen(line.event) if line.event.resource_version > self._since else None
        if change is None:
            return
        event_type, version = change
        if self._said_columns:
            data = line.bytes(event_type, version, shape=self._shape, now=self._store.now())
        else:
            data = self._first(event_type, version)
        self.push(data)

    def offer_past(self, event: StoreEvent) -> None:
        """Queue a change from the history."""
        self.offer(Line(event))

    def start_with(self, versions: Iterable[Version]) -> None:
        """Queue a synthetic ADDED for each object that matches."""
        for version in versions:
            if self._matches(version.object):
                if self._said_columns:
                    now = self._store.now()
                    self.push(written("ADDED", version, shape=self._shape, now=now))
                else:
                    self.push(self._first("ADDED", version))

    def push(self, data: bytes) -> None:
        if len(self.lines) >= BACKLOG_LINES:
            self.end()
            return
        self.lines.append(data)
        self._awake.set()

    def end(self) -> None:
        """End the stream as soon as it is looked at."""
        self.cut = True
        self._awake.set()

    async def wait(self, *, timeout_s: float) -> bytes:
        """All lines that wait, or b"" when none came within timeout_s."""
        if not self.lines and not self.cut:
            self._awake.clear()
            try:
                async with asyncio.timeout(timeout_s):
                    await self._awake.wait()
            except TimeoutError:
                return b""
        data = b"".join(self.lines)
        self.lines.clear()
        return data

    def _first(self, event_type: EventType, version: Version) -> bytes:
        self._said_columns = True
        now = self._store.now()
        return written(event_type, version, shape=self._shape, now=now, with_columns=True)

    def _seen(self, event: StoreEvent) -> tuple[EventType, Version] | None:
        """How a change looks through the selectors: an object may enter and leave the view."""
        now = event.type != "DELETED" and self._matches(event.object)
        before = event.previous is not None and self._matches(event.previous)
        if now:
            return ("MODIFIED" if before else "ADDED"), event.version
        if not before or event.former is None:
            return None
        if event.type == "DELETED":
            return "DELETED", event.version
        return "DELETED", _renumbered(event.former, event.resource_version)

    def _matches(self, obj: JsonObject) -> bool:
        namespace = self._options.namespace
        if namespace is not None and obj["metadata"].get("namespace") != namespace:
            return False
        return self._options.matches is None or self._options.matches(obj)


def _renumbered(version: Version, resource_version: int) -> Version:
    metadata = version.object["metadata"] | {"resourceVersion": str(resource_version)}
    return Version(version.object | {"metadata": metadata}, resource_version)


class WatchHub:
    """Gives each change to the watches of its resource."""

    def __init__(self, store: Store) -> None:
        self._watchers: dict[str, set[Watcher]] = {
            resource.group_resource: set() for resource in store.resources
        }
        self._unsubscribe = store.subscribe(self._pass_on)

    def _pass_on(self, event: StoreEvent) -> None:
        watchers = self._watchers[event.resource.group_resource]
        if watchers:
            line = Line(event)
            for watcher in watchers:
                watcher.offer(line)

    def join(self, served: Served, watcher: Watcher) -> None:
        self._watchers[served.stored.group_resource].add(watcher)

    def leave(self, served: Served, watcher: Watcher) -> None:
        self._watchers[served.stored.group_resource].discard(watcher)

    def count(self) -> int:
        """How many watches are open."""
        return sum(len(watchers) for watchers in self._watchers.values())

    def cut(self, plural: str = "") -> None:
        """End the open watches of a resource ("": of all)."""
        for name, watchers in self._watchers.items():
            if plural in ("", name.partition(".")[0]):
                for watcher in watchers:
                    watcher.end()

    def close(self) -> None:
        self._unsubscribe()
        self.cut()


def bookmark(shape: Shape, *, resource_version: int, ends_list: bool = False) -> bytes:
    """A BOOKMARK: the stub of an object that carries a resourceVersion only."""
    metadata: JsonObject = {"resourceVersion": str(resource_version)}
    if ends_list:
        metadata["annotations"] = {"k8s.io/initial-events-end": "true"}
    shown = shape.served.shown
    obj: JsonObject = {"kind": shown.kind, "apiVersion": shown.api_version, "metadata": metadata}
    if shape.form is Form.METADATA:
        obj = metadata_of(obj)
    elif shape.form is Form.TABLE:
        obj = empty_table(metadata)
    elif shape.served.stored is PODS:
        obj |= {"spec": {"containers": None}, "status": {}}
    return b'{"type":"BOOKMARK","object":%s}\n' % encoded(obj)


def error_line(status: JsonObject) -> bytes:
    return b'{"type":"ERROR","object":%s}\n' % encoded(status)
