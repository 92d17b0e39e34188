"""Two weeks of starts for the pages of reports."""

from __future__ import annotations

from datetime import datetime, timedelta


def last_monday(now: datetime) -> datetime:
    """When the week before this one began."""
    monday = now - timedelta(days=now.weekday() + 7)
    return monday.replace(hour=0, minute=0, second=0, microsecond=0)


def fill_weeks(now: datetime) -> None:
    """Models of two teams with starts on the Monday of both weeks, failed ones among them; a
    cluster that was not seen for a while."""
    from fleet.models import Cluster, Gap, ServedModel
    from tests import factories as make

    monday = last_monday(now)
    followed = Cluster.objects.filter(name__in=["demo-a", "demo-b"])
    followed.update(created_at=monday - timedelta(days=9))
    hour = timedelta(hours=1)
    for cluster in followed:
        Gap.objects.create(cluster=cluster, resource="pods", since=monday, until=monday + hour)
    for name, factor in (("qwen", 1.0), ("old", 2.5)):
        model = ServedModel.objects.get(name=name)
        for n in range(12):
            failed = n == 5
            make.make_start(
                model,
                [(phase, seconds * factor) for phase, seconds in make.ORDINARY],
                started_at=monday + n * timedelta(minutes=25),
                outcome="failed" if failed else "ready",
                failure_class="out-of-memory" if failed else "",
                start_mode="cold" if n % 2 else "cached-both",
            )
            make.make_start(model, started_at=monday + n * hour / 3 - timedelta(days=7))
