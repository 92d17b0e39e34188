"""Which clusters' data is too old to be believed: their models are said to be Unknown."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from fleet.domain.ledger.delta import State
from fleet.models import Cluster


def too_old(last_proof_at: datetime | None, *, now: datetime) -> bool:
    """Whether a cluster with that last proof is Unknown at `now`; never proven counts as old."""
    limit = timedelta(seconds=settings.UNKNOWN_AFTER_S)
    return last_proof_at is None or last_proof_at < now - limit


def stale_clusters(*, now: datetime) -> frozenset[str]:
    """Names of the present clusters whose data is too old; a removed cluster's rows are not
    looked at."""
    limit = timedelta(seconds=settings.UNKNOWN_AFTER_S)
    rows = Cluster.objects.stale(now=now, after=limit)
    return frozenset(rows.values_list("name", flat=True))


def shown_state(state: str, cluster: str, *, stale: frozenset[str]) -> State:
    """The state that a reader is told: Unknown on a stale cluster, else what the objects say."""
    return State.UNKNOWN if cluster in stale else State(state)
