"""A follower of a hosted API server, turned by the test."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

import pytest

from fleet.adapters.kubernetes import lists
from fleet.domain.ledger.settings import LedgerSettings
from fleet.history.clusters import add_cluster
from fleet.history.leases import Lease, claim, release
from fleet.observe import backoff, reading, tending
from fleet.observe import follow as follow_
from fleet.observe.follow import Follower, Task
from fleet.ports import Clock, ClusterReader, LogReader
from tests.hosted.fixtures import Read, api, kubeconfig, read, wall_clock

__all__ = ["api", "kubeconfig", "read"]

PATIENCE_S = 40.0


class Bell:
    """An announcer that remembers."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def changed(self, *, cluster: str, keys: Sequence[str]) -> None:
        self.keys.extend(keys)


class Following:
    """One follower in the test's own thread, so that it shares the test's transaction."""

    def __init__(
        self,
        reader: ClusterReader,
        *,
        lease: Lease,
        clock: Clock,
        logs: LogReader | None = None,
    ) -> None:
        self.bell = Bell()
        self.lease = lease
        self.over = threading.Event()
        self.task = Task(
            lease=lease,
            reader=reader,
            announcer=self.bell,
            clock=clock,
            over=self.over,
            settings=LedgerSettings(),
            logs=logs,
        )
        self.follower = Follower(self.task)
        self.follower.begin()

    def until(self, seen: Callable[[], bool], *, instead: Callable[[], object] = str) -> None:
        """Turn until it is seen; `instead` says what was there if it never is."""
        deadline = time.monotonic() + PATIENCE_S
        while not seen():
            assert time.monotonic() < deadline, f"never seen; instead: {instead()}"
            self.follower.turn()

    def turn_for(self, seconds: float) -> None:
        """Turn for a while, to show that something does not happen."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.follower.turn()

    def end(self) -> None:
        """As the use case ends it."""
        self.follower.end()
        release(self.lease, now=self.task.clock())


Follow = Callable[..., Following]


@pytest.fixture
def no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds become tenths: the order of things stays."""
    monkeypatch.setattr(tending, "PULSE_EVERY_S", 0.2)
    monkeypatch.setattr(follow_, "BEAT_S", 0.2)
    monkeypatch.setattr(reading, "RELIST_WAIT_S", (0.0, 0.05))
    monkeypatch.setattr(backoff, "FIRST_S", 0.05)
    monkeypatch.setattr(backoff, "LONGEST_S", 0.5)
    monkeypatch.setattr(lists, "FIRST_WAIT_S", 0.02)


@pytest.fixture
def follow(db: None, no_long_waits: None, read: Read) -> Iterator[Follow]:
    """Follows cluster `hosted` as the viewer; a second call goes on where the first ended."""
    made: list[Following] = []
    add_cluster("hosted", source="kubeconfig", context="hosted", now=datetime.now(UTC))

    def start(
        context: str = "hosted", *, clock: Clock = wall_clock, logs: LogReader | None = None
    ) -> Following:
        lease = claim("hosted", owner=f"test-{len(made)}", now=clock())
        assert lease is not None
        made.append(Following(read(context, clock=clock), lease=lease, clock=clock, logs=logs))
        return made[-1]

    yield start
    for following in made:
        following.end()
