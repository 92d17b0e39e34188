"""What kubectl prints: the word for a pod's state, ages, cells of custom columns."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from simulator.api.ages import age, human_duration
from simulator.api.jsonpath import values_at
from simulator.api.pod_cells import pod_cells, pod_reason
from simulator.api.tables import columns_of, table_of
from simulator.store.resources import (
    BUILT_INS,
    EVENTS,
    INFERENCESERVICES,
    REVISIONS,
    SERVINGRUNTIMES,
    Resource,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DONE = {"terminated": {"exitCode": 0, "reason": "Completed"}}
RUNNING: dict[str, Any] = {"running": {}}


def pod(*states: dict[str, Any], init: list[dict[str, Any]] | None = None, **more: Any) -> Any:
    """A pod with container states; init: those of its init containers."""
    return {
        "metadata": {"name": "p", "creationTimestamp": "2026-11-30T11:58:00Z"},
        "spec": {
            "containers": [{"name": f"c{n}"} for n, _ in enumerate(states)],
            "initContainers": [{"name": f"i{n}"} for n, _ in enumerate(init or [])],
        },
        "status": {
            "phase": "Pending",
            "initContainerStatuses": [{"state": state} for state in init or []],
            "containerStatuses": [{"state": state, "ready": state == RUNNING} for state in states],
        }
        | more,
    }


def waiting(reason: str) -> dict[str, Any]:
    return {"waiting": {"reason": reason}}


def ended(code: int, reason: str = "") -> dict[str, Any]:
    return {"terminated": {"exitCode": code} | ({"reason": reason} if reason else {})}


@pytest.mark.parametrize(
    ("made", "word"),
    [
        pytest.param(pod(), "Pending", id="the phase, when nothing is known"),
        pytest.param(pod(RUNNING, phase="Running"), "Running", id="running"),
        pytest.param(pod(waiting("ContainerCreating")), "ContainerCreating", id="waiting"),
        pytest.param(
            pod(RUNNING, waiting("ImagePullBackOff")), "ImagePullBackOff", id="one of two waits"
        ),
        pytest.param(pod(ended(1, "Error")), "Error", id="failed"),
        pytest.param(pod(ended(137)), "ExitCode:137", id="ended without a reason"),
        pytest.param(pod(waiting("x"), init=[RUNNING]), "Init:0/1", id="the first init container"),
        pytest.param(pod(waiting("x"), init=[DONE, RUNNING]), "Init:1/2", id="the second"),
        pytest.param(
            pod(init=[waiting("CrashLoopBackOff")]), "Init:CrashLoopBackOff", id="init crashing"
        ),
        pytest.param(pod(init=[ended(1, "Error")]), "Init:Error", id="init failed"),
        pytest.param(
            pod(waiting("PodInitializing"), init=[DONE]), "PodInitializing", id="init done"
        ),
        pytest.param(pod(phase="Failed", reason="Evicted"), "Evicted", id="evicted"),
    ],
)
def test_the_word_for_a_pods_state(made: dict[str, Any], word: str) -> None:
    assert pod_reason(made) == word


def test_a_pod_being_deleted_is_terminating() -> None:
    made = pod(RUNNING, phase="Running")
    made["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z"
    assert pod_reason(made) == "Terminating"


def test_a_row_of_a_pod() -> None:
    made = pod(RUNNING, waiting("CrashLoopBackOff"), phase="Running", podIP="10.0.0.1")
    last = {"terminated": {"exitCode": 1, "finishedAt": "2026-11-30T11:59:00Z"}}
    made["status"]["containerStatuses"][1] |= {"restartCount": 3, "lastState": last}
    assert pod_cells(made, NOW)[:7] == [
        "p",
        "1/2",
        "CrashLoopBackOff",
        "3 (60s ago)",
        "2m",
        "10.0.0.1",
        "<none>",
    ]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (139, "2m19s"),
        (599, "9m59s"),
        (601, "10m"),
        (10_799, "179m"),
        (10_800, "3h"),
        (12_000, "3h20m"),
        (28_800, "8h"),
        (172_799, "47h"),
        (172_800, "2d"),
        (180_000, "2d2h"),
        (691_200, "8d"),
        (63_072_000, "2y"),
        (-5, "<invalid>"),
    ],
)
def test_durations(seconds: int, said: str) -> None:
    assert human_duration(seconds) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(None, "<unknown>", id="no time"),
        pytest.param("2026-11-30T11:59:00Z", "60s", id="a time"),
        pytest.param("yesterday", "<invalid>", id="no time at all, written by somebody"),
        pytest.param("2026-11-30T11:59:00", "<invalid>", id="a time without a zone"),
    ],
)
def test_a_bad_time_of_one_object_spoils_no_table(text: str | None, said: str) -> None:
    assert age(text, now=datetime(2026, 11, 30, 12, tzinfo=UTC)) == said


def test_no_time_has_no_age() -> None:
    assert age(None, now=NOW) == "<unknown>"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".a.b", [1]),
        (".a.nope", []),
        (".list[*].n", ["x", "y"]),
        (".list[?(@.n=='y')].v", [2]),
        (".list[?(@.on==true)].v", [1]),
        (".labels['x.y/z']", ["label"]),
    ],
)
def test_paths_of_columns(path: str, found: list[Any]) -> None:
    obj = {
        "a": {"b": 1},
        "list": [{"n": "x", "v": 1, "on": True}, {"n": "y", "v": 2}],
        "labels": {"x.y/z": "label"},
    }
    assert values_at(path, obj) == found


@pytest.mark.parametrize("resource", [*BUILT_INS, INFERENCESERVICES, REVISIONS, SERVINGRUNTIMES])
def test_an_object_that_says_nothing_still_makes_a_row(resource: Resource) -> None:
    bare = {"metadata": {"name": "n", "namespace": "web"}}
    table = table_of(resource, [bare], now=NOW, metadata={})
    (row,) = table["rows"]
    assert len(row["cells"]) == len(columns_of(resource))
    assert "n" in row["cells"]


def test_an_event_of_the_scheduler_has_an_age_too() -> None:
    event = {"metadata": {"name": "e"}, "eventTime": "2026-11-30T11:59:30.5Z"}
    assert table_of(EVENTS, [event], now=NOW, metadata={})["rows"][0]["cells"][0] == "29s"
