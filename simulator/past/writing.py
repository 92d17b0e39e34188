"""A past as a file of watch messages, packed, one JSON object a line.

The form of recorded watches ({"t", "resource", "type", "object"}), with two resources of our own:
"past" (BEGIN says whose past it is and when it ends; END up to which resourceVersion it goes) and
"pods/log" (LOG: what a server had written when its start ended). Kept to what a follower reads:
kinds that it does not watch, managedFields, and expiries of Events are left out.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from simulator.store.json_values import JsonObject
from simulator.store.resources import EVENTS
from simulator.store.versions import StoreEvent, encoded
from simulator.world.world import World

FOLLOWED = (
    "clusterservingruntimes",
    "servingruntimes",
    "inferenceservices",
    "llminferenceservices",
    "revisions",
    "podautoscalers",
    "deployments",
    "replicasets",
    "horizontalpodautoscalers",
    "pods",
    "events",
    "nodes",
    "namespaces",
)
PAST, LOGS = "past", "pods/log"
# Quick; a week of messages is some ten times smaller.
PACKED = 1


class PastFile:
    """Writes one world's messages from now on. Close it with end()."""

    def __init__(self, world: World, path: Path, *, until: datetime) -> None:
        self.world = world
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._draft = path.with_name(f"{path.name}.part")
        self._out = gzip.GzipFile(self._draft, "wb", compresslevel=PACKED)
        began = {
            "cluster": world.plan.settings.name,
            "until": f"{until:%Y-%m-%dT%H:%M:%SZ}",
            "simulated": True,
        }
        self.write(PAST, "BEGIN", began)
        self._write_lists()
        self._end_watch: Callable[[], None] = world.store.subscribe(self._committed)

    def write(self, resource: str, kind: str, obj: JsonObject) -> None:
        """One message, as of now."""
        moment = self.world.timeline.now()
        stamp = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
        message: dict[str, Any] = {"t": stamp, "resource": resource, "type": kind, "object": obj}
        self._out.write(encoded(message) + b"\n")

    def end(self) -> None:
        """The last message; the file takes its name, so whoever sees it sees all of it."""
        self._end_watch()
        self.write(PAST, "END", {"resourceVersion": str(self.world.store.resource_version)})
        self._out.close()
        self._draft.rename(self._path)

    def _write_lists(self) -> None:
        version = {"resourceVersion": str(self.world.store.resource_version)}
        for resource in self.world.store.resources:
            if resource.group_resource in _NAMES:
                items = [_bare(each) for each in self.world.store.list(resource)]
                self.write(resource.plural, "LIST", {"metadata": version, "items": items})

    def _committed(self, event: StoreEvent) -> None:
        expired = event.resource is EVENTS and event.type == "DELETED"
        if event.resource.plural in _NAMES and not expired:
            self.write(event.resource.plural, event.type, _bare(event.object))


_NAMES = frozenset(FOLLOWED)


def _bare(obj: JsonObject) -> JsonObject:
    kept = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    return obj | {"metadata": kept}
