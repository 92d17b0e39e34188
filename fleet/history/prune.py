"""What is deleted when its time is over: facts after 30 days, starts after three years. The audit
trail, plans and actions stay for ever."""

from datetime import datetime, timedelta
from typing import Any

from django.db import models

from fleet.models import ColdStart, Gap, ProbeFailure, Replica, Revision, ScaleEvent, ServedModel

FACTS = timedelta(days=30)
STARTS = timedelta(days=3 * 365 + 1)
# Deleted in small transactions: followers must get in between.
ROWS_AT_ONCE = 1000

RULES: tuple[tuple[type[models.Model], str, timedelta], ...] = (
    (Replica, "gone_at", FACTS),
    (ScaleEvent, "at", FACTS),
    (ProbeFailure, "at", FACTS),
    (Gap, "until", FACTS),
    (ServedModel, "gone_at", STARTS),
    (Revision, "gone_at", STARTS),
    (ColdStart, "started_at", STARTS),
)


def prune(*, now: datetime) -> dict[str, int]:
    """Delete what is older than its time; how many rows of each noun went."""
    return {
        model._meta.verbose_name_plural.__str__(): _delete(
            model._default_manager.filter(**{f"{column}__lt": now - age})
        )
        for model, column, age in RULES
    }


def _delete(rows: "models.QuerySet[Any]") -> int:
    gone = 0
    while ids := list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        rows.model._default_manager.filter(pk__in=ids).delete()
        gone += len(ids)
    return gone
