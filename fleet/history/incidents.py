"""The only writer of incidents: windows of requests begin, extend and end their rows."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Max, Q

from fleet.domain.diagnosis.records import Cause
from fleet.domain.records.keys import ModelKey
from fleet.domain.requests.incidents import (
    LOOK_BACK,
    IncidentRules,
    IncidentSpan,
    Reading,
    Unread,
    incidents,
    model_windows,
)
from fleet.domain.requests.records import RequestWindow
from fleet.history.fitting import plain
from fleet.history.incident_around import around
from fleet.history.incident_rows import set_columns, span_of
from fleet.history.requests import windows_of
from fleet.models import Cluster, Incident, ServedModel

# Answers of a diagnosis that name no cause.
NO_CAUSE = frozenset({Cause.NONE, Cause.INSUFFICIENT_EVIDENCE})
# Replace no other cause. A wake is also what a model looks like that recovers from something else.
GIVES_WAY = NO_CAUSE | {Cause.SCALE_FROM_ZERO}
# What is seen so long after the newest error (which is known some 75 s late) is another time.
OF_ITS_TIME = timedelta(seconds=150)
# An incident whose end nobody can see is closed after so long without metrics.
BLIND = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of reading a cluster's metrics: since <= t < until was read, `unread` was jumped
    over before it."""

    cluster: str
    since: datetime
    until: datetime
    unread: tuple[Unread, ...]
    now: datetime


def incidents_after(
    cluster: str,
    fresh: Mapping[str, Sequence[RequestWindow]],
    *,
    since: datetime,
    until: datetime,
    unread: tuple[datetime, datetime] | None,
    now: datetime,
    rules: IncidentRules | None = None,
) -> tuple[str, ...]:
    """Begin, extend and end incidents; gives the keys of the models whose incident changed.

    fresh: windows of this step by the uid of their model; their rows are written already. A model
    without any was quiet from since to until. Inside the transaction that wrote the rows. A step
    that is taken again changes nothing.
    """
    hole = () if unread is None else (Unread(since=unread[0], until=unread[1]),)
    step = Step(cluster=cluster, since=since, until=until, unread=hole, now=now)
    going_on = {row.model_uid: row for row in _ongoing(cluster)}
    erring = {uid for uid, seen in fresh.items() if any(each.tally.lost for each in seen)}
    uids = going_on.keys() | erring
    if not uids:
        return ()
    readings = _readings(step, uids, going_on)
    keys = _keys(cluster, uids)
    changed = [
        keys[uid]
        for uid in sorted(uids & keys.keys())
        if _judge(step, (keys[uid], uid), going_on.get(uid), readings[uid], rules)
    ]
    return tuple(sorted(map(str, changed)))


def _ongoing(cluster: str) -> list[Incident]:
    return list(Incident.objects.ongoing().filter(cluster=cluster).select_for_update())


def _keys(cluster: str, uids: Collection[str]) -> dict[str, ModelKey]:
    rows = ServedModel.objects.filter(cluster=cluster, model_uid__in=list(uids))
    return {row.model_uid: row.key for row in rows.only(*_KEY, "model_uid")}


_KEY = ("cluster", "kind", "namespace", "name")


def _readings(
    step: Step, uids: Collection[str], going_on: Mapping[str, Incident]
) -> dict[str, Reading]:
    """What is known of each model, from five minutes before what is to be judged."""
    first = min([step.since, *(row.last_error_at for row in going_on.values())]) - LOOK_BACK
    kept = windows_of(step.cluster, sorted(uids), since=first, until=step.until)
    ended = _last_errors(step.cluster, uids)
    return {
        uid: Reading(
            windows=model_windows(kept.get(uid, ())),
            after=ended.get(uid, first),
            read_to=step.until,
            unread=step.unread,
        )
        for uid in uids
    }


def _last_errors(cluster: str, uids: Collection[str]) -> dict[str, datetime]:
    """When the last incident that is over had its last error, by model."""
    over = Incident.objects.filter(cluster=cluster, model_uid__in=list(uids)).exclude(ended_at=None)
    return dict(over.order_by().values_list("model_uid").annotate(Max("last_error_at")))


def _judge(
    step: Step,
    model: tuple[ModelKey, str],
    row: Incident | None,
    seen: Reading,
    rules: IncidentRules | None,
) -> bool:
    """Whether anything changed. The row that goes on is the first of what was found."""
    key, uid = model
    before = None if row is None else span_of(row)
    found = incidents(before, seen, rules or IncidentRules())
    for n, span in enumerate(found):
        going_on = row if n == 0 else None
        if going_on is None:
            going_on = Incident(**asdict(key), model_uid=uid)
        elif span == before:
            continue
        _write(going_on, span, now=step.now)
    return bool(found) and found != (before,)


def _write(row: Incident, span: IncidentSpan, *, now: datetime) -> None:
    set_columns(row, span)
    if span.ended:
        _end(row)
    row.version += 1
    row.changed_at = now
    row.save()


def _end(row: Incident) -> None:
    """It was over with its last error; what happened about it is kept from now on."""
    row.ended_at = row.last_error_at
    row.around |= plain(around(row.key, row.started_at, row.last_error_at))


def end_unseen(*, now: datetime) -> int:
    """Close those whose end nobody will see: the cluster is removed, its metrics were switched off
    or could not be read for a day. Gives how many."""
    seen = Cluster.objects.present().filter(metrics_read_to__gte=now - BLIND)
    watched = seen.filter(~Q(metrics_url="") | Q(metrics_pages=True)).values("name")
    rows = Incident.objects.ongoing().exclude(cluster__in=watched)
    with transaction.atomic():
        blind = list(rows.filter(last_error_at__lt=now - BLIND).select_for_update())
        for row in blind:
            row.around["unseen_end"] = True
            _end(row)
            row.version += 1
            row.changed_at = now
            row.save()
    return len(blind)


def ongoing_incident(cluster: str, model_uid: str) -> int | None:
    """The number of the model's incident that goes on; None = there is none."""
    rows = Incident.objects.ongoing().filter(cluster=cluster, model_uid=model_uid)
    return rows.values_list("pk", flat=True).first()


def set_incident_findings(
    incident_id: int,
    findings: Sequence[Mapping[str, Any]],
    *,
    now: datetime,
    asked: bool = False,
) -> bool:
    """Keep what a diagnosis found, the API's shape, best first; whether it was kept.

    While the incident goes on the newest findings win, but neither those that name no cause or a
    mere wake nor those of a look long after its newest error replace another cause. After its end
    they stay as they are, unless a person `asked`.
    """
    rows = Incident.objects.filter(pk=incident_id)
    first = findings[0] if findings else None
    unnamed = Q(cause__in=["", *NO_CAUSE])
    if not asked:
        rows = rows.ongoing().filter(unnamed | Q(last_error_at__gte=now - OF_ITS_TIME))
    if first is None or (first["cause"] in GIVES_WAY and not asked):
        same = Q(cause=str(first["cause"])) if first else Q()
        rows = rows.filter(unnamed | same)
    changed = rows.update(
        cause=str(first["cause"]) if first else "",
        confidence=float(first["confidence"]) if first else None,
        findings=plain([dict(finding) for finding in findings]),
        diagnosed_at=now,
        version=F("version") + 1,
        changed_at=now,
    )
    return bool(changed)
