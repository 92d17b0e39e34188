"""A followed cluster."""

import pytest

from fleet.history.leases import Lease, claim
from fleet.models import Cluster
from tests.fleet.history.samples import NOW, ago


@pytest.fixture
def cluster(db: None) -> Cluster:
    """Nobody follows it yet."""
    return Cluster.objects.create(name="one", context="one", created_at=ago(days=1))


@pytest.fixture
def lease(cluster: Cluster) -> Lease:
    """Held by this test."""
    held = claim(cluster.name, owner="test", now=NOW)
    assert held is not None
    return held
