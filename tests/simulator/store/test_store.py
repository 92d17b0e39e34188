"""What an API server keeps to, asked of the store alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from simulator.store.admission import AdmissionRequest
from simulator.store.errors import AlreadyExists, Conflict, Expired, Invalid, NotFound, Refused
from simulator.store.resources import ALL, DEPLOYMENTS, INFERENCESERVICES, PODS
from simulator.store.store import Store
from simulator.store.versions import StoreEvent

NOON = datetime(2026, 11, 30, 12, 0, 0, 750_000, tzinfo=UTC)
POD = {"metadata": {"namespace": "web", "name": "a"}, "spec": {"nodeName": None}}


@pytest.fixture
def store() -> Store:
    numbers = itertools.count(1)
    return Store(now=lambda: NOON, resources=ALL, uid=lambda: f"uid-{next(numbers):032d}")


def a_pod(name: str = "a", **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"namespace": "web", "name": name} | metadata, "spec": {"x": 1}}


def setting(*path: str, to: Any) -> Callable[[dict[str, Any]], None]:
    """An edit that sets one field."""

    def edit(obj: dict[str, Any]) -> None:
        for key in path[:-1]:
            obj = obj.setdefault(key, {})
        obj[path[-1]] = to

    return edit


def change_pod(store: Store, *path: str, to: Any, **options: Any) -> dict[str, Any]:
    options = {"manager": "test"} | options
    return store.change(PODS, "web", "a", setting(*path, to=to), **options)


def version_of(obj: dict[str, Any]) -> int:
    return int(obj["metadata"]["resourceVersion"])


def test_creation_fills_in_what_the_server_owns(store: Store) -> None:
    made = store.create(PODS, a_pod(generation=9, uid="mine"), manager="test")
    assert (made["apiVersion"], made["kind"]) == ("v1", "Pod")
    metadata = made["metadata"]
    assert metadata["uid"].startswith("uid-")
    assert metadata["creationTimestamp"] == "2026-11-30T12:00:00Z"
    assert metadata["generation"] == 1
    assert version_of(made) == store.resource_version
    assert store.get(PODS, "web", "a") is made


def test_generate_name_gets_five_letters(store: Store) -> None:
    made = store.create(
        PODS, {"metadata": {"namespace": "web", "generateName": "a-"}}, manager="test"
    )
    assert len(made["metadata"]["name"]) == len("a-") + 5


def test_a_name_is_taken_once(store: Store) -> None:
    store.create(PODS, a_pod(), manager="test")
    with pytest.raises(AlreadyExists) as refused:
        store.create(PODS, a_pod(), manager="test")
    assert refused.value.body["message"] == 'pods "a" already exists'
    assert refused.value.body["details"] == {"name": "a", "kind": "pods"}


@pytest.mark.parametrize(
    ("path", "to", "generation"),
    [
        pytest.param(("spec", "x"), 2, 2, id="the spec raises it"),
        pytest.param(("status", "phase"), "Running", 1, id="the status does not"),
        pytest.param(("metadata", "annotations"), {"a": "b"}, 1, id="annotations do not"),
    ],
)
def test_generation(store: Store, path: tuple[str, ...], to: Any, generation: int) -> None:
    store.create(PODS, a_pod(), manager="test")
    assert change_pod(store, *path, to=to)["metadata"]["generation"] == generation


def test_an_equal_result_moves_nothing(store: Store) -> None:
    made = store.create(PODS, a_pod(), manager="test")
    seen: list[StoreEvent] = []
    store.subscribe(seen.append)
    assert change_pod(store, "spec", "x", to=1, manager="other") is made
    assert seen == []


@pytest.mark.parametrize(
    ("subresource", "spec", "status"),
    [
        pytest.param(None, {"x": 2}, {"s": 2}, id="a writer in process changes all"),
        pytest.param("status", {"x": 1}, {"s": 2}, id="status changes status alone"),
        pytest.param("main", {"x": 2}, {"s": 1}, id="the main path leaves status"),
    ],
)
def test_subresources(store: Store, subresource: str | None, spec: Any, status: Any) -> None:
    store.create(PODS, a_pod() | {"status": {"s": 1}}, manager="test")

    def edit(obj: dict[str, Any]) -> None:
        obj["spec"]["x"] = 2
        obj["status"]["s"] = 2

    changed = store.change(PODS, "web", "a", edit, manager="test", subresource=subresource)
    assert (changed["spec"], changed["status"]) == (spec, status)


def test_a_dry_run_answers_and_keeps_nothing(store: Store) -> None:
    made = store.create(PODS, a_pod(), manager="test")
    would_be = change_pod(store, "spec", "x", to=2, dry_run=True)
    assert would_be["spec"] == {"x": 2}
    assert version_of(would_be) == version_of(made)
    assert store.get(PODS, "web", "a") is made
    unborn = store.create(PODS, a_pod("b"), manager="test", dry_run=True)
    assert "resourceVersion" not in unborn["metadata"]
    assert store.get(PODS, "web", "b") is None


def test_a_stale_version_is_a_conflict(store: Store) -> None:
    store.create(PODS, a_pod(), manager="test")
    with pytest.raises(Conflict, match="the object has been modified"):
        change_pod(store, "spec", "x", to=2, expect_version="1")


def test_the_uid_is_immutable(store: Store) -> None:
    store.create(PODS, a_pod(), manager="test")
    with pytest.raises(Invalid) as refused:
        change_pod(store, "metadata", "uid", to="other")
    assert refused.value.message == (
        'Pod "a" is invalid: metadata.uid: Invalid value: "other": field is immutable'
    )


def test_what_is_not_there_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match='inferenceservices.serving.kserve.io "b" not found'):
        store.delete(INFERENCESERVICES, "web", "b")


def test_a_pod_ends_in_two_steps(store: Store) -> None:
    store.create(PODS, a_pod(), manager="test")
    marked = store.delete(PODS, "web", "a", now_gone=False, grace_s=10)
    assert marked["metadata"]["deletionTimestamp"] == "2026-11-30T12:00:10Z"
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 10
    assert store.delete(PODS, "web", "a", now_gone=False) is marked
    store.delete(PODS, "web", "a")
    assert store.get(PODS, "web", "a") is None


def test_the_last_finalizer_lets_go(store: Store) -> None:
    store.create(INFERENCESERVICES, a_pod(finalizers=["f"]), manager="test")
    store.delete(INFERENCESERVICES, "web", "a")
    assert store.get(INFERENCESERVICES, "web", "a") is not None
    without = setting("metadata", "finalizers", to=[])
    store.change(INFERENCESERVICES, "web", "a", without, manager="test")
    assert store.get(INFERENCESERVICES, "web", "a") is None


def test_another_objects_uid_stops_a_deletion(store: Store) -> None:
    store.create(INFERENCESERVICES, a_pod(), manager="test")
    with pytest.raises(Conflict, match="The object might have been deleted and then recreated"):
        store.delete(INFERENCESERVICES, "web", "a", uid="other")


def test_listeners_hear_each_change_in_order_also_those_made_while_listening(store: Store) -> None:
    def controller(event: StoreEvent) -> None:
        if event.type == "ADDED":
            change_pod(store, "spec", "x", to=2)

    heard: list[tuple[str, Any, Any]] = []
    store.subscribe(controller)
    end = store.subscribe(
        lambda event: heard.append((event.type, event.object["spec"]["x"], event.previous))
    )
    made = store.create(PODS, a_pod(), manager="test")
    assert heard == [("ADDED", 1, None), ("MODIFIED", 2, made)]
    end()
    change_pod(store, "spec", "x", to=3)
    assert len(heard) == 2


def test_the_past_can_be_listed_until_it_is_compacted(store: Store) -> None:
    before = store.resource_version
    made = store.create(PODS, a_pod(), manager="test")
    store.create(PODS, a_pod("b"), manager="test")
    change_pod(store, "spec", "x", to=2)
    store.delete(PODS, "web", "b")
    then = store.versions_at(PODS, version_of(made) + 1)
    assert [(v.object["metadata"]["name"], v.object["spec"]["x"]) for v in then] == [
        ("a", 1),
        ("b", 1),
    ]
    assert store.versions_at(PODS, before) == []
    store.compact()
    with pytest.raises(Expired):
        store.versions_at(PODS, version_of(made))


def test_the_history_is_bounded() -> None:
    store = Store(now=lambda: NOON, resources=ALL, uid=lambda: "u" * 16, history_events=3)
    store.create(PODS, a_pod(), manager="test")
    for x in range(2, 7):
        change_pod(store, "spec", "x", to=x)
    assert [e.object["spec"]["x"] for e in store.events_after(PODS, store.floor(PODS))] == [4, 5, 6]


def test_versions_share_what_did_not_change(store: Store) -> None:
    made = store.create(PODS, a_pod() | {"status": {"phase": "Pending"}}, manager="test")
    changed = change_pod(store, "status", "phase", to="Running")
    assert changed["spec"] is made["spec"]
    assert made["status"] == {"phase": "Pending"}


def test_webhooks_may_edit_and_refuse(store: Store) -> None:
    def hook(request: AdmissionRequest) -> None:
        request.object["spec"]["seen"] = request.operation
        if request.object["spec"].get("replicas") == -1:
            raise Refused(403, "Forbidden", "no")

    store.admission.append(hook)
    made = store.create(DEPLOYMENTS, a_pod(), manager="test")
    assert made["spec"] == {"x": 1, "seen": "CREATE"}
    with pytest.raises(Refused):
        store.change(DEPLOYMENTS, "web", "a", setting("spec", "replicas", to=-1), manager="test")
    assert store.get(DEPLOYMENTS, "web", "a") is made


def test_a_recorded_object_keeps_its_own_identity(store: Store) -> None:
    recorded = a_pod(uid="u-1", creationTimestamp="2026-01-01T00:00:00Z", resourceVersion="5")
    adopted = store.adopt(PODS, recorded)
    assert adopted["metadata"]["uid"] == "u-1"
    assert version_of(adopted) == store.resource_version
    again = store.adopt(PODS, recorded | {"status": {"phase": "Running"}})
    assert again["spec"] is adopted["spec"]
