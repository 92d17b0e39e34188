"""What the followers see of an action's object and its children."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from fleet.actions import rows
from fleet.domain.plans.objects import ObjectName
from fleet.domain.plans.plan import Change
from fleet.domain.plans.progress import Sight
from fleet.domain.records.keys import Mode, ModelKey, ModelKind, Resource
from fleet.domain.records.serving import AutoscalerRecord, ModelRecord, RevisionRecord
from fleet.domain.records.workload import WorkloadRecord
from fleet.models import Cluster, ColdStart

GENERATED = frozenset({"Revision", "PodAutoscaler"})
WORKLOADS = (Resource.DEPLOYMENTS, Resource.LEADER_WORKER_SETS)
# Clocks of the cluster and ours may be this far apart.
SKEW = timedelta(seconds=5)


def revisions_of(changes: Iterable[Change]) -> frozenset[str]:
    """Names of the Revisions that were pinned; a PodAutoscaler bears its Revision's name."""
    names = (ObjectName.parse(change.object) for change in changes)
    return frozenset(name.name for name in names if name.kind in GENERATED)


def sight_of(
    cluster: Cluster, key: ModelKey, *, changes: Collection[Change], source: bool, since: datetime
) -> Sight:
    """source: the change on the model's own object is followed, not the pin of its revisions.
    since: when the change was accepted; earlier starts have nothing to do with it."""
    record = rows.model_record(cluster, key)
    if record is None:
        return Sight()
    pinned = revisions_of(changes)
    if record.mode is Mode.KNATIVE and not source:
        return _pinned(cluster, key, record, names=pinned, since=since)
    if record.mode is Mode.KNATIVE:
        return _next_revision(cluster, key, record, before=changes, since=since)
    return _workloads(cluster, key, record, since=since)


def _pinned(
    cluster: Cluster, key: ModelKey, record: ModelRecord, *, names: frozenset[str], since: datetime
) -> Sight:
    autoscalers = [
        pa
        for pa in rows.records(
            cluster, Resource.POD_AUTOSCALERS, AutoscalerRecord, namespace=key.namespace
        )
        if pa.meta.name in names
    ]
    deployments = _deployments(cluster, key, names)
    complete = len(autoscalers) == len(names)
    return Sight(
        floor=min((pa.min_scale or 0 for pa in autoscalers), default=None) if complete else None,
        wished=_least(d.replicas or 0 for d in deployments),
        ready=_least(d.ready_replicas for d in deployments),
        new_revision=_taker(record, names),
        failing=_failing(key, names, since=since),
    )


def _taker(record: ModelRecord, pinned: frozenset[str]) -> str:
    """The revision that gets the requests now, if none of the pinned ones does any more."""
    shares = {t.revision: t.percent or 0 for t in record.traffic}
    takers = sorted((name for name, share in shares.items() if share > 0), key=shares.__getitem__)
    return "" if not takers or pinned & set(takers) else takers[-1]


def _next_revision(
    cluster: Cluster,
    key: ModelKey,
    record: ModelRecord,
    *,
    before: Collection[Change],
    since: datetime,
) -> Sight:
    """A new minReplicas makes a new Revision; until it exists, the newest one has the old floor."""
    name = record.latest_created_revision
    revisions = rows.records(
        cluster, Resource.REVISIONS, RevisionRecord, namespace=key.namespace, name=name
    )
    fresh = [r for r in revisions if name and r.meta.created_at >= since - SKEW]
    deployments = _deployments(cluster, key, frozenset(r.meta.name for r in fresh))
    in_traffic = any(t.revision == name and t.percent for t in record.traffic)
    return Sight(
        floor=min((r.min_scale or 0 for r in fresh), default=None),
        wished=_least(d.replicas or 0 for d in deployments),
        ready=_least(d.ready_replicas for d in deployments) if in_traffic else 0,
        failing=_failing(key, frozenset(r.meta.name for r in fresh), since=since),
    )


def _workloads(cluster: Cluster, key: ModelKey, record: ModelRecord, *, since: datetime) -> Sight:
    """Standard and LLM: one floor, and what serves: decode only together with prefill."""
    found = [
        w
        for r in WORKLOADS
        for w in rows.records(cluster, r, WorkloadRecord, namespace=key.namespace)
        if (w.model_kind, w.model) == (key.kind, key.name)
    ]
    main = [w for w in found if w.role != "prefill"]
    starved = any(w.replicas and not w.ready_replicas for w in found if w.role == "prefill")
    static = key.kind == ModelKind.LLM_INFERENCE_SERVICE and not record.scaling
    return Sight(
        floor=record.replicas if static else record.min_replicas,
        wished=sum(w.replicas or 0 for w in main),
        ready=0 if starved else sum(w.ready_replicas for w in main),
        failing=_failing(key, None, since=since),
    )


def _deployments(cluster: Cluster, key: ModelKey, names: frozenset[str]) -> list[WorkloadRecord]:
    found = rows.records(cluster, Resource.DEPLOYMENTS, WorkloadRecord, namespace=key.namespace)
    return [d for d in found if d.revision and d.revision in names]


def _failing(
    key: ModelKey, revisions: frozenset[str] | None, *, since: datetime
) -> tuple[str, str] | None:
    """Class and reason of the newest start since then, if that fails now."""
    starts = ColdStart.objects.of(key).started_since(since - SKEW)
    if revisions is not None:
        starts = starts.filter(revision__in=sorted(revisions))
    newest = starts.newest_first().first()
    if newest is None or newest.outcome != "failed":
        return None
    return newest.failure_class, newest.failure_reason


def _least(counts: Iterable[int]) -> int:
    return min(counts, default=0)
