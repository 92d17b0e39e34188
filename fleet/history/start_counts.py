"""Starts that are over, counted once each: into counters that only grow, and into sums of days."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from django.db import models, transaction

from fleet.domain.coldstart.start import Outcome
from fleet.domain.coldstart.sums import BOUNDS_S, bound_place, narrow_place
from fleet.history.upserts import upsert
from fleet.models import ColdStart, ServedModel, StartDay, StartTally
from fleet.models.cold_start import ColdStartQuerySet
from fleet.models.start_counts import WHOLE_CLUSTER

# A start that is over may still learn its route and its first answer.
SETTLED = timedelta(minutes=5)
AT_ONCE = 200
BEHIND = timedelta(minutes=15)
# Models with labels of their own; a Prometheus server pays for each series.
MOST_MODELS = 500
OTHER = "_other"


class TallyKey(NamedTuple):
    """Labels of one counter. phase: "" = the whole start."""

    cluster: str
    kind: str
    namespace: str
    name: str
    phase: str
    start_mode: str
    outcome: str


class DayKey(NamedTuple):
    """What the sums of a day are told apart by."""

    day: date
    cluster: str
    namespace: str
    team: str
    environment: str
    start_mode: str
    outcome: str


@dataclass(slots=True)
class DaySum:
    """count: of all starts; narrow and sum_s: of those whose length is known."""

    count: int = 0
    sum_s: float = 0.0
    narrow: Counter[int] = field(default_factory=Counter)

    def add(self, total_s: float | None) -> None:
        """One start more."""
        self.count += 1
        if total_s is not None:
            self.sum_s += total_s
            self.narrow[narrow_place(total_s)] += 1


def count_starts(*, now: datetime) -> int:
    """Count some starts that are over and were not counted yet; how many.

    All of it or nothing. A start that changes after it was counted is not counted again.
    """
    with transaction.atomic():
        starts = _settled(now)
        ids = [start.pk for start in starts]
        if ColdStart.objects.filter(pk__in=ids, counted=False).update(counted=True) != len(ids):
            transaction.set_rollback(True)
            return 0
        _add_tallies(starts)
        _add_days(starts)
    return len(ids)


def are_behind(*, now: datetime) -> bool:
    """Whether starts that were over long ago are still to be counted: sums lack them."""
    return _uncounted(now - BEHIND).exists()


def _settled(now: datetime) -> list[ColdStart]:
    return list(_uncounted(now - SETTLED).order_by("ended_at", "pk").defer("log")[:AT_ONCE])


def _uncounted(over_by: datetime) -> ColdStartQuerySet:
    rows = ColdStart.objects.filter(counted=False, ended_at__lt=over_by)
    return rows.exclude(outcome=Outcome.RUNNING.value)


def _add_tallies(starts: Sequence[ColdStart]) -> None:
    lengths: dict[TallyKey, list[float]] = defaultdict(list)
    named = _named(starts)
    for start in starts:
        for phase, seconds in _lengths(start):
            lengths[_tally_key(start, phase, named)].append(seconds)
    known = {_key_of(row): row for row in _tallies_of(lengths)}
    kept = {key: known.get(key) or _no_tally(key) for key in lengths}
    for key, spans in lengths.items():
        row = kept[key]
        for each in spans:
            row.counts[bound_place(each)] += 1
        row.sum_s += sum(spans)
    upsert(kept.values(), by=TallyKey._fields)


def _no_tally(key: TallyKey) -> StartTally:
    return StartTally(**key._asdict(), counts=[0] * (len(BOUNDS_S) + 1))


def _lengths(start: ColdStart) -> Iterator[tuple[str, float]]:
    """The whole start, then its phases; what is not known is no length."""
    if start.total_s is not None:
        yield "", start.total_s
    for phase in start.phases:
        if phase.get("ended_at") is not None:
            yield str(phase["phase"]), float(phase["seconds"])


def _tally_key(start: ColdStart, phase: str, named: set[tuple[str, ...]]) -> TallyKey:
    model = (start.cluster, start.kind, start.namespace, start.name)
    if model not in named:
        model = (start.cluster, "", start.namespace, OTHER)
    return TallyKey(*model, phase, start.start_mode, start.outcome)


def _named(starts: Sequence[ColdStart]) -> set[tuple[str, ...]]:
    """Models with labels of their own: those that have them, and new ones while there is room."""
    columns = ("cluster", "kind", "namespace", "name")
    rows = StartTally.objects.exclude(kind="").order_by().values_list(*columns).distinct()
    named: set[tuple[str, ...]] = set(rows)
    for start in starts:
        if len(named) >= MOST_MODELS:
            break
        named.add((start.cluster, start.kind, start.namespace, start.name))
    return named


def _tallies_of(keys: Iterable[TallyKey]) -> "models.QuerySet[StartTally]":
    wanted = list(keys)
    return StartTally.objects.select_for_update().filter(
        cluster__in={key.cluster for key in wanted}, name__in={key.name for key in wanted}
    )


def _key_of(row: StartTally) -> TallyKey:
    return TallyKey(*(getattr(row, name) for name in TallyKey._fields))


def _add_days(starts: Sequence[ColdStart]) -> None:
    sums: dict[DayKey, DaySum] = defaultdict(DaySum)
    owners = _owners(starts)
    for start in starts:
        for key in _day_keys(start, owners):
            sums[key].add(start.total_s)
    known = {_day_key_of(row): row for row in _days_of(sums)}
    kept = {key: known.get(key) or StartDay(**key._asdict()) for key in sums}
    for key, new in sums.items():
        row = kept[key]
        row.count += new.count
        row.sum_s += new.sum_s
        row.narrow = _joined(row.narrow, new.narrow)
    upsert(kept.values(), by=DayKey._fields)


def _joined(kept: dict[str, int], new: Counter[int]) -> dict[str, int]:
    both = Counter({int(place): count for place, count in kept.items()}) + new
    return {str(place): both[place] for place in sorted(both)}


def _owners(starts: Sequence[ColdStart]) -> dict[tuple[str, str], tuple[str, str]]:
    """Team and environment by cluster and model uid, as they are now."""
    rows = ServedModel.objects.filter(model_uid__in={start.model_uid for start in starts})
    return {
        (cluster, uid): (team, environment)
        for cluster, uid, team, environment in rows.values_list(
            "cluster", "model_uid", "team", "environment"
        )
    }


def _day_keys(
    start: ColdStart, owners: dict[tuple[str, str], tuple[str, str]]
) -> tuple[DayKey, DayKey]:
    """Of its namespace, team and environment; and of its whole cluster."""
    team, environment = owners.get((start.cluster, start.model_uid), ("", ""))
    day = start.started_at.astimezone(UTC).date()
    kind = start.start_mode, start.outcome
    return (
        DayKey(day, start.cluster, start.namespace, team, environment, *kind),
        DayKey(day, start.cluster, WHOLE_CLUSTER, "", "", *kind),
    )


def _days_of(keys: Iterable[DayKey]) -> "models.QuerySet[StartDay]":
    wanted = list(keys)
    return StartDay.objects.select_for_update().filter(
        day__in={key.day for key in wanted}, namespace__in={key.namespace for key in wanted}
    )


def _day_key_of(row: StartDay) -> DayKey:
    return DayKey(*(getattr(row, name) for name in DayKey._fields))
