"""Builds adapters and hands them to the use cases; nobody else does. One small function for each
use case."""

import os
import threading
from collections import defaultdict
from datetime import UTC, datetime
from functools import cache

from django.conf import settings

from fleet.adapters.kubernetes.client import Access
from fleet.adapters.kubernetes.reader import KubernetesReader
from fleet.adapters.redis.announcer import RedisAnnouncer, SilentAnnouncer
from fleet.domain.ledger.settings import LedgerSettings
from fleet.history import prune as pruning
from fleet.history import refresh
from fleet.history.clusters import register
from fleet.history.leases import Lease, claim
from fleet.models import Cluster
from fleet.observe.follow import Task, follow
from fleet.ports import Announcer, ClusterFacts


def now() -> datetime:
    """Our clock."""
    return datetime.now(UTC)


@cache
def announcer() -> Announcer:
    """One for the process."""
    return RedisAnnouncer(settings.REDIS_URL) if settings.REDIS_URL else SilentAnnouncer()


def reader_access(cluster: Cluster) -> Access:
    """How its reader reaches a cluster: by the server's own kubeconfig or account, or by what was
    entered on the page."""
    if cluster.source == "kubeconfig":
        return Access(context=cluster.context, kubeconfig=settings.KUBECONFIG)
    return Access()


def ledger_settings() -> LedgerSettings:
    """What the environment sets of it."""
    return LedgerSettings(
        team_label=settings.TEAM_LABEL, environment_label=settings.ENVIRONMENT_LABEL
    )


def follow_cluster(name: str, *, owner: str, deadline_s: float, over: threading.Event) -> bool:
    """Follow the cluster if nobody does; whether we did. Raises LeaseLost when it was taken."""
    lease = claim(name, owner=owner, now=now())
    if lease is None:
        return False
    follow(_task(lease, over), deadline_s=deadline_s)
    return True


def _task(lease: Lease, over: threading.Event) -> Task:
    cluster = Cluster.objects.get(pk=lease.cluster_id)
    return Task(
        lease=lease,
        reader=KubernetesReader(reader_access(cluster), clock=now),
        announcer=announcer(),
        clock=now,
        over=over,
        settings=ledger_settings(),
        namespaces=tuple(cluster.namespaces),
    )


def look_at(cluster: Cluster) -> ClusterFacts:
    """Test the connection to a cluster, saved or not; raises fleet.errors."""
    reader = KubernetesReader(reader_access(cluster), clock=now)
    try:
        return reader.look(namespaces=cluster.namespaces)
    finally:
        reader.close()


def clusters_without_follower() -> list[str]:
    """Names of clusters that nobody follows now; those that the environment names are added."""
    in_cluster = "KUBERNETES_SERVICE_HOST" in os.environ
    register(settings.CONTEXTS, in_cluster=in_cluster, now=now())
    return list(Cluster.objects.unled(now=now()).values_list("name", flat=True))


def refresh_figures() -> None:
    """Count again what time alone changes, and announce it."""
    by_cluster: dict[str, list[str]] = defaultdict(list)
    for key in refresh.refresh_figures(now=now()):
        by_cluster[key.partition("/")[0]].append(key)
    for cluster, keys in by_cluster.items():
        announcer().changed(cluster=cluster, keys=keys)


def prune() -> dict[str, int]:
    """Delete what is past its time."""
    return pruning.prune(now=now())
