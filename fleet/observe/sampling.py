"""Use case: read a cluster's metrics. What was counted since the last time becomes windows of
models, fleet rows, lost requests of starts, and incidents."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from fleet.domain.requests.incidents import IncidentRules
from fleet.domain.requests.owners import windows_by_model
from fleet.domain.requests.records import WINDOW_S, MetricsFacts
from fleet.domain.requests.states import Thresholds
from fleet.errors import FleetError, LeaseLost
from fleet.history.error_rows import forget_errors
from fleet.history.metrics_claims import Claim, keep, let_go
from fleet.history.metrics_facts import NO_TROUBLE, facts_columns, facts_of, trouble_column
from fleet.history.request_hours import Span
from fleet.history.request_owners import known_names
from fleet.history.request_step import Step, write_step
from fleet.models import Cluster
from fleet.observe.trouble import code_of
from fleet.ports import Announcer, MetricsReader

logger = logging.getLogger(__name__)

WINDOW = timedelta(seconds=WINDOW_S)
# At first, and after a gap; what is older is kept as not read.
BACK = timedelta(hours=1)
# What lies before the first reading was not read: as far back as requests are kept.
NEVER_READ = timedelta(days=2 * 365 + 1)
LOOK_EVERY = timedelta(minutes=10)
# Without anything new for so long, errors are not known any more.
FORGET_AFTER = timedelta(minutes=2)
PAGES = "pages"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSettings:
    """lag_s: how long after its end a window is whole: scrapes come late. Pages are read without
    it. thresholds: when errors make a state; incidents: when they are an incident."""

    lag_s: float = 45.0
    thresholds: Thresholds = field(default_factory=Thresholds)
    incidents: IncidentRules = field(default_factory=IncidentRules)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTask:
    """What reading one cluster's metrics takes."""

    claim: Claim
    reader: MetricsReader
    announcer: Announcer
    clock: Callable[[], datetime]
    settings: SampleSettings


class Reading(NamedTuple):
    """What is to be read, and what was jumped over before it (None = nothing)."""

    span: Span
    unread: Span | None


def sample(task: SampleTask) -> bool:
    """Read what is new, once; whether anything was. Trouble is kept in the cluster's row.

    Raises LeaseLost when another worker reads the cluster by now.
    """
    row = Cluster.objects.get(pk=task.claim.cluster_id)
    try:
        facts = _looked(task, row)
        return _read(task, row, facts)
    except LeaseLost:
        raise
    except FleetError as error:
        _note_trouble(task, row, error)
        return False
    finally:
        let_go(task.claim)


def reading(
    read_to: datetime | None, *, now: datetime, lag_s: float, back: timedelta
) -> Reading | None:
    """The whole windows that are new; None = there are none yet. read_to: None = nothing was read
    ever."""
    until = aligned(now - timedelta(seconds=lag_s))
    before = read_to or until - back - NEVER_READ
    since = max(before, until - back)
    since = since if since == aligned(since) else aligned(since) + WINDOW
    if since >= until:
        return None
    return Reading(Span(since, until), Span(before, since) if before < since else None)


def aligned(moment: datetime) -> datetime:
    """The beginning of its window; windows are aligned to the epoch."""
    seconds = int(moment.timestamp()) // WINDOW_S * WINDOW_S
    return datetime.fromtimestamp(seconds, UTC)


def _looked(task: SampleTask, row: Cluster) -> MetricsFacts:
    """What the metrics can tell; asked again when that is old or something was wrong."""
    now = task.clock()
    facts = facts_of(row)
    if facts is not None and not row.metrics_trouble and now - facts.asked_at < LOOK_EVERY:
        return facts
    facts = task.reader.look(now=now)
    keep(task.claim, **facts_columns(facts))
    if row.metric_era != facts.era.value or not row.metrics:
        task.announcer.changed(cluster=row.name, keys=[row.name])
    logger.info("looked at metrics cluster=%s source=%s era=%s", row.name, facts.source, facts.era)
    return facts


def _read(task: SampleTask, row: Cluster, facts: MetricsFacts) -> bool:
    pages = facts.source == PAGES
    new = reading(
        row.metrics_read_to,
        now=task.clock(),
        lag_s=0.0 if pages else task.settings.lag_s,
        back=WINDOW if pages else BACK,
    )
    if new is None:
        return False
    found = task.reader.windows(facts, since=new.span.since, until=new.span.until)
    now = task.clock()
    whole = Span(new.unread.since if new.unread else new.span.since, new.span.until)
    step = Step(
        since=new.span.since,
        until=new.span.until,
        windows=windows_by_model(found or (), known_names(row.name, now=now)),
        told=facts.told,
        unread=whole if found is None else new.unread,
    )
    given = task.settings
    keys = write_step(
        task.claim, step, thresholds=given.thresholds, incidents=given.incidents, now=now
    )
    logger.info("sampled cluster=%s windows=%d models=%d", row.name, len(found or ()), len(keys))
    if row.metrics_trouble:
        keep(task.claim, **NO_TROUBLE)
        keys = (*keys, row.name)
    if keys:
        task.announcer.changed(cluster=row.name, keys=keys)
    return True


def _note_trouble(task: SampleTask, row: Cluster, error: FleetError) -> None:
    """Say it; errors that are too old are forgotten."""
    now = task.clock()
    code = code_of(error)
    logger.info("could not read metrics cluster=%s because=%s", row.name, error)
    keep(task.claim, **trouble_column(code, str(error), at=now))
    keys: tuple[str, ...] = ()
    if is_forgotten(row.metrics_read_to, now=now, lag_s=task.settings.lag_s):
        keys = forget_errors(row.name, thresholds=task.settings.thresholds, now=now)
    if row.metrics_trouble.get("code") != code:
        keys = (*keys, row.name)
    if keys:
        task.announcer.changed(cluster=row.name, keys=keys)


def is_forgotten(read_to: datetime | None, *, now: datetime, lag_s: float) -> bool:
    """Whether what was read last is too old to be shown as now."""
    return read_to is None or now - read_to > FORGET_AFTER + WINDOW + timedelta(seconds=lag_s)
