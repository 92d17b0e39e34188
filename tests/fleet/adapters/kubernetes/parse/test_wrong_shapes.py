"""Objects and lists of a wrong shape: the object is named and skipped, the rest goes on."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from fleet.adapters.kubernetes.parse import parse_list, parse_object
from fleet.domain.records.keys import Resource
from fleet.errors import UnexpectedShape

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


def made(**meta: Any) -> dict[str, Any]:
    """An object with the metadata that the API always gives."""
    base = {"name": "x", "uid": "u", "creationTimestamp": "2026-11-30T09:00:00Z"}
    return {"metadata": base | meta}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param('{"metadata": {"name": "p"}}', "p", id="no uid"),
        pytest.param('{"metadata": {"name": "p", "uid": 7}}', "?", id="a uid that is a number"),
        pytest.param('{"spec": {}}', "?", id="no metadata"),
        pytest.param("[]", "?", id="no object"),
        pytest.param("{", "?", id="no JSON"),
        pytest.param(
            '{"metadata": {"name": "p", "uid": "u", "creationTimestamp": "soon"}}', "p",
            id="a time that is none",
        ),
    ],
)  # fmt: skip
def test_a_wrong_shape_names_the_object_and_the_path(text: str, name: str) -> None:
    with pytest.raises(UnexpectedShape) as caught:
        parse_object(Resource.PODS, text.encode())
    assert (caught.value.kind, caught.value.name) == ("Pod", name)
    assert caught.value.path


def test_one_odd_item_does_not_spoil_a_list() -> None:
    items = [made(), {"metadata": {"name": "broken", "uid": "b"}}, made(uid="v")]
    body = {"metadata": {"resourceVersion": "9"}, "items": items}
    listed = parse_list(Resource.PODS, json.dumps(body).encode(), received_at=NOW)
    assert [record.meta.uid for record in listed.records] == ["u", "v"]
    assert [(item.name, item.uid) for item in listed.odd] == [("broken", "b")]
    assert listed.resource_version == "9"


def test_a_body_that_is_no_list() -> None:
    with pytest.raises(UnexpectedShape):
        parse_list(Resource.PODS, b'{"items": 3}', received_at=NOW)
    assert parse_list(Resource.PODS, b'{"items": null}', received_at=NOW).records == ()
