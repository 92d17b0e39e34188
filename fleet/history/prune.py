"""What is deleted when its time is over: facts after 30 days, requests in 30 s steps after 14 and
their hourly sums after two years, starts, their sums and incidents after three years, counters of
models that are gone. The audit trail, plans and actions stay for ever."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef, Q

from fleet.history.requests import METRICS
from fleet.models import (
    ColdStart,
    Gap,
    Incident,
    ModelInsight,
    ProbeFailure,
    Replica,
    RequestHour,
    Revision,
    ScaleEvent,
    ServedModel,
    StartDay,
    StartTally,
)

FACTS = timedelta(days=30)
STARTS = timedelta(days=3 * 365 + 1)
REQUESTS = timedelta(days=2 * 365 + 1)
WINDOWS = timedelta(days=14)
WINDOWS_NOUN = "windows of requests"
# Deleted in small transactions: followers must get in between.
ROWS_AT_ONCE = 1000

RULES: tuple[tuple[type[models.Model], str, timedelta], ...] = (
    (Replica, "gone_at", FACTS),
    (ScaleEvent, "at", FACTS),
    (ProbeFailure, "at", FACTS),
    (RequestHour, "hour", REQUESTS),
    (ServedModel, "gone_at", STARTS),
    (Revision, "gone_at", STARTS),
    (ColdStart, "started_at", STARTS),
)


def prune(
    *,
    now: datetime,
    only_count: bool = False,
    windows: timedelta = WINDOWS,
    incidents: timedelta = STARTS,
) -> dict[str, int]:
    """Delete what is older than its time; how many rows of each noun went.

    only_count: delete nothing; how many would go. windows: how long requests are kept in 30 s
    steps; incidents: how long incidents are.
    """
    take = _count if only_count else _delete
    old = Incident.objects.filter(ended_at__lt=now - incidents)
    gone = {_noun(rows.model): take(rows) for rows in (*_over(now), old)}
    fine = RequestHour.objects.with_windows().filter(hour__lt=now - windows)
    return gone | {WINDOWS_NOUN: _count(fine) if only_count else _coarsen(fine)}


def _over(now: datetime) -> "Iterator[models.QuerySet[Any]]":
    for model, column, age in RULES:
        yield model._default_manager.filter(**{f"{column}__lt": now - age})
    yield Gap.objects.filter(_old_gap(now))
    yield StartDay.objects.filter(day__lt=(now - STARTS).astimezone(UTC).date())
    yield _tallies_of_the_gone(now)
    yield _insights_of_the_gone()


def _tallies_of_the_gone(now: datetime) -> "models.QuerySet[StartTally]":
    """Nobody asks for a model's counters when it is gone for so long; its labels are free again.
    Those that share labels stay."""
    known = ServedModel.objects.filter(Q(gone_at=None) | Q(gone_at__gte=now - FACTS)).filter(
        **{name: OuterRef(name) for name in ("cluster", "kind", "namespace", "name")}
    )
    return StartTally.objects.exclude(kind="").exclude(Exists(known))


def _insights_of_the_gone() -> "models.QuerySet[ModelInsight]":
    """What was concluded of a model goes with it: incidents keep their findings."""
    same = {name: OuterRef(name) for name in ("cluster", "model_uid")}
    return ModelInsight.objects.exclude(Exists(ServedModel.objects.present().filter(**same)))


def _old_gap(now: datetime) -> Q:
    """Where metrics were not read is told for as long as their sums are."""
    watching = ~Q(resource=METRICS) & Q(until__lt=now - FACTS)
    return watching | Q(resource=METRICS, until__lt=now - REQUESTS)


def _noun(model: type[models.Model]) -> str:
    return str(model._meta.verbose_name_plural)


def _count(rows: "models.QuerySet[Any]") -> int:
    return rows.count()


def _delete(rows: "models.QuerySet[Any]") -> int:
    gone = 0
    while ids := list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        rows.model._default_manager.filter(pk__in=ids).delete()
        gone += len(ids)
    return gone


def _coarsen(rows: "models.QuerySet[RequestHour]") -> int:
    """Hours lose their windows, and keep their sums."""
    done = 0
    while ids := list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        done += RequestHour.objects.filter(pk__in=ids).update(windows=None)
    return done
