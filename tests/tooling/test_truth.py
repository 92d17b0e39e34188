"""`make truth` finds what is wrong: a start that is missing, doubled, misjudged or mismeasured."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from benchmarks.agreement import compare

T = "2026-11-30T12:{:02d}:{:02d}.000000Z".format
TRUTH: dict[str, Any] = {
    "pod": "llama-1",
    "pod_uid": "uid-1",
    "outcome": "ready",
    "trigger": "scale-from-zero",
    "start_mode": "cold",
    "boundaries": {
        "demanded": T(0, 0),
        "pod_created": T(0, 1),
        "node_chosen": T(0, 2),
        "fetch_started": T(0, 3),
        "fetch_ended": T(0, 23),
        "pull_started": T(0, 23),
        "full_pull_started": T(0, 23),
        "pull_ended": T(0, 53),
        "container_started": T(0, 53),
        "engine_answers": T(1, 48),
        "ready": T(1, 53),
    },
}
SPANS = {
    "decide": 1.0,
    "schedule": 1.0,
    "prepare": 1.0,
    "fetch-model": 20.0,
    "pull-image": 30.0,
    "load-engine": 55.0,
    "become-ready": 5.0,
}
MEASURED: dict[str, Any] = {
    "replica_uid": "uid-1",
    "outcome": "ready",
    "trigger": "scale-from-zero",
    "start_mode": "cold",
    "total_s": 113.0,
    "phases": [{"phase": phase, "seconds": seconds} for phase, seconds in SPANS.items()],
}


def as_it_is(rows: list[dict[str, Any]]) -> None:
    """Nothing to change."""


def double(rows: list[dict[str, Any]]) -> None:
    rows.append(rows[0])


def misjudge(rows: list[dict[str, Any]]) -> None:
    rows[0]["trigger"] = "rollout"


def stretch(rows: list[dict[str, Any]]) -> None:
    rows[0]["total_s"] = 120.0


def forget_the_pull(rows: list[dict[str, Any]]) -> None:
    rows[0]["phases"] = [span for span in rows[0]["phases"] if span["phase"] != "pull-image"]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        pytest.param(as_it_is, set(), id="all as it was"),
        pytest.param(double, {"starts"}, id="a start measured twice"),
        pytest.param(misjudge, {"trigger"}, id="another trigger"),
        pytest.param(stretch, {"error of total_s"}, id="seven seconds too long"),
        pytest.param(forget_the_pull, {"error of pull-image"}, id="a phase that is not seen"),
    ],
)
def test_what_is_wrong_is_named(
    change: Callable[[list[dict[str, Any]]], None],
    wrong: set[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [deepcopy(MEASURED)]
    change(rows)
    verdicts = list(compare([TRUTH], rows))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["name"] for line in lines if line["ok"] is False} == wrong
    assert all(verdicts) == (not wrong)


def test_a_missing_start_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert not all(list(compare([TRUTH], [])))
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["missing"] == ["llama-1"]
