"""Fixtures of the lanes. Asking for one puts a test into its lane."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.lanes import servers
from tests.lanes.tools import LACKS, tool


def _needed(lane: str) -> Path:
    found = tool(lane)
    if found is None:
        pytest.skip(LACKS[lane])
    return found


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """URL of an empty private PostgreSQL, one for the whole run."""
    with servers.postgres_server(_needed("postgres")) as url:
        yield url


@pytest.fixture
def redis() -> Iterator[str]:
    """URL of an empty private Redis, one for each test."""
    with servers.redis_server(_needed("redis")) as url:
        yield url


@pytest.fixture
def prometheus() -> Iterator[Callable[[str], str]]:
    """Starts a private Prometheus with the given YAML and tells its base URL."""
    program = _needed("prometheus")
    with ExitStack() as stack:
        yield lambda config: stack.enter_context(servers.prometheus_server(program, config=config))


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The browser's path."""
    return _needed("chromium")


@pytest.fixture(scope="session")
def kubectl() -> Path:
    """kubectl's path."""
    return _needed("kubectl")
