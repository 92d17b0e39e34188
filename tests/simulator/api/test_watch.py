"""Watches on a changing store: nothing lost, nothing twice, ends told apart."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx
import pytest

from simulator.api import reading, watching
from simulator.api.hosted import HostedApi
from simulator.api.reading import bookmark_times
from simulator.store.resources import EVENTS, PODS, Resource

PODS_PATH = "/api/v1/pods"


def add(api: HostedApi, name: str, resource: Resource = PODS, **labels: str) -> int:
    """Make an object; its resourceVersion."""
    obj = {"metadata": {"namespace": "web", "name": name, "labels": labels}}
    made = api.call(lambda: api.store.create(resource, obj, manager="test"))
    return int(made["metadata"]["resourceVersion"])


def label(api: HostedApi, name: str, value: str) -> None:
    def edit(pod: dict[str, Any]) -> None:
        pod["metadata"]["labels"] = {"x": value}

    api.call(lambda: api.store.change(PODS, "web", name, edit, manager="test"))


@contextmanager
def open_watch(client: httpx.Client, **params: Any) -> Iterator[Iterator[dict[str, Any]]]:
    """The messages of an open watch, one at a time."""
    with client.stream("GET", PODS_PATH, params={"watch": "1"} | params) as response:
        assert response.status_code == 200
        yield (json.loads(line) for line in response.iter_lines())


def watched(client: httpx.Client, path: str = PODS_PATH, **params: Any) -> list[dict[str, Any]]:
    """All messages of a watch that ends by itself."""
    params = {"watch": "1", "timeoutSeconds": "0.3"} | params
    answer = client.get(path, params=params)
    assert answer.status_code == 200
    return [json.loads(line) for line in answer.text.splitlines()]


def told(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["type"], each["object"]["metadata"].get("name", "")) for each in messages]


def test_a_change_arrives_at_once(api: HostedApi, client: httpx.Client) -> None:
    with open_watch(client) as messages:
        add(api, "a")
        first = next(messages)
        assert (first["type"], first["object"]["kind"]) == ("ADDED", "Pod")
        label(api, "a", "1")
        assert next(messages)["object"]["metadata"]["labels"] == {"x": "1"}
        api.call(lambda: api.store.delete(PODS, "web", "a"))
        gone = next(messages)
        assert gone["type"] == "DELETED"
        assert gone["object"]["metadata"]["labels"] == {"x": "1"}


def test_a_watch_resumes_where_the_last_one_ended(api: HostedApi, client: httpx.Client) -> None:
    start = add(api, "a")
    add(api, "b")
    label(api, "a", "1")
    assert told(watched(client, resourceVersion=start)) == [("ADDED", "b"), ("MODIFIED", "a")]


def test_after_compaction_a_resume_is_too_old(api: HostedApi, client: httpx.Client) -> None:
    start = add(api, "a")
    add(api, "b")
    api.call(api.store.compact)
    (message,) = watched(client, resourceVersion=start)
    assert message["type"] == "ERROR"
    assert (message["object"]["code"], message["object"]["reason"]) == (410, "Expired")


def test_a_list_then_a_watch_from_it_sees_each_change_once(
    api: HostedApi, client: httpx.Client
) -> None:
    add(api, "a")
    listed = client.get(PODS_PATH).json()
    add(api, "b")
    since = listed["metadata"]["resourceVersion"]
    assert told(watched(client, resourceVersion=since)) == [("ADDED", "b")]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("yes", "yes2", "DELETED", id="leaving the selector"),
        pytest.param("no", "yes", "ADDED", id="entering the selector"),
    ],
)
def test_selectors_on_a_watch(
    api: HostedApi, client: httpx.Client, before: str, after: str, expected: str
) -> None:
    start = add(api, "a", x=before)
    label(api, "a", after)
    messages = watched(client, resourceVersion=start, labelSelector="x=yes")
    assert told(messages) == [(expected, "a")]


def test_a_namespaced_watch_hears_its_namespace_only(api: HostedApi, client: httpx.Client) -> None:
    add(api, "a")
    assert told(watched(client, "/api/v1/namespaces/default/pods")) == []
    assert told(watched(client, "/api/v1/namespaces/web/pods")) == [("ADDED", "a")]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param(PODS_PATH, ["BOOKMARK"], id="pods get one before the end"),
        pytest.param("/api/v1/events", [], id="core events never get one"),
    ],
)
def test_the_last_bookmark(
    api: HostedApi,
    client: httpx.Client,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    expected: list[str],
) -> None:
    monkeypatch.setattr(reading, "LAST_BOOKMARK_S", 0.2)
    version = add(api, "e", EVENTS)
    options = {"allowWatchBookmarks": "true", "timeoutSeconds": "0.5"}
    messages = watched(client, path, resourceVersion=version, **options)
    assert [each["type"] for each in messages] == expected
    for message in messages:
        assert message["object"]["metadata"]["resourceVersion"] == str(version)


@pytest.mark.parametrize(
    ("lasts_s", "times"),
    [
        pytest.param(70.0, [60.0, 68.0], id="one a minute, one before the end"),
        pytest.param(300.0, [60.0, 120.0, 180.0, 240.0, 298.0], id="five minutes"),
        pytest.param(1.0, [], id="too short for any"),
    ],
)
def test_when_bookmarks_are_due(lasts_s: float, times: list[float]) -> None:
    due = itertools.takewhile(lambda at: at != float("inf"), bookmark_times(0.0, lasts_s))
    assert list(due) == times


def test_a_watch_that_is_cut_breaks_off(api: HostedApi, client: httpx.Client) -> None:
    with open_watch(client) as messages:
        add(api, "a")
        next(messages)
        api.call(api.server.backend.hub.cut)
        with pytest.raises(httpx.RemoteProtocolError):
            next(messages)


def test_stopping_ends_watches_and_starting_again_keeps_the_port(
    api: HostedApi, client: httpx.Client
) -> None:
    url = api.url
    ended = threading.Event()

    def follow() -> None:
        try:
            watched(client, timeoutSeconds="30")
        except httpx.HTTPError:
            ended.set()

    thread = threading.Thread(target=follow)
    thread.start()
    while not api.call(api.server.backend.hub.count):
        assert thread.is_alive()
    api.wait(api.server.stop())
    thread.join(30)
    assert ended.is_set()
    with pytest.raises(httpx.ConnectError):
        client.get("/version")
    api.wait(api.server.start())
    assert (api.url, client.get("/version").status_code) == (url, 200)


def test_who_falls_too_far_behind_is_cut_off(
    api: HostedApi, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "BACKLOG_LINES", 100)

    def flood() -> None:
        for number in range(102):
            api.store.adopt(PODS, {"metadata": {"namespace": "web", "name": f"p{number}"}})

    with open_watch(client) as messages:
        add(api, "a")
        next(messages)
        api.call(flood)
        with pytest.raises(httpx.RemoteProtocolError):
            list(messages)


def test_many_changes_arrive_all_and_in_order(api: HostedApi, client: httpx.Client) -> None:
    count = 3000
    with open_watch(client, resourceVersion=add(api, "a")) as messages:
        for start in range(0, count, 100):
            api.call(partial(_labels, api, start))
        seen = [next(messages)["object"]["metadata"]["labels"]["x"] for _ in range(count)]
    assert seen == [str(number) for number in range(count)]


def _labels(api: HostedApi, start: int) -> None:
    """A hundred changes of one pod."""
    for number in range(start, start + 100):

        def edit(pod: dict[str, Any], value: str = str(number)) -> None:
            pod["metadata"]["labels"] = {"x": value}

        api.store.change(PODS, "web", "a", edit, manager="test")
