"""Three languages of change, and the selectors."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.api.patches import json_patched, merged, strategically_merged
from simulator.api.selectors import selector
from simulator.store.errors import StatusError
from simulator.store.resources import EVENTS, INFERENCESERVICES, NODES, PODS, Resource


@pytest.mark.parametrize(
    ("target", "patch", "expected"),
    [
        pytest.param({"a": 1}, {"b": 2}, {"a": 1, "b": 2}, id="adds"),
        pytest.param({"a": 1}, {"a": None}, {}, id="null removes"),
        pytest.param({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}, id="maps merge"),
        pytest.param({"a": [1, 2]}, {"a": [3]}, {"a": [3]}, id="lists are replaced"),
        pytest.param({"a": 1}, {"a": {"b": None}}, {"a": {}}, id="null below a new map is nothing"),
        pytest.param({}, {"a": None}, {}, id="removing what is not there"),
    ],
)
def test_merge_patch(target: Any, patch: Any, expected: Any) -> None:
    assert merged(target, patch) == expected


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        pytest.param([{"op": "add", "path": "/b", "value": 2}], {"a": [1, 2], "b": 2}, id="add"),
        pytest.param([{"op": "add", "path": "/a/1", "value": 9}], {"a": [1, 9, 2]}, id="insert"),
        pytest.param([{"op": "add", "path": "/a/-", "value": 9}], {"a": [1, 2, 9]}, id="append"),
        pytest.param([{"op": "remove", "path": "/a/0"}], {"a": [2]}, id="remove"),
        pytest.param([{"op": "replace", "path": "/a", "value": 0}], {"a": 0}, id="replace"),
        pytest.param([{"op": "test", "path": "/a/0", "value": 1}], {"a": [1, 2]}, id="test"),
        pytest.param(
            [{"op": "copy", "from": "/a/0", "path": "/b"}], {"a": [1, 2], "b": 1}, id="copy"
        ),
        pytest.param([{"op": "move", "from": "/a", "path": "/x"}], {"x": [1, 2]}, id="move"),
        pytest.param(
            [{"op": "add", "path": "/x~1y", "value": 1}], {"a": [1, 2], "x/y": 1}, id="escaped"
        ),
    ],
)
def test_json_patch(operations: Any, expected: Any) -> None:
    target = {"a": [1, 2]}
    assert json_patched(target, operations) == expected
    assert target == {"a": [1, 2]}


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param({"op": "test", "path": "/a", "value": 2}, id="a test that fails"),
        pytest.param({"op": "remove", "path": "/nope"}, id="removing what is not there"),
        pytest.param({"op": "replace", "path": "/nope", "value": 1}, id="replacing it"),
        pytest.param({"op": "add", "path": "/a/b/c", "value": 1}, id="below what is not there"),
        pytest.param({"op": "dance", "path": "/a"}, id="an unknown operation"),
        pytest.param({"path": "/a"}, id="no operation"),
    ],
)
def test_json_patch_that_fails_does_not_say_why(operation: Any) -> None:
    with pytest.raises(StatusError) as refused:
        json_patched({"a": 1}, [operation])
    assert (refused.value.status, refused.value.reason) == (422, "Invalid")


CONTAINERS = [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        pytest.param(
            [{"name": "b", "image": "2"}],
            [{"name": "a", "image": "1"}, {"name": "b", "image": "2"}],
            id="an item is merged by its name",
        ),
        pytest.param(
            [{"name": "c"}], [*CONTAINERS, {"name": "c"}], id="a new item is added at the end"
        ),
        pytest.param(
            [{"name": "a", "$patch": "delete"}], CONTAINERS[1:], id="an item is deleted by its name"
        ),
        pytest.param(
            [{"name": "c"}, {"$patch": "replace"}], [{"name": "c"}], id="the list is replaced"
        ),
    ],
)
def test_strategic_merge_of_lists(patch: Any, expected: Any) -> None:
    result = strategically_merged({"containers": CONTAINERS}, {"containers": patch})
    assert result == {"containers": expected}


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        pytest.param({"x": {"b": None}}, {"x": {"a": 1}, "args": ["1"]}, id="null removes"),
        pytest.param({"args": ["2"]}, {"x": {"a": 1, "b": 2}, "args": ["2"]}, id="plain lists go"),
        pytest.param({"x": {"$patch": "delete"}}, {"args": ["1"]}, id="a map is deleted"),
        pytest.param(
            {"x": {"$patch": "replace", "c": 3}}, {"x": {"c": 3}, "args": ["1"]}, id="or replaced"
        ),
        pytest.param(
            {"$deleteFromPrimitiveList/args": ["1"]},
            {"x": {"a": 1, "b": 2}, "args": []},
            id="values leave a list",
        ),
    ],
)
def test_strategic_merge_of_maps(patch: Any, expected: Any) -> None:
    assert strategically_merged({"x": {"a": 1, "b": 2}, "args": ["1"]}, patch) == expected


LABELLED = {"metadata": {"name": "n", "labels": {"app": "x", "tier": "gpu"}}}


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("app=x", True),
        ("app==x", True),
        ("app=y", False),
        ("app!=y", True),
        ("other!=y", True),
        ("app", True),
        ("!app", False),
        ("!other", True),
        ("app in (x,y)", True),
        ("app in (y)", False),
        ("app notin (y, z)", True),
        ("app=x,tier=cpu", False),
        ("app=x, tier in (cpu,gpu), !other", True),
        ("other=", False),
    ],
)
def test_label_selectors(text: str, matches: bool) -> None:
    predicate = selector(PODS, labels=text)
    assert predicate is not None
    assert predicate(LABELLED) is matches


@pytest.mark.parametrize(
    ("resource", "text", "obj", "matches"),
    [
        (PODS, "spec.nodeName=n1", {"spec": {"nodeName": "n1"}}, True),
        (PODS, "spec.nodeName!=n1", {"spec": {}}, True),
        (PODS, "status.phase=Running,metadata.name=a", {"status": {"phase": "Running"}}, True),
        (NODES, "spec.unschedulable=true", {"spec": {"unschedulable": True}}, True),
        (EVENTS, "involvedObject.kind=Pod", {"involvedObject": {"kind": "Pod"}}, True),
        (EVENTS, "source=kubelet", {"source": {"component": "kubelet"}}, True),
        (EVENTS, "source=default-scheduler", {"reportingComponent": "default-scheduler"}, True),
        (INFERENCESERVICES, "metadata.name=b", {}, False),
    ],
)
def test_field_selectors(resource: Resource, text: str, obj: dict[str, Any], matches: bool) -> None:
    predicate = selector(resource, fields=text)
    assert predicate is not None
    assert predicate({"metadata": {"name": "a", "namespace": "web"}} | obj) is matches


@pytest.mark.parametrize(
    ("resource", "fields"), [(PODS, "spec.x=1"), (INFERENCESERVICES, "status.url=1"), (PODS, "a")]
)
def test_fields_that_cannot_be_selected_by(resource: Resource, fields: str) -> None:
    with pytest.raises(StatusError) as refused:
        selector(resource, fields=fields)
    assert refused.value.status == 400
