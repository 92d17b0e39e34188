"""Who reads a cluster's metrics now: a claim in its row, until a moment that is its token."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from fleet.domain.requests.records import WINDOW_S
from fleet.errors import LeaseLost
from fleet.models import Cluster
from fleet.models.cluster import ClusterQuerySet


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to write one cluster's requests until `until`."""

    cluster_id: int
    cluster: str
    until: datetime


def measured() -> ClusterQuerySet:
    """Followed clusters whose metrics are to be read."""
    return Cluster.objects.followed().filter(~Q(metrics_url="") | Q(metrics_pages=True))


def claim(cluster: str, *, now: datetime, for_: timedelta) -> Claim | None:
    """The claim, or None when somebody holds it or nothing is to be read."""
    free = Q(metrics_claimed_until=None) | Q(metrics_claimed_until__lt=now)
    until = now + for_
    rows = measured().filter(free, name=cluster)
    if not rows.update(metrics_claimed_until=until):
        return None
    row = Cluster.objects.present().get(name=cluster)
    return Claim(cluster_id=row.pk, cluster=row.name, until=until)


def keep(claim: Claim, **columns: Any) -> None:
    """Set columns of the cluster's row; raises LeaseLost when the claim is another's by now."""
    held = measured().filter(pk=claim.cluster_id, metrics_claimed_until=claim.until)
    if not held.update(**columns):
        raise LeaseLost(f"metrics of cluster {claim.cluster} are read by another worker")


def let_go(claim: Claim) -> None:
    """Let the next reader begin at once; nothing happens when the claim is another's."""
    held = Cluster.objects.filter(pk=claim.cluster_id, metrics_claimed_until=claim.until)
    held.update(metrics_claimed_until=None)


def due(*, now: datetime, lag: timedelta) -> list[str]:
    """Names of clusters with windows that are not read yet, and that nobody reads now. Pages are
    read without the lag."""
    free = Q(metrics_claimed_until=None) | Q(metrics_claimed_until__lt=now)
    window = timedelta(seconds=WINDOW_S)
    behind = Q(metrics_read_to=None) | Q(metrics_read_to__lte=now - lag - window)
    pages = Q(metrics_url="", metrics_read_to__lte=now - window)
    return list(measured().filter(free, behind | pages).values_list("name", flat=True))


def silent(*, since: datetime) -> list[str]:
    """Names of clusters whose metrics were read once, and not since that moment or not any more."""
    old = Q(metrics_read_to__lt=since) | ~Q(pk__in=measured().values("pk"))
    return list(
        Cluster.objects.filter(old, metrics_read_to__isnull=False).values_list("name", flat=True)
    )
