"""Lengths over time, with marks where something new came."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from fleet.domain.compare.numbers import p50_s, p95_s
from fleet.domain.compare.records import Attribute, Compared, finished, reader_of

HOUR = timedelta(hours=1)
# (spans up to, their buckets): about 50 to 60 points each; longer spans go by day.
BUCKETS: tuple[tuple[timedelta, timedelta], ...] = (
    (timedelta(days=2), HOUR),
    (timedelta(days=14), 6 * HOUR),
)
DAY = timedelta(days=1)
# Buckets begin at whole multiples of their length from here, in UTC.
ORIGIN = datetime(2020, 1, 1, tzinfo=UTC)
MARKED = (
    Attribute.REVISION,
    Attribute.IMAGE_DIGEST,
    Attribute.ENGINE_VERSION,
    Attribute.NODE_POOL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Ready starts that began from `at` on. p50_s: None under five of them, p95_s under twenty."""

    at: datetime
    n: int
    p50_s: float | None
    p95_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The first start with a value that no earlier one had, of the start's own model."""

    at: datetime
    attribute: Attribute
    value: str
    start_id: int
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTime:
    """Buckets without starts are left out. Marks: oldest first."""

    mode: str
    bucket: timedelta
    buckets: tuple[Bucket, ...]
    marks: tuple[Mark, ...]


def bucket_for(span: timedelta) -> timedelta:
    """An hour, six, or a day."""
    return next((bucket for longest, bucket in BUCKETS if span <= longest), DAY)


def over_time(
    starts: Sequence[Compared], *, mode: str, since: datetime, until: datetime
) -> OverTime:
    """starts: those before `since` make no bucket, but what they had is not new later."""
    size = bucket_for(until - since)
    groups: dict[datetime, list[float]] = {}
    for start in finished(starts, mode=mode):
        if since <= start.started_at < until:
            groups.setdefault(_begin(start.started_at, size), []).append(start.total_s or 0.0)
    marks = [mark for mark in first_seen(starts) if since <= mark.at < until]
    return OverTime(
        mode=mode,
        bucket=size,
        buckets=tuple(_bucket(at, groups[at]) for at in sorted(groups)),
        marks=tuple(marks),
    )


def _begin(moment: datetime, size: timedelta) -> datetime:
    return ORIGIN + (moment - ORIGIN) // size * size


def _bucket(at: datetime, lengths: list[float]) -> Bucket:
    lengths.sort()
    return Bucket(at=at, n=len(lengths), p50_s=p50_s(lengths), p95_s=p95_s(lengths))


def first_seen(starts: Iterable[Compared]) -> list[Mark]:
    """Oldest first, of starts of any mode and outcome. What a model's first known start had is
    where it began, not a change."""
    ordered = sorted(starts, key=lambda start: (start.started_at, start.id))
    marks = [mark for attribute in MARKED for mark in _new_of(ordered, attribute)]
    return sorted(marks, key=lambda mark: (mark.at, mark.start_id))


def _new_of(ordered: Iterable[Compared], attribute: Attribute) -> Iterator[Mark]:
    value_of = reader_of(attribute)
    seen: dict[str, set[str]] = {}
    for start in ordered:
        value = value_of(start)
        known = seen.setdefault(start.model_uid, set())
        if not value or value in known:
            continue
        if known:
            yield _mark(start, attribute, value)
        known.add(value)


def _mark(start: Compared, attribute: Attribute, value: str) -> Mark:
    return Mark(
        at=start.started_at,
        attribute=attribute,
        value=value,
        start_id=start.id,
        model=start.model,
    )
