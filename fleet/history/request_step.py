"""One reading of a cluster's metrics, written in one transaction: hours, fleet rows, incidents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from fleet.domain.requests.incidents import IncidentRules
from fleet.domain.requests.owners import Owner
from fleet.domain.requests.records import Hop, RequestWindow
from fleet.domain.requests.states import Thresholds
from fleet.domain.requests.sums import is_worth_keeping
from fleet.history.error_rows import Counting, write_error_rows
from fleet.history.hour_writes import write_hours
from fleet.history.incidents import incidents_after
from fleet.history.metrics_claims import Claim, keep
from fleet.history.request_hours import Span
from fleet.history.requests import METRICS
from fleet.history.start_losses import Sight, write_losses
from fleet.models import Gap


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
    kept = {owner: windows for owner, windows in _worth_keeping(step) if windows}
    with transaction.atomic():
        keep(claim, metrics_read_to=step.until)
        _write_gap(claim, step.unread)
        write_hours(claim.cluster, kept, Span(step.since, step.until))
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


def _worth_keeping(step: Step) -> Iterator[tuple[Owner, list[RequestWindow]]]:
    for owner, windows in step.windows.items():
        yield owner, [window for window in windows if is_worth_keeping(window.tally)]


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
