"""The starts of a list that is too long to be read one by one: sums of whole UTC days."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from dashboard.access.rules import Grant
from dashboard.access.scope import within
from dashboard.charts.figures import Figure
from dashboard.charts.over_time_figure import Point, over_time_figure
from dashboard.views.starts_query import StartsQuery
from dashboard.words import Words
from fleet.history.start_counts import are_behind
from fleet.history.start_days import DaySums, Lengths, day_sums
from fleet.models import StartDay
from fleet.models.start_counts import WHOLE_CLUSTER, StartDayQuerySet

# In a shorter range a day is too coarse.
SHORTEST = timedelta(days=5)
DAY = timedelta(days=1)


def days_of(query: StartsQuery, grant: Grant) -> DaySums | None:
    """None where sums do not tell what is asked for: by model, name, revision, node or trigger,
    or of a few days only; and while starts are still to be counted. Two queries."""
    untold = (query.q, query.model, query.revision, query.node, query.trigger)
    if any(untold) or query.range.until - query.range.since < SHORTEST:
        return None
    return None if are_behind(now=datetime.now(UTC)) else day_sums(_rows(query, grant))


def _rows(query: StartsQuery, grant: Grant) -> StartDayQuerySet:
    rows = within(StartDay.objects.between(*_days(query)), grant)
    asked = {
        "cluster": query.cluster,
        "namespace": query.namespace,
        "team": query.team,
        "environment": query.environment,
        "outcome": query.outcome,
        "start_mode": query.mode,
    }
    rows = rows.filter(**{name: value for name, value in asked.items() if value})
    parted = query.namespace or query.team or query.environment or grant.namespaces is not None
    if parted:
        return rows.exclude(namespace=WHOLE_CLUSTER)
    return rows.filter(namespace=WHOLE_CLUSTER)


def _days(query: StartsQuery) -> tuple[date, date]:
    """The first and the last UTC day of the range; one that ends at midnight lacks the next."""
    since, until = query.range.since.astimezone(UTC), query.range.until.astimezone(UTC)
    return since.date(), (until - timedelta.resolution).date()


def days_figure(sums: DaySums, mode: str, query: StartsQuery, *, says: Words) -> Figure:
    """p50 and p95 of each day."""
    days = sorted(day for of_mode, day in sums.days if of_mode == mode)
    points = [_point(day, sums.days[mode, day]) for day in days]
    since, until = query.range.since, query.range.until
    return over_time_figure("over-time", points, (), (), since=since, until=until, says=says)


def _point(day: date, lengths: Lengths) -> Point:
    begins = datetime.combine(day, time(), UTC)
    return Point(
        since=begins, until=begins + DAY, n=lengths.n, p50_s=lengths.p50_s, p95_s=lengths.p95_s
    )
