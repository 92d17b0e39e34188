"""Writes what happens in a world as watch messages, one JSON object a line.

{"t": receive time, "resource": plural, "type": LIST|ADDED|MODIFIED|DELETED, "object": {...}}; first
the lists, then all messages in the order of their commits, as a recorder of watches writes them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TextIO

import msgspec

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
    "leaderworkersets",
    "replicasets",
    "horizontalpodautoscalers",
    "pods",
    "events",
    "nodes",
)
# Given the moment of the commit, the resource by name, the type of the message, and the object.
Tell = Callable[[datetime, str, str, JsonObject], None]


def watch(world: World, tell: Tell) -> Callable[[], None]:
    """Tells what there is and then every commit, as watches would. Returns what ends it."""
    followed = [each for each in world.store.resources if name_of(each) in FOLLOWED]
    now = world.timeline.now()
    for resource in followed:
        items = list(world.store.list(resource))
        listed = {"metadata": {"resourceVersion": str(world.store.resource_version)}}
        tell(now, name_of(resource), "LIST", {**listed, "items": items})

    def listener(event: StoreEvent) -> None:
        if name_of(event.resource) in FOLLOWED:
            moment = world.timeline.now()
            tell(moment, name_of(event.resource), event.type, event.object)

    return world.store.subscribe(listener)


def record(world: World, out: TextIO) -> Callable[[], None]:
    """Begins to record a world, without managedFields. Returns what ends it."""

    def write(moment: datetime, resource: str, kind: str, obj: JsonObject) -> None:
        if kind == "LIST":
            obj = obj | {"items": [_bare(each) for each in obj["items"]]}
        out.write(line(moment, resource, kind, _bare(obj)) + "\n")

    return watch(world, write)


def line(moment: datetime, resource: str, kind: str, obj: JsonObject) -> str:
    """One message as it is recorded."""
    stamp = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
    message = {"t": stamp, "resource": resource, "type": kind, "object": obj}
    return msgspec.json.encode(message).decode()


def name_of(resource: Resource) -> str:
    """The plural; Knative Services with their group, since Kubernetes has services too."""
    return resource.group_resource if resource is KNATIVE_SERVICES else resource.plural


def _bare(obj: JsonObject) -> JsonObject:
    kept = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    return obj | {"metadata": kept}
