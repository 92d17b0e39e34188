"""Who follows a cluster: a lease in its row. The epoch rises with every owner, and every write
is guarded by owner and epoch, so that a follower that was away too long can write nothing."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F

from fleet.errors import LeaseLost
from fleet.models import Cluster

# Renewed by every batch, at least each heartbeat (5 s): two may be missed.
LEASE = timedelta(seconds=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to write what is seen of one cluster."""

    cluster_id: int
    cluster: str
    owner: str
    epoch: int


def claim(cluster: str, *, owner: str, now: datetime) -> Lease | None:
    """The lease, or None when somebody holds it or the cluster is not to be followed.

    owner: names one run of one task, not a host: two runs in one process are two owners.
    """
    with transaction.atomic():
        free = Cluster.objects.unled(now=now).filter(name=cluster)
        taken = free.update(
            lease_owner=owner, lease_epoch=F("lease_epoch") + 1, lease_expires_at=now + LEASE
        )
        if not taken:
            return None
        row = Cluster.objects.get(name=cluster)
    return Lease(cluster_id=row.pk, cluster=row.name, owner=owner, epoch=row.lease_epoch)


def renew(lease: Lease, *, now: datetime, **columns: Any) -> None:
    """Keep the lease and set further columns of the cluster's row in the same update.

    Raises LeaseLost when the row is no longer ours, or the cluster was paused or removed.
    """
    if not _held(lease).update(lease_expires_at=now + LEASE, **columns):
        raise LeaseLost(f"cluster {lease.cluster} is no longer followed by {lease.owner}")


def release(lease: Lease, *, now: datetime) -> None:
    """Let the next follower begin at once; nothing happens when the lease is lost already."""
    Cluster.objects.filter(
        pk=lease.cluster_id, lease_owner=lease.owner, lease_epoch=lease.epoch
    ).update(lease_expires_at=now - LEASE)


def _held(lease: Lease) -> Any:
    return Cluster.objects.followed().filter(
        pk=lease.cluster_id, lease_owner=lease.owner, lease_epoch=lease.epoch
    )
