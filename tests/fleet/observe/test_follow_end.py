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
from fleet.observe.follow import Task, follow
from tests.fleet.observe.conftest import Bell
from tests.hosted.fixtures import Read, wall_clock


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
    assert 1.0 <= time.monotonic() - began < 4.0
    assert claim("hosted", owner="next", now=datetime.now(UTC)) is not None


def test_it_ends_within_a_second_of_being_told(lease: Lease, read: Read) -> None:
    over = threading.Event()
    told: list[float] = []

    def tell() -> None:
        told.append(time.monotonic())
        over.set()

    threading.Timer(1.0, tell).start()
    follow(task(lease, read, over), deadline_s=60)
    assert time.monotonic() - told[0] < 1.0
    assert not [t for t in threading.enumerate() if t.name.startswith("hosted pods")]


def test_a_cluster_that_is_paused_is_let_go(lease: Lease, read: Read) -> None:
    pause_cluster("hosted", paused=True)
    with pytest.raises(LeaseLost):
        follow(task(lease, read, threading.Event()), deadline_s=20)
    assert Cluster.objects.get().state == "paused"
