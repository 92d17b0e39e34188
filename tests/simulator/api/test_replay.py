"""Recorded streams served over HTTP again."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from simulator.api.hosted import HostedApi
from simulator.api.replay import Replay, messages, without_orders
from simulator.store.resources import ALL, EVENTS, INFERENCESERVICES, PODS, REVISIONS, Resource
from tests.simulator.api.exchanges import FIXTURES

STREAMS = FIXTURES / "streams"
WAKE, CUT = STREAMS / "wake-from-zero.jsonl.gz", STREAMS / "watch-cut-and-relist.jsonl.gz"


def lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def last_states(path: Path, resource: Resource) -> dict[str, dict[str, Any]]:
    """uid -> last object, of what a recording leaves alive, read straightforwardly."""
    alive: dict[str, dict[str, Any]] = {}
    for line in lines(path):
        if line["resource"] != resource.plural:
            continue
        obj = line["object"]
        if line["type"] in ("LIST", "RELIST"):
            alive = {item["metadata"]["uid"]: item for item in obj["items"]}
        elif line["type"] in ("ADDED", "MODIFIED"):
            alive[obj["metadata"]["uid"]] = obj
        elif line["type"] == "DELETED":
            alive.pop(obj["metadata"]["uid"], None)
    return alive


def bare(obj: dict[str, Any]) -> dict[str, Any]:
    """An object without what a replay does not keep."""
    kept = {key: value for key, value in obj.items() if key not in ("kind", "apiVersion")}
    metadata = {k: v for k, v in obj["metadata"].items() if k != "resourceVersion"}
    if not metadata.get("annotations", True):
        del metadata["annotations"]
    cleaned: dict[str, Any] = without_orders(kept | {"metadata": metadata})
    return cleaned


@pytest.mark.parametrize("path", [WAKE, CUT], ids=["wake", "watch cut"])
@pytest.mark.parametrize("resource", [PODS, INFERENCESERVICES, REVISIONS, EVENTS])
def test_the_end_of_a_replay_is_the_end_of_the_recording(path: Path, resource: Resource) -> None:
    with HostedApi() as api:
        api.call(lambda: feed_all(api, path))
        kept = api.call(lambda: api.store.list(resource))
    expected = last_states(path, resource)
    assert {obj["metadata"]["uid"]: bare(obj) for obj in kept} == {
        uid: bare(obj) for uid, obj in expected.items()
    }


def feed_all(api: HostedApi, path: Path) -> None:
    replay = Replay(api.store, path)
    replay.load()
    for message in replay.follows:
        replay.feed(message)


def test_no_orders_to_the_stand_in_are_served() -> None:
    found = [message for message in messages(WAKE, ALL) if "bed.test" in json.dumps(message.object)]
    assert "bed.test" in json.dumps(lines(WAKE))
    assert found == []


def test_a_watch_of_the_replay_tells_what_the_recorded_watch_told(
    api: HostedApi, client: httpx.Client
) -> None:
    """Same changes of pods in the same order, read over HTTP while the replay runs fast."""
    replay = Replay(api.store, WAKE)
    api.call(replay.load)
    since = api.call(lambda: api.store.resource_version)
    params = {"watch": "1", "resourceVersion": str(since), "timeoutSeconds": "20"}
    expected = [
        (line["type"], line["object"]["metadata"]["uid"], line["object"].get("status"))
        for line in lines(WAKE)
        if line["resource"] == "pods" and line["type"] in ("ADDED", "MODIFIED", "DELETED")
    ]
    with client.stream("GET", "/api/v1/pods", params=params) as response:
        api.wait(replay.run(speed=1000.0))
        told = (json.loads(line) for line in response.iter_lines())
        seen = [next(told) for _ in expected]
    assert [
        (each["type"], each["object"]["metadata"]["uid"], each["object"].get("status"))
        for each in seen
    ] == expected
