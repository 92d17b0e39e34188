"""Recorded watches, asked again all at once while one pod changes.

Line by line: type, and the shape of the object. Times are not compared; the changes that happened
to come during a recording are not the same as here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from simulator.api.hosted import HostedApi
from tests.simulator.api.exchanges import (
    Answer,
    ask,
    client_of,
    exchange,
    header_differences,
    shape_differences,
    value_differences,
)
from tests.simulator.api.recorded_cluster import RecordedLogs, fill, touch
from tests.simulator.api.test_recorded_exchanges import WATCHES

LASTS_S = 2
STAYING = [
    name
    for name in WATCHES
    if exchange(name).response["status"] == 200
    and "ERROR" not in [line["type"] for line in exchange(name).lines]
]


@pytest.fixture(scope="module")
def answers() -> Iterator[dict[str, Answer]]:
    """Every recorded watch, open at the same time; one pod loses a label meanwhile."""
    with HostedApi(logs=RecordedLogs(), wait_for_version_s=0.0) as api, client_of(api) as client:
        api.call(lambda: fill(api, marked=True))
        with ThreadPoolExecutor(len(WATCHES)) as pool:
            open_watches = {
                name: pool.submit(ask, api, client, exchange(name), timeout_s=LASTS_S)
                for name in WATCHES
            }
            wait_for_watchers(api)
            api.call(lambda: touch(api, value=None))
            yield {name: future.result() for name, future in open_watches.items()}


def wait_for_watchers(api: HostedApi) -> None:
    """Until all watches that stay open have joined."""
    deadline = time.monotonic() + 30
    while api.call(api.server.backend.hub.count) < len(STAYING):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def types(lines: list[dict[str, Any]]) -> list[str]:
    return [line["type"] for line in lines]


@pytest.mark.parametrize("name", WATCHES)
def test_it_starts_as_recorded(name: str, answers: dict[str, Answer]) -> None:
    recording, answer = exchange(name), answers[name]
    assert answer.status == recording.response["status"], answer.text
    assert header_differences(recording, answer) == []
    if not recording.lines:
        return
    expected, got = recording.lines[0], answer.lines[0]
    assert expected["type"] == got["type"]
    assert list(shape_differences(without_touch(expected), without_touch(got))) == []


def without_touch(line: dict[str, Any]) -> dict[str, Any]:
    """The line without the marks that the recorder, or this test, had put on the pod."""
    for obj in (line["object"], *(row["object"] for row in line["object"].get("rows") or [])):
        for marks in ("annotations", "labels"):
            for key in [key for key in obj["metadata"].get(marks, {}) if "example.com" in key]:
                del obj["metadata"][marks][key]
    return line


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("watch-list", ["ADDED"] * 3 + ["BOOKMARK", "MODIFIED"], id="streaming list"),
        pytest.param(
            "watch-list-custom-resource",
            ["ADDED", "ADDED", "BOOKMARK"],
            id="streaming list of a custom resource",
        ),
        pytest.param("watch-list-empty-namespace", ["BOOKMARK"], id="only the end mark"),
        pytest.param(
            "watch-list-no-bookmarks",
            ["ADDED"] * 3 + ["MODIFIED"],
            id="no end mark without allowWatchBookmarks",
        ),
        pytest.param("watch-no-rv", ["ADDED"] * 3 + ["MODIFIED"], id="no version: synthetic ADDED"),
        pytest.param("watch-rv-0", ["ADDED"] * 3 + ["MODIFIED"], id="version 0: synthetic ADDED"),
        pytest.param("watch-rv-future", [], id="a version of the future: silence"),
        pytest.param("watch-selector-leaves", ["DELETED"], id="leaving a selector is a DELETED"),
        pytest.param("watch-timeout", ["MODIFIED"], id="a plain end after its time"),
        pytest.param("watch-table", ["MODIFIED"], id="a Table a line"),
        pytest.param("watch-too-old", ["ERROR"], id="too old: one ERROR line"),
    ],
)
def test_types_of_the_lines(name: str, expected: list[str], answers: dict[str, Answer]) -> None:
    seen = types(answers[name].lines)
    assert seen == expected


@pytest.mark.parametrize(
    "name", ["watch-too-old", "watch-too-old-custom-resource", "watch-events-too-old"]
)
def test_a_version_too_old_is_said_in_the_same_words(name: str, answers: dict[str, Answer]) -> None:
    expected, got = exchange(name).lines, answers[name].lines
    assert list(value_differences(expected, got)) == []


def test_what_left_a_selector_is_told_as_it_was_with_the_new_version(
    answers: dict[str, Answer],
) -> None:
    left = answers["watch-selector-leaves"].lines[0]["object"]["metadata"]
    changed = answers["watch-no-rv"].lines[-1]["object"]["metadata"]
    assert left["labels"]["example.com/mark"] == "yes"
    assert left["resourceVersion"] == changed["resourceVersion"]
