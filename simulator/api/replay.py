"""Feeds a recorded watch stream into a store, so that it can be read over HTTP again.

A recording has one JSON object a line: {"t", "resource", "type", "object"}; LIST lines first, each
with what was there, then messages by time of receipt. resourceVersions become the store's own.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import KNATIVE_SERVICES, NAMESPACES, SERVICES, Resource
from simulator.store.store import Store

# Orders to the stand-in that made the recordings; no cluster has them.
_BED = "bed.test/"
_CHANGES = frozenset({"ADDED", "MODIFIED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One line. t: when it was received. resource: None for a resource the store lacks."""

    t: datetime
    resource: Resource | None
    type: str
    object: JsonObject


def messages(path: Path, resources: Sequence[Resource]) -> Iterator[Message]:
    """The lines of a recording, plain or gzipped, without the orders to its stand-in."""
    known = {_stream_name(resource): resource for resource in resources}
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            raw = json.loads(line)
            yield Message(
                t=datetime.fromisoformat(raw["t"]),
                resource=known.get(raw["resource"]),
                type=raw["type"],
                object=without_orders(raw["object"]),
            )


def _stream_name(resource: Resource) -> str:
    """Recordings name resources by plural; only Knative's services by their group too."""
    if resource in (SERVICES, KNATIVE_SERVICES):
        return resource.group_resource
    return resource.plural


def without_orders(value: Any) -> Any:
    """The value without keys bed.test/*, at any depth."""
    if isinstance(value, dict):
        return {
            key: without_orders(item) for key, item in value.items() if not key.startswith(_BED)
        }
    return [without_orders(item) for item in value] if isinstance(value, list) else value


class Replay:
    """One recording on its way into a store."""

    def __init__(self, store: Store, path: Path) -> None:
        self._store = store
        read = list(messages(path, store.resources))
        self._begins = [each for each in read if each.type == "LIST"]
        self.follows = [each for each in read if each.type != "LIST"]

    def load(self) -> None:
        """Put in what was there when the recording began, and the namespaces it needs."""
        for message in self._begins:
            self._list(message)

    async def run(self, *, speed: float = 1.0) -> None:
        """Feed all messages, speed times as fast as they came."""
        if not self.follows:
            return
        loop = asyncio.get_running_loop()
        began, first = loop.time(), self.follows[0].t
        for message in self.follows:
            due = began + (message.t - first).total_seconds() / speed
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            self.feed(message)

    def feed(self, message: Message) -> None:
        """One message. Bookmarks and errors of the recorded watch are nothing to the store."""
        if message.resource is None:
            return
        if message.type in _CHANGES:
            self._adopt(message.resource, message.object)
        elif message.type == "DELETED":
            self._remove(message.resource, message.object)
        elif message.type == "RELIST":
            self._list(message)

    def _list(self, message: Message) -> None:
        """Everything of a resource as listed; what is not in the list is gone."""
        resource = message.resource
        if resource is None:
            return
        items = message.object.get("items") or []
        listed = {_key(item) for item in items}
        for held in self._store.list(resource):
            if resource is not NAMESPACES and _key(held) not in listed:
                self._remove(resource, held)
        for item in items:
            self._adopt(resource, item)

    def _adopt(self, resource: Resource, obj: JsonObject) -> None:
        namespace = obj["metadata"].get("namespace")
        if namespace and self._store.get(NAMESPACES, None, namespace) is None:
            self._store.create(NAMESPACES, {"metadata": {"name": namespace}}, manager="replay")
        held = self._store.get(resource, namespace, obj["metadata"]["name"])
        if held and held["metadata"]["uid"] != obj["metadata"]["uid"]:
            self._remove(resource, held)
        self._store.adopt(resource, obj)

    def _remove(self, resource: Resource, obj: JsonObject) -> None:
        """The last state is that of the message, as the recorded watch told it."""
        namespace, name = _key(obj)
        if self._store.get(resource, namespace or None, name) is not None:
            self._store.forget(resource, obj)


def _key(obj: JsonObject) -> tuple[str, str]:
    return obj["metadata"].get("namespace") or "", obj["metadata"]["name"]
