"""Marks the lanes' tests, skips those whose tool is missing, and names them at the end."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.lanes.tools import LACKS, LANES, tool

# The file in which `tests.lanes.suite` collects what each of its pytest runs left out.
LEFT_OUT = "PILOTLIGHT_LEFT_OUT_FILE"
# Set: only tests that use the database run (the lane on another database).
ONLY_DATABASE = "PILOTLIGHT_ONLY_DATABASE"
DATABASE_FIXTURES = frozenset({"db", "transactional_db", "live_server", "admin_client"})


def lanes_of(item: pytest.Item) -> set[str]:
    """The lanes a test is in, by its marks and by the fixtures it asks for."""
    asked = set(getattr(item, "fixturenames", ())) | {mark.name for mark in item.iter_markers()}
    return asked & set(LANES)


def uses_database(item: pytest.Item) -> bool:
    """Whether a test reads or writes rows."""
    asked = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or bool(asked & DATABASE_FIXTURES)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with its lanes; skip it when a tool is missing."""
    if ONLY_DATABASE in os.environ:
        items[:] = [item for item in items if uses_database(item)]
    left_out: dict[str, int] = {}
    for item in items:
        for lane in sorted(lanes_of(item)):
            item.add_marker(lane)
            if tool(lane) is None:
                left_out[lane] = left_out.get(lane, 0) + 1
                item.add_marker(pytest.mark.skip(reason=f"lane not run: {lane}: {LACKS[lane]}"))
    config.stash[LEFT_OUT_KEY] = left_out


LEFT_OUT_KEY = pytest.StashKey[dict[str, int]]()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say which lanes did not run; tell the suite's runner, when there is one."""
    left_out = config.stash.get(LEFT_OUT_KEY, {})
    for lane, tests in sorted(left_out.items()):
        terminalreporter.write_line(f"lane not run: {lane} ({tests} tests): {LACKS[lane]}")
    path = os.environ.get(LEFT_OUT)
    if path is not None:
        with Path(path).open("a") as file:
            file.write(json.dumps(left_out) + "\n")
