"""API servers for the tests: one filled with what was recorded, and empty ones."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from simulator.api.hosted import HostedApi
from tests.simulator.api.exchanges import client_of
from tests.simulator.api.recorded_cluster import RecordedLogs, RecordedPods, fill


@pytest.fixture(scope="module")
def recorded() -> Iterator[HostedApi]:
    """A cluster that holds what the recorded exchanges speak of; one for each module."""
    with HostedApi(logs=RecordedLogs(), pods=RecordedPods(), wait_for_version_s=0.0) as api:
        api.call(lambda: fill(api))
        yield api


@pytest.fixture(scope="module")
def recorded_client(recorded: HostedApi) -> Iterator[httpx.Client]:
    with client_of(recorded) as client:
        yield client


@pytest.fixture
def api() -> Iterator[HostedApi]:
    """An empty cluster with the namespaces default and web."""
    with HostedApi() as hosted:
        yield hosted


@pytest.fixture
def client(api: HostedApi) -> Iterator[httpx.Client]:
    """A client of it that is the administrator."""
    with client_of(api) as client:
        client.headers["Authorization"] = f"Bearer {api.token()}"
        yield client
