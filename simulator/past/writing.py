"""A past as a file of watch messages, packed, one JSON object a line.

The form of recorded watches ({"t", "resource", "type", "object"}), with two resources of our own:
"past" (BEGIN says whose past it is and when it ends; END up to which resourceVersion it goes) and
"pods/log" (LOG: what a server had written when its start ended). Kept to what a follower reads:
kinds that it does not watch, managedFields, and expiries of Events are left out.

What happens after the end goes on in a plain file beside, line by line, for as long as a reader may
take to come that far: so it is told with its own times, and not when somebody looks.
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
# How long the file beside is written to.
GOES_ON_S = 1800.0


class PastFile:
    """Writes one world's messages from now on. Close it with end()."""

    def __init__(self, world: World, path: Path, *, until: datetime) -> None:
        self.world = world
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._draft = path.with_name(f"{path.name}.part")
        self._beside = path.with_name(f"{world.plan.settings.name}.since.jsonl")
        self._out: gzip.GzipFile | None = gzip.GzipFile(self._draft, "wb", compresslevel=PACKED)
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
        self._append(encoded(message) + b"\n")

    def _append(self, line: bytes) -> None:
        if self._out is not None:
            self._out.write(line)
            return
        with self._beside.open("ab") as out:
            out.write(line)

    def end(self, *, close: Callable[[], None]) -> None:
        """The last message; the file takes its name, so whoever sees it sees all of it.

        Then it goes on beside, for a while. close: called when that is over.
        """
        version = str(self.world.store.resource_version)
        self.write(PAST, "END", {"resourceVersion": version, "then": self._beside.name})
        if self._out is not None:
            self._out.close()
        self._out = None
        self._beside.write_bytes(b"")
        self._draft.rename(self._path)

        def over() -> None:
            self._end_watch()
            close()

        self.world.timeline.after_real(GOES_ON_S, over)

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
