"""One reading of a cluster's metrics, written in one transaction: hours, fleet rows, incidents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from fleet.domain.requests.incidents import IncidentRules
from fleet.domain.requests.owners import Owner
from fleet.domain.requests.records import Hop, RequestWindow
from fleet.domain.requests.states import Thresholds
from fleet.domain.requests.sums import is_worth_keeping
from fleet.history.error_rows import Counting, write_error_rows
from fleet.history.incidents import incidents_after
from fleet.history.metrics_claims import Claim, keep
from fleet.history.request_hours import Span, by_hour, hour_of, hour_row
from fleet.history.requests import METRICS, windows_of
from fleet.history.start_losses import Sight, write_losses
from fleet.models import Gap, RequestHour

ROWS_AT_ONCE = 100
IDENTITY = ["cluster", "model_uid", "revision", "hour"]
COLUMNS = [
    "windows",
    "requests",
    "requests_at_least",
    "errors",
    "lost",
    "client_gone",
    "told",
    "at_least",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one reading brought. since, until: the span that was read whole. windows: of models
    that had any. told: hops that the cluster's metrics tell apart. unread: jumped over before it,
    None = nothing."""

    since: datetime
    until: datetime
    windows: Mapping[Owner, Sequence[RequestWindow]]
    told: frozenset[Hop]
    unread: Span | None = None


def write_step(
    claim: Claim,
    step: Step,
    *,
    thresholds: Thresholds,
    now: datetime,
    incidents: IncidentRules | None = None,
) -> tuple[str, ...]:
    """Write all of it or nothing; gives the keys of the models that look different now.

    Raises LeaseLost, having written nothing, when another worker reads the cluster now. A step
    that is written again replaces itself. incidents: when errors are one; None = as usual.
    """
    kept = {
        owner: [window for window in windows if is_worth_keeping(window.tally)]
        for owner, windows in step.windows.items()
    }
    with transaction.atomic():
        keep(claim, metrics_read_to=step.until)
        _write_gap(claim, step.unread)
        _write_hours(claim.cluster, kept, step)
        counting = Counting(
            cluster=claim.cluster,
            until=step.until,
            told=step.told,
            measured=frozenset(owner.uid for owner in step.windows),
        )
        rows = write_error_rows(counting, thresholds=thresholds, now=now)
        keys = {str(row.key) for row in rows}
        keys.update(_write_losses(claim.cluster, step))
        keys.update(_write_incidents(claim, step, incidents, now=now))
    return tuple(sorted(keys))


def _write_losses(cluster: str, step: Step) -> tuple[str, ...]:
    sight = Sight(cluster=cluster, since=step.since, until=step.until, told=step.told)
    return write_losses(sight)


def _write_incidents(
    claim: Claim, step: Step, rules: IncidentRules | None, *, now: datetime
) -> tuple[str, ...]:
    return incidents_after(
        claim.cluster,
        {owner.uid: windows for owner, windows in step.windows.items()},
        since=step.since,
        until=step.until,
        unread=step.unread,
        now=now,
        rules=rules,
    )


def _write_gap(claim: Claim, unread: Span | None) -> None:
    if unread is not None and unread.since < unread.until:
        Gap.objects.create(
            cluster_id=claim.cluster_id,
            resource=METRICS,
            since=unread.since,
            until=unread.until,
            why="metrics-unread",
        )


def _write_hours(cluster: str, fresh: Mapping[Owner, Sequence[RequestWindow]], step: Step) -> None:
    """Windows of the span are set anew, those beside it stay."""
    wanted = {owner: windows for owner, windows in fresh.items() if windows}
    hours = hour_of(step.since), hour_of(step.until) + timedelta(hours=1)
    uids = [owner.uid for owner in wanted]
    before = windows_of(cluster, uids, since=hours[0], until=hours[1])
    rows = [row for owner in wanted for row in _rows(owner, wanted[owner], before, step)]
    RequestHour.objects.bulk_create(
        rows,
        batch_size=ROWS_AT_ONCE,
        update_conflicts=True,
        unique_fields=IDENTITY,
        update_fields=COLUMNS,
    )


def _rows(
    owner: Owner,
    fresh: Sequence[RequestWindow],
    before: Mapping[str, Sequence[RequestWindow]],
    step: Step,
) -> list[RequestHour]:
    """Hours of one model that the span touches."""
    beside = [w for w in before.get(owner.uid, ()) if not step.since <= w.at < step.until]
    touched = by_hour(fresh)
    return [
        hour_row(owner, revision, hour, windows)
        for (revision, hour), windows in by_hour([*beside, *fresh]).items()
        if (revision, hour) in touched
    ]
