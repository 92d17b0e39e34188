"""Probe failures of the last hour, counted from their rows."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from fleet.models import ProbeFailure

WINDOW = timedelta(hours=1)


def probe_counts(cluster: str, uids: Sequence[str], *, now: datetime) -> dict[str, tuple[int, int]]:
    """Failures while starting and while serving, by model uid; (0, 0) where there are none.

    A lower bound: Events are rate-limited, and of an Event that began before the hour only one
    failure is sure to lie within it.
    """
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    rows = ProbeFailure.objects.filter(
        cluster=cluster, model_uid__in=uids, at__gte=now - WINDOW
    ).values_list("model_uid", "during", "count", "first_at")
    for uid, during, count, first_at in rows:
        counts[uid][during == "serving"] += count if first_at >= now - WINDOW else 1
    return {uid: (counts[uid][0], counts[uid][1]) for uid in uids}
