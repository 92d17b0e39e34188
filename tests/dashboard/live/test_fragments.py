"""What a message says: only what differs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dashboard.live.bell import ANYTHING, Numbers, Ring, read_ring
from dashboard.live.fragments import Fragment, Shown, by_id, changes, numbered, snapshot
from dashboard.live.kept import KeptFragments


def shown(order: tuple[str, ...] | None = None, proof: int = 1, **stamps: str) -> Shown:
    rows = [Fragment(dom_id, stamp, f"<i>{stamp}</i>") for dom_id, stamp in stamps.items()]
    return Shown(fragments=by_id(rows), order=order, proofs={"demo-a": proof})


def said(tail: str) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(numbered(7, tail))
    assert message.pop("n") == 7
    assert message.pop("now") == 5
    return message


def test_nothing_differs_nothing_is_said() -> None:
    assert changes(shown(a="1"), shown(a="1"), now_ms=5) == ""


@pytest.mark.parametrize(
    ("new", "message"),
    [
        pytest.param(
            shown(("a", "b"), a="2", b="1"),
            {"fragments": [{"id": "a", "html": "<i>2</i>"}]},
            id="one row is another",
        ),
        pytest.param(shown(("b", "a"), a="1", b="1"), {"order": ["b", "a"]}, id="another order"),
        pytest.param(shown(("b",), b="1"), {"order": ["b"]}, id="a row is gone"),
        pytest.param(
            shown(("a", "b"), 2, a="1", b="1"), {"proofs": {"demo-a": 2}}, id="a fresh proof"
        ),
    ],
)
def test_changes(new: Shown, message: dict[str, Any]) -> None:
    assert said(changes(shown(("a", "b"), a="1", b="1"), new, now_ms=5)) == message


def test_a_snapshot_holds_what_the_page_lacks() -> None:
    message = said(snapshot(shown(("a", "b"), a="2", b="1"), {"a": "1", "b": "1"}, now_ms=5))
    assert message == {
        "snapshot": True,
        "fragments": [{"id": "a", "html": "<i>2</i>"}],
        "order": ["a", "b"],
        "proofs": {"demo-a": 1},
    }


RING = '{"epoch":"e","n":%d,"keys":["demo-a/InferenceService/chat/x"]}'
HEARD = Ring("", frozenset({"demo-a/InferenceService/chat/x"}))


@pytest.mark.parametrize(
    ("texts", "rings"),
    [
        pytest.param([RING % 1, RING % 2], [HEARD, HEARD], id="in step"),
        pytest.param([RING % 1, RING % 3], [HEARD, ANYTHING], id="after a gap anything may differ"),
        pytest.param([RING % 9], [HEARD], id="the first of an epoch is no gap"),
        pytest.param(["nonsense"], [ANYTHING], id="not JSON"),
        pytest.param(["[1]"], [ANYTHING], id="not an object"),
        pytest.param(['{"epoch":"e","n":1,"keys":[]}'], [ANYTHING], id="no keys"),
    ],
)
def test_rings(texts: list[str], rings: list[Ring]) -> None:
    numbers = Numbers()
    assert [read_ring(text, numbers) for text in texts] == rings


def test_only_the_newest_fragments_are_kept() -> None:
    kept = KeptFragments(most=2)
    for stamp in ("1", "2", "3"):
        kept.put(Fragment("a", stamp, stamp))
    assert kept.get("a", "1") is None
    assert kept.get("a", "3") == Fragment("a", "3", "3")
