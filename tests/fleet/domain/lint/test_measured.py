"""What starts tell: of rows, and of the API's answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fleet.domain.compare.records import Compared
from fleet.domain.lint.measured import Measured, lengths_of, measured_from
from fleet.domain.lint.settings import Ref
from fleet.domain.lint.told import measured_by_model, measured_of

SINCE = datetime(2026, 11, 1, tzinfo=UTC)
KEY = "demo/InferenceService/chat/llama"
REF = Ref(api_version="", kind="InferenceService", namespace="chat", name="llama")


def start(at: int, **fields: Any) -> Compared:
    return Compared(
        **{
            "id": at,
            "model": KEY,
            "model_uid": "u",
            "cluster": "demo",
            "started_at": SINCE + timedelta(hours=at),
            "outcome": "ready",
            "trigger": "rollout",
            "start_mode": "cold",
            "total_s": 100.0 + at,
            "phases_s": {"fetch-model": 40.0, "load-engine": 50.0, "become-ready": 5.0},
            **fields,
        }
    )


@pytest.mark.parametrize(
    ("count", "basis", "reach_s"),
    [
        pytest.param(2, None, None, id="two tell nothing"),
        pytest.param(3, "longest", 3.0, id="three: the longest"),
        pytest.param(19, "longest", 19.0, id="nineteen: the longest"),
        pytest.param(20, "p95", 19.05, id="twenty: the p95"),
    ],
)
def test_how_long_it_may_take(count: int, basis: str | None, reach_s: float | None) -> None:
    found = lengths_of(float(each + 1) for each in range(count))
    assert (found and found.basis, found and round(found.reach_s, 2)) == (basis, reach_s)


def test_starts_of_a_model() -> None:
    starts = [start(at, trigger="scale-from-zero", weights_from="pvc") for at in range(6)]
    found = measured_from([*starts, start(9, outcome="failed", total_s=9000.0)])
    assert found.total is not None
    assert found.load is not None
    assert (found.total.n, found.total.longest_s, found.load.longest_s) == (6, 105.0, 55.0)
    assert (found.from_zero, found.weights_from) == (6, "pvc")
    assert found.fetch_share == pytest.approx(40 / 102.5)


def test_compiling_counts_where_no_compiled_graph_was_found() -> None:
    missed = {"parts_s": {"compile_total": 60.0}, "log_facts": {"compile_cache": "miss"}}
    hit = {"parts_s": {"compile_total": 4.0}, "log_facts": {"compile_cache": "hit"}}
    found = measured_from([*(start(at, **missed) for at in range(3)), start(4, **hit)])
    assert found.compile is not None
    assert (found.compile.n, found.compile.longest_s) == (3, 60.0)


def test_what_the_newest_log_says_of_the_kv_cache() -> None:
    found = measured_from(
        [
            start(1, log_facts={"concurrency": 8.5}),
            start(2, log_facts={"concurrency": 12.5}),
            start(3, log_facts={"concurrency": True}),
        ]
    )
    assert found.sequences == 12.5


def test_nothing_is_made_of_nothing() -> None:
    assert measured_from([]) == Measured(from_zero=0)
    assert measured_from([], by_hour=[1.0] * 24).by_hour is None
    assert measured_from([], by_hour=[1.0] * 168).by_hour == (1.0,) * 168


def model(**starts: Any) -> dict[str, Any]:
    return {"key": KEY, "cold_start": starts}


def test_a_model_of_the_api() -> None:
    answer = model(count_7d=24, p50_s=84.0, p95_s=171.0, last={"total_s": 90.0})
    found = measured_of(REF, measured_by_model([answer]))
    assert found.total is not None
    assert (found.total.n, found.total.reach_s, found.total.basis) == (24, 171.0, "p95")


def test_a_model_with_too_few_starts_has_its_last() -> None:
    found = measured_of(REF, measured_by_model([model(count_7d=1, last={"total_s": 90.0})]))
    assert found.total is not None
    assert (found.total.reach_s, found.total.basis) == (90.0, "longest")


def api_start(at: int) -> dict[str, Any]:
    return {
        "model": KEY,
        "outcome": "ready",
        "trigger": "scale-from-zero",
        "start_mode": "cached-image",
        "started_at": f"2026-11-0{at + 1}T09:00:00Z",
        "total_s": 100.0,
        "phases": [
            {"phase": "fetch-model", "seconds": 60.0, "parts": []},
            {
                "phase": "load-engine",
                "seconds": 40.0,
                "parts": [{"part": "compile_total", "seconds": 30.0}],
            },
        ],
        "weights_from": "storage-initializer",
        "log": {"facts": {"compile_cache": "miss", "concurrency": 9.0}},
    }


def test_cold_starts_of_the_api_tell_phases() -> None:
    page = {"items": [api_start(at) for at in range(5)], "next": None}
    found = measured_of(REF, measured_by_model([page]))
    assert found.fetch_share == 0.6
    assert found.load is not None
    assert found.compile is not None
    assert (found.load.longest_s, found.compile.longest_s) == (40.0, 30.0)
    assert (found.from_zero, found.sequences) == (5, 9.0)


def test_what_names_no_model_is_of_each() -> None:
    answer = {"cold_start": {"p95_s": 171.0, "count_7d": 30}}
    assert measured_of(REF, measured_by_model([answer])).total is not None


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(
            {"key": "demo/InferenceService/chat/other", "cold_start": {"p95_s": 1}}, id="other"
        ),
        pytest.param({"key": KEY, "cold_start": None}, id="null"),
        pytest.param({"key": KEY, "cold_start": {"p95_s": "long", "last": []}}, id="no numbers"),
        pytest.param([], id="an empty list"),
        pytest.param({"items": None}, id="no page"),
        pytest.param(
            {"items": [{"model": KEY, "started_at": "then", "total_s": 5}]}, id="no start"
        ),
    ],
)
def test_answers_that_tell_nothing_of_it(answer: object) -> None:
    assert measured_of(REF, measured_by_model([answer])).total is None
