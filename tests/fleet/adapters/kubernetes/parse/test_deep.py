"""What is nested without end is left out; what stands beside it is read."""

import json
from datetime import UTC, datetime

import msgspec
import pytest

from fleet.adapters.kubernetes.parse.deep import decode, shallow
from fleet.adapters.kubernetes.parse.objects import parse_list, parse_object
from fleet.domain.records.keys import Resource

DEEP = "[" * 5000 + "]" * 5000
META = '{"name": "%s", "uid": "u", "creationTimestamp": "2026-11-30T08:00:00Z"}'


def node(name: str, spec: str = "{}") -> str:
    return f'{{"metadata": {META % name}, "spec": {spec}, "status": {{}}}}'


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param('{"a": [1, {"b": 2}]}', {"a": [1, None]}, id="deeper"),
        pytest.param('{"a": [1, 2], "b": {}}', {"a": [1, 2], "b": {}}, id="as deep as allowed"),
        pytest.param('{"a": "[[[[\\"[", "b": 1}', {"a": '[[[["[', "b": 1}, id="brackets in a text"),
        pytest.param(
            '[[[1, [2]], 3, {"c": [4]}], 5]', [[None, 3, None], 5], id="several, one by one"
        ),
    ],
)
def test_what_lies_deeper_is_null(text: str, kept: object) -> None:
    assert json.loads(shallow(text.encode(), levels=2)) == kept


def test_what_is_no_json_stays_none() -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(msgspec.json.Decoder(dict[str, int]), b"[" * 5000)


def test_an_object_is_read_without_its_depths() -> None:
    deep = node("deep", f'{{"odd": {DEEP}}}').encode()
    assert parse_object(Resource.NODES, deep) == parse_object(Resource.NODES, node("deep").encode())


def test_a_list_keeps_what_stands_beside_a_deep_object() -> None:
    items = ", ".join([node("one"), node("deep", f'{{"odd": {DEEP}}}'), node("two")])
    body = f'{{"metadata": {{"resourceVersion": "7"}}, "items": [{items}]}}'.encode()
    listed = parse_list(Resource.NODES, body, received_at=datetime(2026, 11, 30, tzinfo=UTC))
    assert [record.meta.name for record in listed.records] == ["one", "deep", "two"]
    assert (listed.resource_version, listed.odd) == ("7", ())
