"""Following reads the logs of servers that start, where it may, and never waits for them."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fleet.adapters.kubernetes.client import Access
from fleet.adapters.kubernetes.logs import KubernetesLogs
from fleet.models import ColdStart, Replica
from fleet.observe import enginelogs
from simulator.api.hosted import HostedApi
from simulator.api.sources import LogLines
from tests.fleet.observe.conftest import Follow
from tests.hosted.loading import load

# When the containers of the snapshot were started.
STARTED = datetime(2026, 11, 30, 9, 7, 37, tzinfo=UTC)
LINES = (
    (9.0, "INFO 11-30 09:07:46 [a.py:1] vLLM API server version 0.11.0"),
    (12.5, "INFO 11-30 09:07:49 [c.py:1] Initializing a V1 LLM engine (v0.11.0) with config"),
    (30.0, "INFO 11-30 09:08:07 [g.py:1] Graph capturing finished in 11 secs, took 0.71 GiB"),
)
UP = (35.25, "INFO:     Application startup complete.")


class Server:
    """A log that grows."""

    def __init__(self) -> None:
        self.said = list(LINES)

    def lines(self, pod_uid: str, container: str, previous: bool) -> LogLines | None:
        return [(STARTED + timedelta(seconds=after), text) for after, text in self.said]


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def api(server: Server) -> Iterator[HostedApi]:
    with HostedApi(logs=server) as hosted:
        load(hosted, "loading")
        yield hosted


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enginelogs, "READ_EVERY_S", 0.1)


def logs_as(context: str, kubeconfig: Path) -> KubernetesLogs:
    return KubernetesLogs(Access(context=context, kubeconfig=str(kubeconfig)))


def loading() -> dict[str, Any]:
    """The last phase of a start that runs, once there is one."""
    start = ColdStart.objects.filter(outcome="running").first()
    phases = start.phases if start is not None else []
    return next((dict(each) for each in phases if each["phase"] == "load-engine"), {})


def parts() -> dict[str, float]:
    return {part["part"]: part["seconds"] for part in loading().get("parts", [])}


def test_sub_phases_appear_while_it_loads_and_the_end_when_it_serves(
    follow: Follow, server: Server, kubeconfig: Path
) -> None:
    following = follow("hosted-admin", logs=logs_as("hosted-admin", kubeconfig))
    following.until(lambda: "graph_capture" in parts(), instead=loading)
    assert parts()["config"] == 3.5
    assert loading()["ended_at"] is None
    server.said.append(UP)
    following.until(lambda: loading().get("source") == "log", instead=loading)
    assert loading()["ended_at"] is not None


def test_the_next_follower_goes_on_with_what_was_heard(
    follow: Follow, server: Server, kubeconfig: Path
) -> None:
    server.said.append(UP)
    first = follow("hosted-admin", logs=logs_as("hosted-admin", kubeconfig))
    first.until(lambda: loading().get("source") == "log", instead=loading)
    before = loading()
    first.end()
    follow("hosted-admin").turn_for(0.5)
    assert loading() == before
    assert "heard" in Replica.objects.first().facts  # type: ignore[union-attr]


def test_without_the_right_it_follows_all_the_same(follow: Follow, kubeconfig: Path) -> None:
    following = follow(logs=logs_as("hosted", kubeconfig))
    following.until(lambda: loading() != {})
    following.turn_for(0.5)
    assert parts() == {}


def test_a_kubelet_that_hangs_holds_nobody_up(follow: Follow) -> None:
    hangs = threading.Event()

    class Hanging:
        def lines(self, **_: Any) -> list[str]:
            hangs.wait(20.0)
            return []

        def close(self) -> None:
            hangs.set()

    following = follow("hosted-admin", logs=Hanging())
    following.until(lambda: loading() != {})
    assert not hangs.is_set()
