"""A recorded past, written beside a live follower without being in its way.

While it is read, only what has ended is written: nothing that the live follower writes anew. At its
end the cluster is handed over: what lived then, and where the watches stood, replaces what the
follower met when it came, and the next follower goes on from there.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F

from fleet.domain.coldstart.start import ColdStart, Outcome
from fleet.domain.ledger.delta import Delta, KeptObject, ReplicaRow, RevisionRow
from fleet.domain.records.keys import Resource
from fleet.errors import BadInput, LeaseLost
from fleet.history import facts
from fleet.history.clusters import found
from fleet.history.fleet_rows import Touched, write_fleet_rows
from fleet.history.leases import LEASE
from fleet.models import Cluster, ObservedObject, Replica, ServedModel, WatchPosition

READING, DONE, FAILED = "reading", "done", "failed"
# Creation stamps are cut to whole seconds.
SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The right to write one cluster's past. by: names one run of one reader."""

    cluster_id: int
    cluster: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Living:
    """What lived at the end of a past. starts: all of the replicas that lived. resources: those
    that the past tells of."""

    resources: Collection[Resource]
    objects: Sequence[KeptObject]
    replicas: Sequence[ReplicaRow]
    revisions: Sequence[RevisionRow]
    starts: Sequence[ColdStart]


def begin_past(
    cluster: str, *, by: str, since: datetime, until: datetime, simulated: bool
) -> Reading | None:
    """The right to write, taken from whoever reads it now; None when this past is there already.

    Raises BadInput when there is no such cluster.
    """
    with transaction.atomic():
        row = _locked(found(cluster).pk)
        known = row.past
        if known.get("state") == DONE and known.get("until") == until.isoformat():
            return None
        row.past = {
            "state": READING,
            "by": by,
            "since": since.isoformat(),
            "until": until.isoformat(),
            "read_to": since.isoformat(),
        }
        row.simulated = row.simulated or simulated
        row.save(update_fields=["past", "simulated"])
    return Reading(cluster_id=row.pk, cluster=row.name, by=by)


def ended(delta: Delta) -> Delta:
    """Of a delta, what nothing that comes later changes."""
    return Delta(
        revisions=tuple(row for row in delta.revisions if row.gone_at is not None),
        replicas=tuple(row for row in delta.replicas if row.gone_at is not None),
        starts=tuple(start for start in delta.starts if start.outcome is not Outcome.RUNNING),
        scale_events=delta.scale_events,
        probe_failures=delta.probe_failures,
    )


def write_past(reading: Reading, delta: Delta, *, now: datetime, **told: object) -> tuple[str, ...]:
    """Write what ended, and how far the past was read; keys of the models whose row changed.

    told: further entries of the cluster's `past`. Raises LeaseLost when somebody else reads it.
    """
    with transaction.atomic():
        row = _held(reading)
        _keep(delta)
        touched = frozenset(start.model_uid for start in delta.starts)
        rows = _figures(reading, touched, now=now)
        row.past = row.past | told
        row.save(update_fields=["past"])
    return rows


def hand_over(
    reading: Reading,
    living: Living,
    *,
    at: datetime,
    resource_version: str,
    now: datetime,
    **told: object,
) -> bool:
    """Replace what a live follower met when it came by what the past knows of it; the watches go
    back to where the past ended. False, with nothing replaced, if it is not the cluster's own past.

    at, resource_version: where the past ends. Raises LeaseLost when somebody else reads it.
    """
    with transaction.atomic():
        row = _held(reading)
        own = _is_own(reading, living)
        if own:
            _replace_objects(reading, living)
            _replace_replicas(reading, living.replicas, at=at)
            facts.keep_revisions(living.revisions)
            facts.keep_starts(living.starts)
            _set_positions(reading, living.resources, at=at, resource_version=resource_version)
            _end_lease(reading, now=now)
        row.past = row.past | told | {"state": DONE}
        row.save(update_fields=["past"])
    return own


def fail_past(reading: Reading, problem: str) -> None:
    """Say why the past was not read to its end. What was read stays."""
    with transaction.atomic():
        row = _held(reading)
        row.past = row.past | {"state": FAILED, "problem": problem[:500]}
        row.save(update_fields=["past"])


def is_followed(reading: Reading) -> bool:
    """Whether a live follower has taken its lists."""
    return WatchPosition.objects.filter(cluster=reading.cluster_id).exists()


def _locked(pk: int) -> Cluster:
    """A follower sets this row first in each batch, so nobody else writes until we are done."""
    return Cluster.objects.select_for_update().get(pk=pk)


def _held(reading: Reading) -> Cluster:
    try:
        row = _locked(reading.cluster_id)
    except Cluster.DoesNotExist as error:
        raise BadInput(f"there is no cluster {reading.cluster!r} any more") from error
    if row.past.get("by") != reading.by or row.removed_at is not None:
        raise LeaseLost(f"the past of {reading.cluster} is read by somebody else now")
    return row


def _keep(delta: Delta) -> None:
    facts.keep_revisions(delta.revisions)
    facts.keep_replicas(delta.replicas)
    facts.keep_scale_events(delta.scale_events)
    facts.keep_probe_failures(delta.probe_failures)
    facts.keep_starts(delta.starts)


def _figures(reading: Reading, started: frozenset[str], *, now: datetime) -> tuple[str, ...]:
    if not started:
        return ()
    touched = Touched(cluster=reading.cluster, statuses=(), started=started, probed=frozenset())
    return tuple(sorted({str(row.key) for row in write_fleet_rows(touched, now=now)}))


def _is_own(reading: Reading, living: Living) -> bool:
    """Whether a model that lived then is a model of the cluster now."""
    uids = {row.model_uid for row in living.replicas}
    uids |= {row.model_uid for row in living.revisions}
    present = ServedModel.objects.present().filter(cluster=reading.cluster)
    known = set(present.values_list("model_uid", flat=True))
    return not known.isdisjoint(uids)


def _replace_objects(reading: Reading, living: Living) -> None:
    resources = [resource.value for resource in living.resources]
    ObservedObject.objects.filter(cluster=reading.cluster_id, resource__in=resources).delete()
    facts.keep_objects(reading.cluster_id, living.objects)


def _replace_replicas(reading: Reading, replicas: Sequence[ReplicaRow], *, at: datetime) -> None:
    """Those born since are met again by the watches, this time from their birth on."""
    known = {row.uid for row in replicas}
    born = Replica.objects.filter(cluster=reading.cluster, created_at__gte=at - SECOND)
    later = [uid for uid in born.values_list("uid", flat=True) if uid not in known]
    for first in range(0, len(later), facts.NAMES_AT_ONCE):
        some = later[first : first + facts.NAMES_AT_ONCE]
        Replica.objects.filter(cluster=reading.cluster, uid__in=some).delete()
    facts.keep_replicas(replicas)


def _set_positions(
    reading: Reading, resources: Collection[Resource], *, at: datetime, resource_version: str
) -> None:
    rows = WatchPosition.objects.filter(cluster=reading.cluster_id)
    mine = [row.pk for row in rows if row.resource.partition("/")[0] in resources]
    WatchPosition.objects.filter(pk__in=mine).update(
        resource_version=resource_version, in_step_at=at
    )


def _end_lease(reading: Reading, *, now: datetime) -> None:
    """The follower finds it lost with its next batch; the next one begins within seconds."""
    Cluster.objects.filter(pk=reading.cluster_id).update(
        lease_epoch=F("lease_epoch") + 1, lease_expires_at=now - LEASE
    )
