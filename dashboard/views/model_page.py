"""What is known of one model, read for its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from dashboard.access.rules import Grant
from dashboard.access.scope import within
from dashboard.lost_words import Lost
from dashboard.ranges import TimeRange
from dashboard.staleness import stale_clusters
from dashboard.views.incident_row import IncidentRow, incident_row
from dashboard.views.model_requests import ModelRequests, model_requests
from dashboard.views.model_row import ModelRow, model_row
from dashboard.views.model_starts import StartLine, start_lines, starts_before
from dashboard.views.row_fragments import may_act
from dashboard.views.start_log import LogWords, log_words
from dashboard.views.strips import ClusterLine, cluster_line
from fleet.domain.compare.records import Compared
from fleet.domain.records.keys import ModelKey
from fleet.models import (
    Cluster,
    ColdStart,
    Incident,
    ProbeFailure,
    Replica,
    Revision,
    ServedModel,
)

ROWS_SHOWN = 12
LOGS = "pods/log"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPage:
    """Everything of the page but its charts and comparisons. gone: the object is deleted, history
    stays. without_logs: the right to read servers' logs is missing. flight_log: what the log of the
    start in flight told, None = not read, or none flies. flight_lost: requests it cost so far.
    starts: those of `window`."""

    key: ModelKey
    window: TimeRange
    row: ModelRow
    gone: bool
    line: ClusterLine | None
    read_only: bool
    without_logs: bool
    flight_log: LogWords | None
    flight_lost: Lost
    requests: ModelRequests
    starts: tuple[StartLine, ...]
    revisions: tuple[Revision, ...]
    replicas: tuple[Replica, ...]
    probes: tuple[ProbeFailure, ...]
    incidents: tuple[IncidentRow, ...]

    @property
    def any_ghost(self) -> bool:
        return any(line.ghost for line in self.starts)


def model_page(
    key: ModelKey,
    grant: Grant,
    *,
    window: TimeRange,
    now: datetime,
    known: Sequence[Compared] | None = None,
) -> ModelPage | None:
    """The page of the model of that name, the living one before one that is gone; None = no such
    model in scope. known: its starts up to the end of `window`, where they were read already."""
    rows = within(ServedModel.objects.of(key), grant)
    row = rows.filter(gone_at=None).first() or rows.order_by("-gone_at").first()
    if row is None:
        return None
    cluster = Cluster.objects.present().filter(name=key.cluster).first()
    running = list(ColdStart.objects.of(key).running().order_by("started_at"))
    pool = starts_before(key, window).starts if known is None else known
    stale = stale_clusters(now=now)
    incident = Incident.objects.ongoing().filter(cluster=row.cluster, model_uid=row.model_uid)
    shown = model_row(
        row, running, stale=stale, may_act=may_act(grant), now=now, incident=incident.first()
    )
    return ModelPage(
        key=key,
        window=window,
        row=shown,
        gone=row.gone_at is not None,
        line=cluster_line(cluster, now=now) if cluster else None,
        read_only=bool(cluster and cluster.read_only),
        without_logs=bool(cluster and lacks_logs(cluster)),
        flight_log=log_words(running[0].log) if running else None,
        requests=model_requests(row, window, cluster=cluster, grant=grant),
        flight_lost=running[0].requests_lost if running else None,
        starts=start_lines(row, window, pool, now=now),
        revisions=tuple(Revision.objects.of(key).newest_first()[:ROWS_SHOWN]),
        replicas=tuple(living_replicas(key)),
        probes=tuple(ProbeFailure.objects.of(key).newest_first()[:ROWS_SHOWN]),
        incidents=tuple(map(incident_row, Incident.objects.of(key).newest_first()[:ROWS_SHOWN])),
    )


def living_replicas(key: ModelKey) -> QuerySet[Replica]:
    """The newest ones that live, without their evidence: it is long and not shown."""
    living = Replica.objects.of(key).living().defer("facts")
    return living.order_by("-created_at")[:ROWS_SHOWN]


def lacks_logs(cluster: Cluster) -> bool:
    """Whether the account was seen to lack the right that sub-phases need."""
    return any(each.get("permission") == LOGS for each in cluster.missing or ())
