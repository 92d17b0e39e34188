"""The use case from its beginning to its end: deadline, stop signal, lease."""

import threading
import time
from datetime import UTC, datetime

import pytest

from fleet.domain.ledger.settings import LedgerSettings
from fleet.errors import LeaseLost
from fleet.history.clusters import add_cluster, pause_cluster
from fleet.history.leases import Lease, claim
from fleet.models import Cluster
from fleet.observe.follow import JOIN_S, LISTEN_S, Follower, Task, follow
from fleet.observe.inbox import PACE_S
from tests.fleet.observe.conftest import Bell
from tests.hosted.fixtures import Read, wall_clock

# Far above what a busy machine needs, far below the minutes of a watch.
HANGS_S = 30.0


@pytest.fixture
def lease(db: None) -> Lease:
    add_cluster("hosted", source="kubeconfig", context="hosted", now=wall_clock())
    held = claim("hosted", owner="test", now=wall_clock())
    assert held is not None
    return held


def task(lease: Lease, read: Read, over: threading.Event) -> Task:
    return Task(
        lease=lease,
        reader=read(),
        announcer=Bell(),
        clock=wall_clock,
        over=over,
        settings=LedgerSettings(),
    )


def test_it_ends_at_its_deadline_and_the_next_one_may_begin(lease: Lease, read: Read) -> None:
    began = time.monotonic()
    follow(task(lease, read, threading.Event()), deadline_s=1.0)
    assert time.monotonic() - began >= 1.0
    assert claim("hosted", owner="next", now=datetime.now(UTC)) is not None


def test_what_the_end_may_wait_for_is_less_than_a_second() -> None:
    assert LISTEN_S + PACE_S + JOIN_S < 1.0


def test_it_ends_at_the_turn_at_which_it_is_told_and_its_watches_with_it(
    lease: Lease, read: Read, no_long_waits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told when every watch is open: each would go on for minutes, were its socket not shut."""
    over, turn = threading.Event(), Follower.turn
    turns_when_told: list[bool] = []

    def told_when_live(follower: Follower) -> None:
        turns_when_told.append(over.is_set())
        turn(follower)
        if Cluster.objects.get().state == "live":
            over.set()

    monkeypatch.setattr(Follower, "turn", told_when_live)
    before = set(threading.enumerate())
    follow(task(lease, read, over), deadline_s=60)
    assert Cluster.objects.get().state == "live"
    assert not any(turns_when_told)
    for thread in set(threading.enumerate()) - before:
        thread.join(HANGS_S)
        assert not thread.is_alive(), thread.name


def test_a_cluster_that_is_paused_is_let_go(lease: Lease, read: Read) -> None:
    pause_cluster("hosted", paused=True)
    with pytest.raises(LeaseLost):
        follow(task(lease, read, threading.Event()), deadline_s=20)
    assert Cluster.objects.get().state == "paused"
