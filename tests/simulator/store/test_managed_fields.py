"""Who owns a field after whose write."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.store.managed_fields import Writer, updated, without

ALICE = Writer(manager="alice", api_version="v1", custom=True)
BOB = Writer(manager="bob", api_version="v1", custom=True)


def trees(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {entry["manager"]: entry["fieldsV1"] for entry in entries}


def owners(*writes: tuple[Writer, dict[str, Any]]) -> dict[str, Any]:
    """The trees by manager after these writes, each of a whole object."""
    entries: list[dict[str, Any]] = []
    old: dict[str, Any] | None = None
    for number, (writer, new) in enumerate(writes):
        entries = updated(entries, new=new, old=old, writer=writer, time=str(number))
        old = new
    return trees(entries)


def annotated(**values: str) -> dict[str, Any]:
    return {"kind": "X", "metadata": {"name": "n", "annotations": values}}


def test_the_creator_owns_all_but_what_the_server_fills_in() -> None:
    made = {"kind": "X", "metadata": {"name": "n", "labels": {"a": "b"}}, "spec": {"r": 1}}
    assert owners((ALICE, made)) == {
        "alice": {
            "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
            "f:spec": {".": {}, "f:r": {}},
        }
    }


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        pytest.param(
            annotated(a="1", b="2"),
            {"alice": ["a"], "bob": ["b"]},
            id="an added field is the adder's",
        ),
        pytest.param(
            annotated(a="2"), {"alice": [], "bob": ["a"]}, id="a changed one changes hands"
        ),
        pytest.param(annotated(a="1"), {"alice": ["a"]}, id="an equal one stays"),
        pytest.param(annotated(), {"alice": []}, id="a removed one is nobody's"),
    ],
)
def test_updates(second: dict[str, Any], expected: dict[str, list[str]]) -> None:
    after = owners((ALICE, annotated(a="1")), (BOB, second))
    found = {
        name: sorted(key[2:] for key in tree["f:metadata"].get("f:annotations", {}) if key != ".")
        for name, tree in after.items()
    }
    assert found == expected


@pytest.mark.parametrize(
    ("second", "time"),
    [
        pytest.param(annotated(a="2", b="1"), "2", id="another value of a field that was its own"),
        pytest.param(annotated(a="1", b="1", c="1"), "2", id="one field more"),
        pytest.param(annotated(a="1", b="1"), "1", id="nothing new"),
        pytest.param(annotated(a="1"), "1", id="a field taken away"),
    ],
)
def test_the_time_moves_when_a_value_is_set(second: dict[str, Any], time: str) -> None:
    first = annotated(a="1", b="1")
    entries = updated([], new=first, old=None, writer=ALICE, time="1")
    again = updated(entries, new=second, old=first, writer=ALICE, time="2")
    assert again[0]["time"] == time


def test_items_of_built_in_lists_are_owned_by_key() -> None:
    writer = Writer(manager="kubelet", api_version="v1", custom=False, subresource="status")
    old = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
    new = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    entries = updated([], new=new, old=old, writer=writer, time="1")
    assert entries[0]["subresource"] == "status"
    assert trees(entries) == {
        "kubelet": {"f:status": {"f:conditions": {'k:{"type":"Ready"}': {"f:status": {}}}}}
    }


def test_taking_the_last_field_leaves_nothing() -> None:
    assert without({"f:spec": {"f:r": {}}}, {"f:spec": {"f:r": {}}}) == {}
