"""What is known of one cold start, read for its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from dashboard.access.rules import Grant
from dashboard.access.scope import within
from dashboard.views.model_page import lacks_logs
from dashboard.views.start_log import LogWords, log_words
from dashboard.views.start_objects import KeptText, kept_objects
from dashboard.views.start_phases import DrawnStart, drawn_start
from dashboard.views.start_row import StartRow
from fleet.models import Cluster, ColdStart, ProbeFailure, ScaleEvent, ServedModel

# What is shown of each kind of event.
MOST_EVENTS = 50
# What led to a start was decided shortly before it; an Event may come late.
BEFORE = timedelta(minutes=2)
AFTER = timedelta(minutes=1)
SILENT = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartPage:
    """One start and what stands around it. older, newer: neighbours of the same model.

    again: other attempts of the same replica. without_logs: the right to read logs is missing.
    silent: the server said nothing for longer than loading servers usually do.
    """

    drawn: DrawnStart
    team: str
    environment: str
    scalings: Sequence[ScaleEvent]
    probes: Sequence[ProbeFailure]
    again: Sequence[ColdStart]
    older: ColdStart | None
    newer: ColdStart | None
    log: LogWords | None
    silent: bool
    without_logs: bool
    objects: Sequence[KeptText]

    @property
    def row(self) -> StartRow:
        return self.drawn.row

    @property
    def start(self) -> ColdStart:
        return self.row.start


def start_page(pk: int, grant: Grant, *, now: datetime) -> StartPage | None:
    """None = no such start in scope."""
    start = within(ColdStart.objects.all(), grant).filter(pk=pk).first()
    if start is None:
        return None
    model = ServedModel.objects.filter(cluster=start.cluster, model_uid=start.model_uid).first()
    cluster = Cluster.objects.present().filter(name=start.cluster).first()
    log = log_words(start.log)
    of_replica = {"cluster": start.cluster, "replica_uid": start.replica_uid}
    probes = ProbeFailure.objects.of(start.key).filter(**of_replica).newest_first()
    again = ColdStart.objects.filter(**of_replica).exclude(pk=pk).order_by("attempt")
    return StartPage(
        drawn=drawn_start(start, model, now=now),
        team=model.team if model else "",
        environment=model.environment if model else "",
        scalings=_scalings(start, now=now),
        probes=list(probes[:MOST_EVENTS]),
        again=list(again.only("started_at")),
        older=_older(start),
        newer=_newer(start),
        log=log,
        silent=bool(log and log.silent_since and log.silent_since < now - SILENT),
        without_logs=bool(cluster and lacks_logs(cluster)),
        objects=kept_objects(start, cluster),
    )


def _scalings(start: ColdStart, *, now: datetime) -> Sequence[ScaleEvent]:
    """What the autoscaler wished around the start, oldest first."""
    until = start.ended_at or now
    rows = ScaleEvent.objects.of(start.key).filter(
        at__gte=start.started_at - BEFORE, at__lte=until + AFTER
    )
    return list(rows.order_by("at", "id")[:MOST_EVENTS])


def _older(start: ColdStart) -> ColdStart | None:
    before = Q(started_at__lt=start.started_at) | Q(started_at=start.started_at, pk__lt=start.pk)
    rows = ColdStart.objects.of(start.key).filter(started_at__lte=start.started_at)
    return rows.filter(before).newest_first().only("started_at").first()


def _newer(start: ColdStart) -> ColdStart | None:
    after = Q(started_at__gt=start.started_at) | Q(started_at=start.started_at, pk__gt=start.pk)
    rows = ColdStart.objects.of(start.key).filter(started_at__gte=start.started_at)
    return rows.filter(after).order_by("started_at", "id").only("started_at").first()
