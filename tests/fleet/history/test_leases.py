"""One follower for each cluster, and no writing by one that was away too long."""

from datetime import timedelta

import pytest

from fleet.errors import LeaseLost
from fleet.history.clusters import pause_cluster, remove_cluster
from fleet.history.leases import LEASE, Lease, claim, release, renew
from fleet.models import Cluster
from tests.fleet.history.samples import NOW


@pytest.mark.parametrize(
    ("later_s", "taken"),
    [
        pytest.param(0, False, id="somebody holds it"),
        pytest.param(LEASE.total_seconds(), False, id="in its last moment it is held"),
        pytest.param(LEASE.total_seconds() + 1, True, id="a lease that lapsed is free"),
    ],
)
def test_a_second_follower(lease: Lease, later_s: float, taken: bool) -> None:
    second = claim("one", owner="other", now=NOW + timedelta(seconds=later_s))
    assert (second is not None) == taken
    if second is not None:
        assert second.epoch == lease.epoch + 1


def test_a_renewed_lease_is_held_longer(lease: Lease) -> None:
    renew(lease, now=NOW + timedelta(seconds=10), kubernetes="1.36.2")
    assert claim("one", owner="other", now=NOW + timedelta(seconds=20)) is None
    assert Cluster.objects.get().kubernetes == "1.36.2"


def test_who_lost_the_lease_can_neither_renew_nor_release_it(lease: Lease) -> None:
    later = NOW + timedelta(minutes=1)
    assert claim("one", owner="other", now=later) is not None
    with pytest.raises(LeaseLost):
        renew(lease, now=later)
    release(lease, now=later)
    assert claim("one", owner="third", now=later) is None


def test_a_released_lease_is_free_at_once(lease: Lease) -> None:
    release(lease, now=NOW)
    assert claim("one", owner="other", now=NOW) is not None


@pytest.mark.parametrize("how", ["paused", "removed"])
def test_a_cluster_that_is_paused_or_removed_is_let_go(lease: Lease, how: str) -> None:
    if how == "paused":
        pause_cluster("one", paused=True)
    else:
        remove_cluster("one", now=NOW)
    with pytest.raises(LeaseLost):
        renew(lease, now=NOW)
    assert claim("one", owner="other", now=NOW + timedelta(minutes=1)) is None
