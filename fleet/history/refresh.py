"""Figures that time alone changes: failures of the last hour, starts of seven days."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from fleet.history.fleet_rows import set_start_figures
from fleet.history.probe_counts import probe_counts
from fleet.history.start_figures import start_figures
from fleet.models import ServedModel

STALE_AFTER = timedelta(hours=1)
ROWS_AT_ONCE = 200
FIGURES = (
    "count_7d",
    "failed_7d",
    "p50_s",
    "p95_s",
    "last_start",
    "in_flight",
    "probe_starting_1h",
    "probe_serving_1h",
    "version",
    "changed_at",
)


def refresh_figures(*, now: datetime) -> tuple[str, ...]:
    """Count again for rows that show failures of the last hour, or starts and did not change for
    an hour; gives the keys of those that differ now."""
    failing = Q(probe_starting_1h__gt=0) | Q(probe_serving_1h__gt=0)
    old = Q(count_7d__gt=0, changed_at__lt=now - STALE_AFTER)
    present = ServedModel.objects.present().filter(failing | old)
    clusters = present.order_by().values_list("cluster", flat=True).distinct()
    return tuple(key for cluster in clusters for key in _refresh(cluster, failing | old, now=now))


def _refresh(cluster: str, which: Q, *, now: datetime) -> list[str]:
    """One transaction for some rows of one cluster: a follower must not be overwritten."""
    with transaction.atomic():
        rows = (
            ServedModel.objects.select_for_update()
            .present()
            .filter(which, cluster=cluster)
            .order_by("changed_at")[:ROWS_AT_ONCE]
        )
        changed = [row for row in rows if _count_again(row, now=now)]
        for row in rows:
            row.changed_at = now
        ServedModel.objects.bulk_update(rows, FIGURES)
    return [str(row.key) for row in changed]


def _count_again(row: ServedModel, *, now: datetime) -> bool:
    """Whether any figure differs."""
    before = _shown(row)
    figures = start_figures(row.cluster, [row.model_uid], now=now)[row.model_uid]
    set_start_figures(row, figures)
    starting, serving = probe_counts(row.cluster, [row.model_uid], now=now)[row.model_uid]
    row.probe_starting_1h, row.probe_serving_1h = starting, serving
    differs = before != _shown(row)
    row.version += differs
    return differs


def _shown(row: ServedModel) -> tuple[object, ...]:
    return (
        row.count_7d,
        row.failed_7d,
        row.p50_s,
        row.p95_s,
        row.probe_starting_1h,
        row.probe_serving_1h,
    )
