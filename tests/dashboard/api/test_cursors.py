"""Cursors: what was given comes back, anything else is refused."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest

from dashboard.api.cursors import KeyPlace, NamePlace, TimePlace, decode, encode
from dashboard.api.problems import ApiProblem

PLACE = TimePlace(datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC), "7")


def packed(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(PLACE, id="a moment to the microsecond"),
        pytest.param(KeyPlace("demo-a", "InferenceService", "ns", "é" * 253, 9), id="a long key"),
        pytest.param(NamePlace("demo-a"), id="a name"),
    ],
)
def test_a_place_comes_back(place: KeyPlace | NamePlace | TimePlace) -> None:
    assert decode("list", encode("list", place), type(place)) == place


@pytest.mark.parametrize(
    "cursor",
    [
        pytest.param("!!!", id="not base64"),
        pytest.param("é", id="not ASCII"),
        pytest.param(packed("nonsense"), id="not JSON"),
        pytest.param(base64.urlsafe_b64encode(b"\xff\xfe\xfd").decode(), id="not text"),
        pytest.param(packed("[1]"), id="another form"),
        pytest.param(encode("other", PLACE), id="another list's cursor"),
        pytest.param(packed('["list",["2026-11-30T12:00:00","7"]]'), id="no time zone"),
        pytest.param(packed('["list",["0001-01-01T00:00:00Z","7"]]'), id="before all time"),
        pytest.param(packed('["list",["2026-11-30T12:00:00Z",7]]'), id="an id of another type"),
        pytest.param(packed('["list",["2026-11-30T12:00:00Z","7\\u0000"]]'), id="a NUL"),
        pytest.param("A" * 5000, id="very long"),
        pytest.param(packed("[" * 900), id="deep"),
    ],
)
def test_anything_else_is_refused(cursor: str) -> None:
    with pytest.raises(ApiProblem) as caught:
        decode("list", cursor, TimePlace)
    assert caught.value.status == 422


@pytest.mark.parametrize("row_id", [-1, 2**60])
def test_an_id_that_no_table_has_is_refused(row_id: int) -> None:
    cursor = packed(f'["list",["a","b","c","d",{row_id}]]')
    with pytest.raises(ApiProblem):
        decode("list", cursor, KeyPlace)
