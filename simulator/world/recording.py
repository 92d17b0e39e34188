"""Writes what happens in a world as watch messages, one JSON object a line.

{"t": receive time, "resource": plural, "type": LIST|ADDED|MODIFIED|DELETED, "object": {...}}; first
the lists, then all messages in the order of their commits, as a recorder of watches writes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, TextIO

from simulator.store.json_values import JsonObject
from simulator.store.resources import KNATIVE_SERVICES, Resource
from simulator.store.versions import StoreEvent
from simulator.world.world import World

# What a follower watches. Plurals; the rest of a cluster is left out.
FOLLOWED = (
    "inferenceservices",
    "llminferenceservices",
    "services.serving.knative.dev",
    "configurations",
    "revisions",
    "routes",
    "podautoscalers",
    "serverlessservices",
    "deployments",
    "replicasets",
    "horizontalpodautoscalers",
    "pods",
    "events",
    "nodes",
)


def record(world: World, out: TextIO) -> Callable[[], None]:
    """Begins to record a world. Returns what ends it."""
    followed = [each for each in world.store.resources if name_of(each) in FOLLOWED]
    now = world.timeline.now()
    for resource in followed:
        items = [_bare(each) for each in world.store.list(resource)]
        listed = {"metadata": {"resourceVersion": str(world.store.resource_version)}}
        _write(out, now, name_of(resource), "LIST", {**listed, "items": items})

    def listener(event: StoreEvent) -> None:
        if name_of(event.resource) in FOLLOWED:
            moment = world.timeline.now()
            _write(out, moment, name_of(event.resource), event.type, _bare(event.object))

    return world.store.subscribe(listener)


def name_of(resource: Resource) -> str:
    """The plural; Knative Services with their group, since Kubernetes has services too."""
    return resource.group_resource if resource is KNATIVE_SERVICES else resource.plural


def _bare(obj: JsonObject) -> JsonObject:
    kept = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    return obj | {"metadata": kept}


def _write(out: TextIO, moment: datetime, resource: str, kind: str, obj: Any) -> None:
    stamp = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
    message = {"t": stamp, "resource": resource, "type": kind, "object": obj}
    out.write(json.dumps(message, separators=(",", ":")) + "\n")
