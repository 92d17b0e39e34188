"""Pod logs beyond the recordings: following, waiting containers, limits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from simulator.api.hosted import HostedApi
from simulator.api.logs import log_bytes, log_options
from simulator.api.sources import LogLines
from simulator.store.resources import PODS
from tests.simulator.api.exchanges import client_of

START = datetime(2026, 11, 30, 12, 0, 0, 500_000, tzinfo=UTC)
LINES = [(START + timedelta(seconds=n), f"line {n}") for n in range(5)]
NOW = START + timedelta(seconds=10)
POD: dict[str, Any] = {
    "metadata": {"namespace": "web", "name": "a", "uid": "u"},
    "spec": {"containers": [{"name": "main"}]},
    "status": {
        "containerStatuses": [{"name": "main", "state": {"waiting": {"reason": "PodInitializing"}}}]
    },
}
PATH = "/api/v1/namespaces/web/pods/a/log"


class GrowingLog:
    """A log that the test adds to; None until it has begun."""

    def __init__(self) -> None:
        self.written: list[tuple[datetime, str]] | None = None

    def lines(self, pod_uid: str, container: str, previous: bool) -> LogLines | None:
        return None if previous else self.written


@pytest.fixture
def log() -> GrowingLog:
    return GrowingLog()


@pytest.fixture
def logged(log: GrowingLog) -> Iterator[HostedApi]:
    with HostedApi(logs=log) as api:
        api.call(lambda: api.store.adopt(PODS, POD))
        yield api


@pytest.fixture
def client(logged: HostedApi) -> Iterator[httpx.Client]:
    with client_of(logged) as client:
        client.headers["Authorization"] = f"Bearer {logged.token()}"
        yield client


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param({}, [0, 1, 2, 3, 4], id="all"),
        pytest.param({"tailLines": "2"}, [3, 4], id="the last two"),
        pytest.param({"tailLines": "0"}, [], id="none of the past"),
        pytest.param({"tailLines": "99"}, [0, 1, 2, 3, 4], id="more than there are"),
        pytest.param({"sinceSeconds": "8"}, [2, 3, 4], id="of the last seconds"),
        pytest.param({"sinceTime": "2026-11-30T12:00:03Z"}, [3, 4], id="since a second"),
        pytest.param(
            {"sinceTime": "2026-11-30T12:00:03.9Z"},
            [3, 4],
            id="fractions of the second asked for do not count",
        ),
        pytest.param(
            {"sinceTime": "2026-11-30T12:00:01Z", "tailLines": "1"}, [4], id="both bounds"
        ),
    ],
)
def test_which_lines(query: dict[str, str], expected: list[int]) -> None:
    options = log_options(POD, query, now=NOW)
    assert log_bytes(LINES, options).decode().splitlines() == [f"line {n}" for n in expected]


def test_bytes_can_be_limited() -> None:
    assert log_bytes(LINES, log_options(POD, {"limitBytes": "8"}, now=NOW)) == b"line 0\nl"


def test_a_waiting_container_has_no_log_yet(client: httpx.Client) -> None:
    answer = client.get(PATH)
    assert answer.status_code == 400
    assert answer.json()["message"] == (
        'container "main" in pod "a" is waiting to start: PodInitializing'
    )


def test_following_gives_what_is_added_and_ends_with_the_container(
    logged: HostedApi, log: GrowingLog, client: httpx.Client
) -> None:
    log.written = LINES[:1]
    with client.stream("GET", PATH, params={"follow": "true", "timestamps": "true"}) as response:
        lines = response.iter_lines()
        assert next(lines) == "2026-11-30T12:00:00.500000000Z line 0"
        log.written = LINES[:3]
        assert next(lines).endswith("line 1")
        assert next(lines).endswith("line 2")
        logged.call(lambda: logged.store.delete(PODS, "web", "a"))
        assert list(lines) == []
