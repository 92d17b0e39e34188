"""A week's facts, as the rows of starts, models, clusters and gaps tell them now."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from django.db.models import Q

from fleet.domain.records.keys import ModelKey, Resource
from fleet.domain.reports.facts import ModelLine, WeekFacts
from fleet.domain.reports.sight import Following, Sight, Span, WatchGap, sight_of
from fleet.domain.reports.tally import Tally
from fleet.domain.reports.week import Week
from fleet.history.counted import (
    KEY,
    Counted,
    Identity,
    as_counted,
    counted,
    followed_from,
    followed_since,
    unread_past,
)
from fleet.history.prune import FACTS
from fleet.history.requests import METRICS
from fleet.models import Cluster, Gap, ServedModel

ROWS_AT_ONCE = 2000


def count_week(week: Week, *, now: datetime, last_week: WeekFacts | None) -> WeekFacts:
    """All that a report of this week needs.

    last_week: as its kept report counted it; None = it is counted too.
    """
    since = followed_from()
    span = Span(week.since, min(week.until, now))
    this = counted(span, followed_from=since)
    if last_week is None:
        before = counted(Span(week.before.since, week.since), followed_from=since)
    else:
        before = as_counted(last_week)
    return WeekFacts(
        week=week,
        counted_at=now,
        counted_until=span.until,
        first_data_at=min(since.values(), default=None),
        lines=tuple(_lines(week, this, before, since)),
        sights=tuple(_sights(span, now=now)),
    )


def _lines(
    week: Week, this: Counted, before: Counted, since: Mapping[str, datetime]
) -> list[ModelLine]:
    """By key: models that started in one of the two weeks, came or went."""
    started = this.tallies.keys() | before.tallies.keys()
    rows = {Identity(row.cluster, row.model_uid): row for row in _rows(week, started)}
    keys = before.keys | this.keys | {model: row.key for model, row in rows.items()}
    lines = [
        _line(
            keys[model],
            model,
            rows.get(model),
            this=this.tallies.get(model, Tally()),
            last=before.tallies.get(model, Tally())
            if since.get(model.cluster, week.before.since) < week.since
            else None,
        )
        for model in started | rows.keys()
    ]
    return sorted(lines, key=lambda line: (line.key, line.uid))


def _rows(week: Week, started: Iterable[Identity]) -> list[ServedModel]:
    """Rows of the models that started, came or went."""
    wanted = set(started)
    span = Span(week.since, week.until)
    came = Q(created_at__gte=span.since, created_at__lt=span.until)
    went = Q(gone_at__gte=span.since, gone_at__lt=span.until)
    where = came | went | Q(cluster__in={model.cluster for model in wanted})
    rows = ServedModel.objects.filter(where).only(
        *KEY, "model_uid", "team", "environment", "created_at", "gone_at"
    )
    return [
        row
        for row in rows.iterator(ROWS_AT_ONCE)
        if Identity(row.cluster, row.model_uid) in wanted
        or span.holds(row.created_at)
        or span.holds(row.gone_at)
    ]


def _line(
    key: ModelKey,
    model: Identity,
    row: ServedModel | None,
    *,
    this: Tally,
    last: Tally | None,
) -> ModelLine:
    """row: None where the fleet has forgotten the model."""
    return ModelLine(
        key=key,
        uid=model.uid,
        team=row.team if row else "",
        environment=row.environment if row else "",
        created_at=row.created_at if row else None,
        gone_at=row.gone_at if row else None,
        this_week=this.sorted(),
        last_week=None if last is None else last.sorted(),
    )


def _sights(span: Span, *, now: datetime) -> list[Sight]:
    """By name, of clusters that were followed in the week."""
    gaps = _gaps(span, now=now)
    sights = [
        sight_of(_following(row, gaps=gaps, now=now), counted=span)
        for row in Cluster.objects.order_by("name")
    ]
    return [sight for sight in sights if sight.watched_s]


def _following(
    row: Cluster, *, gaps: Mapping[str, list[WatchGap]] | None, now: datetime
) -> Following:
    return Following(
        cluster=row.name,
        span=Span(followed_since(row), row.removed_at or now),
        last_proof_at=row.last_proof_at,
        gaps=None if gaps is None else (*gaps.get(row.name, ()), *_unread(row)),
    )


def _unread(row: Cluster) -> Iterator[WatchGap]:
    span = unread_past(row)
    if span is not None:
        yield WatchGap(stream=Resource.PODS.value, span=span)


def _gaps(span: Span, *, now: datetime) -> dict[str, list[WatchGap]] | None:
    """By cluster; None when those of this time may be deleted already."""
    if span.since < now - FACTS:
        return None
    found: dict[str, list[WatchGap]] = {}
    still = Q(until=None) | Q(until__gt=span.since)
    watching = Gap.objects.exclude(resource=METRICS)
    rows = watching.filter(still, since__lt=span.until).order_by("since", "id")
    for name, stream, since, until in rows.values_list(
        "cluster__name", "resource", "since", "until"
    ):
        gap = WatchGap(stream=stream, span=Span(since, until or now))
        found.setdefault(name, []).append(gap)
    return found
