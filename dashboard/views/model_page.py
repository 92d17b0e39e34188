"""What is known of one model, read for its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import QuerySet

from dashboard.access.rules import Grant
from dashboard.access.scope import within
from dashboard.charts.bars import StartBar, start_bar
from dashboard.staleness import stale_clusters
from dashboard.views.model_row import ModelRow, expected_s, model_row, start_shape
from dashboard.views.row_fragments import may_act
from dashboard.views.strips import ClusterLine, cluster_line
from dashboard.words import OUTCOME_LABELS, START_MODE_LABELS, TRIGGER_LABELS, Words, word
from fleet.domain.coldstart.start import Outcome
from fleet.domain.records.keys import ModelKey
from fleet.models import Cluster, ColdStart, ProbeFailure, Replica, Revision, ServedModel

STARTS_SHOWN = 15
# Starts that the median of comparable ones is taken from.
STARTS_COMPARED = 60
# Fewer comparable starts than this have no median.
FEWEST_COMPARED = 5
ROWS_SHOWN = 12
LOGS = "pods/log"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartLine:
    """One start of the waterfall. typical: where the median of comparable starts lies, %."""

    start: ColdStart
    bar: StartBar
    trigger: Words
    mode: Words
    outcome: Words
    typical: float | None
    typical_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPage:
    """Everything of the page but the chart. gone: the object is deleted, history stays.
    without_logs: the right to read servers' logs is missing."""

    row: ModelRow
    gone: bool
    line: ClusterLine | None
    read_only: bool
    without_logs: bool
    starts: tuple[StartLine, ...]
    revisions: tuple[Revision, ...]
    replicas: tuple[Replica, ...]
    probes: tuple[ProbeFailure, ...]


def model_page(key: ModelKey, grant: Grant, *, now: datetime) -> ModelPage | None:
    """The page of the model of that name, the living one before one that is gone; None = no such
    model in scope."""
    rows = within(ServedModel.objects.of(key), grant)
    row = rows.filter(gone_at=None).first() or rows.order_by("-gone_at").first()
    if row is None:
        return None
    cluster = Cluster.objects.present().filter(name=key.cluster).first()
    recent = list(ColdStart.objects.of(key).newest_first()[:STARTS_COMPARED])
    running = sorted(
        (start for start in recent if start.outcome == Outcome.RUNNING),
        key=lambda start: start.started_at,
    )
    stale = stale_clusters(now=now)
    shown = model_row(row, running, stale=stale, may_act=may_act(grant), now=now)
    return ModelPage(
        row=shown,
        gone=row.gone_at is not None,
        line=cluster_line(cluster, now=now) if cluster else None,
        read_only=bool(cluster and cluster.read_only),
        without_logs=bool(cluster and lacks_logs(cluster)),
        starts=start_lines(row, recent, now=now),
        revisions=tuple(Revision.objects.of(key).newest_first()[:ROWS_SHOWN]),
        replicas=tuple(living_replicas(key)),
        probes=tuple(ProbeFailure.objects.of(key).newest_first()[:ROWS_SHOWN]),
    )


def living_replicas(key: ModelKey) -> QuerySet[Replica]:
    """The newest ones that live, without their evidence: it is long and not shown."""
    living = Replica.objects.of(key).living().defer("facts")
    return living.order_by("-created_at")[:ROWS_SHOWN]


def lacks_logs(cluster: Cluster) -> bool:
    """Whether the account was seen to lack the right that sub-phases need."""
    return any(each.get("permission") == LOGS for each in cluster.missing or ())


def start_lines(
    row: ServedModel, recent: Sequence[ColdStart], *, now: datetime
) -> tuple[StartLine, ...]:
    """The last starts on one scale, each against the median of those of its start mode."""
    shown = recent[:STARTS_SHOWN]
    lengths = [_length_s(start, now=now) for start in shown]
    longest_s = max([*lengths, 1.0])
    return tuple(_line(row, start, recent, now=now, scale_s=longest_s) for start in shown)


def _length_s(start: ColdStart, *, now: datetime) -> float:
    if start.outcome == Outcome.RUNNING:
        return (now - start.started_at).total_seconds() * 1.25
    return max(start.total_s or 0.0, start.total_to_first_answer_s or 0.0)


def _line(
    row: ServedModel,
    start: ColdStart,
    recent: Sequence[ColdStart],
    *,
    now: datetime,
    scale_s: float,
) -> StartLine:
    typical, slow = expected_s(row, start.pk)
    usual_s = typical_s(start, recent)
    return StartLine(
        start=start,
        bar=start_bar(
            start_shape(start), now=now, expected_s=typical, slow_s=slow, scale_s=scale_s
        ),
        trigger=word(TRIGGER_LABELS, start.trigger),
        mode=word(START_MODE_LABELS, start.start_mode),
        outcome=word(OUTCOME_LABELS, start.outcome),
        typical=None if usual_s is None else min(99.6, 100 * usual_s / scale_s),
        typical_s=usual_s,
    )


def typical_s(start: ColdStart, recent: Sequence[ColdStart]) -> float | None:
    """The median length of the other ready starts of the same start mode; None below five."""
    others = [
        other.total_s
        for other in recent
        if other.pk != start.pk
        and other.start_mode == start.start_mode
        and other.outcome == Outcome.READY
        and other.total_s is not None
    ]
    return median(others) if len(others) >= FEWEST_COMPARED else None
