"""What a delta says, as rows: objects, revisions, replicas, starts, scale events, failures."""

from collections.abc import Iterable
from dataclasses import asdict

from fleet.domain.coldstart.start import ColdStart as Start
from fleet.domain.ledger.delta import (
    KeptObject,
    ReplicaRow,
    RevisionRow,
)
from fleet.domain.ledger.delta import NotTaken as Refused
from fleet.domain.ledger.delta import ProbeFailure as Failures
from fleet.domain.ledger.delta import ScaleEvent as Scaled
from fleet.domain.records.keys import ModelKey
from fleet.history.first_answers import complete
from fleet.history.kept import as_text, facts_text
from fleet.history.upserts import upsert
from fleet.models import (
    ColdStart,
    NotTaken,
    ObservedObject,
    ProbeFailure,
    Replica,
    Revision,
    ScaleEvent,
)

# SQLite takes some thousand parameters in a statement, PostgreSQL more.
NAMES_AT_ONCE = 500


def _columns(key: ModelKey, model_uid: str) -> dict[str, str]:
    return asdict(key) | {"model_uid": model_uid}


def keep_objects(cluster_id: int, objects: Iterable[KeptObject]) -> None:
    """Newest records of live objects; rows of gone ones are deleted."""
    kept = list(objects)
    rows = [
        ObservedObject(
            cluster_id=cluster_id,
            resource=k.resource.value,
            uid=k.uid,
            namespace=k.namespace,
            name=k.name,
            record=as_text(k.record),
        )
        for k in kept
        if k.record is not None
    ]
    upsert(rows, by=("cluster", "resource", "uid"))
    _forget(cluster_id, [k for k in kept if k.record is None])


def _forget(cluster_id: int, gone: list[KeptObject]) -> None:
    for first in range(0, len(gone), NAMES_AT_ONCE):
        some = gone[first : first + NAMES_AT_ONCE]
        ObservedObject.objects.filter(
            cluster=cluster_id,
            resource__in={kept.resource.value for kept in some},
            uid__in=[kept.uid for kept in some],
        ).delete()


def keep_revisions(revisions: Iterable[RevisionRow]) -> None:
    """One row for each uid, for as long as history is kept."""
    rows = [
        Revision(
            **_columns(r.model, r.model_uid),
            uid=r.uid,
            revision=r.name,
            source=r.source,
            number=r.number,
            image=r.image,
            traffic_percent=r.traffic_percent,
            min_scale=r.min_scale,
            max_scale=r.max_scale,
            ready=r.ready,
            ready_reason=r.ready_reason,
            created_at=r.created_at,
            gone_at=r.gone_at,
        )
        for r in revisions
    ]
    upsert(rows, by=("cluster", "uid"))


def keep_replicas(replicas: Iterable[ReplicaRow]) -> None:
    """One row for each replica, with the evidence that its starts are measured from."""
    rows = [
        Replica(
            **_columns(r.model, r.model_uid),
            uid=r.uid,
            replica=r.name,
            revision=r.revision,
            revision_uid=r.revision_uid,
            role=r.role,
            node=r.node or "",
            gpus=r.gpus,
            ready=r.ready,
            facts=facts_text(r.facts),
            created_at=r.created_at,
            ready_at=r.ready_at,
            gone_at=r.gone_at,
        )
        for r in replicas
    ]
    upsert(rows, by=("cluster", "uid"))


def keep_starts(starts: Iterable[Start]) -> None:
    """One row for each replica and attempt; what other parts add to a row is left as it is."""
    rows = [_start_row(start) for start in starts]
    complete(rows)
    upsert(rows, by=("cluster", "replica_uid", "attempt"), never=("requests_lost", "counted"))


def _start_row(start: Start) -> ColdStart:
    failure = start.failure
    return ColdStart(
        **_columns(start.model, start.model_uid),
        replica_uid=start.replica_uid,
        attempt=start.attempt,
        replica=start.replica,
        revision=start.revision,
        revision_uid=start.revision_uid,
        role=start.role,
        node=start.node or "",
        restarts=start.restarts,
        trigger=start.trigger.value,
        start_mode=start.start_mode.value,
        outcome=start.outcome.value,
        failure_class=failure.class_ if failure else "",
        failure_reason=failure.reason if failure else "",
        started_at=start.started_at,
        ready_at=start.ready_at,
        ended_at=start.ended_at,
        ended_in_phase=start.ended_in_phase.value if start.ended_in_phase else "",
        first_answer_at=start.first_answer_at,
        total_s=start.total_s,
        total_to_first_answer_s=start.total_to_first_answer_s,
        unexplained_s=start.unexplained_s,
        clamped=start.clamped,
        phases=phases_json(start),
        image=start.image,
        image_digest=start.image_digest,
        engine_version=start.engine_version,
        gpus=start.gpus,
        node_pool=start.node_pool,
        weights_from=start.weights_from,
        progress_deadline_s=start.progress_deadline_s,
        image_pull=start.image_pull,
        image_bytes=start.image_bytes,
        log=start.log,
    )


def phases_json(start: Start) -> list[dict[str, object]]:
    """Phases in the API's form; `parts` are empty where the engine's log tells nothing."""
    return [
        {
            "phase": span.phase.value,
            "started_at": span.started_at.isoformat(),
            "ended_at": span.ended_at.isoformat() if span.ended_at else None,
            "seconds": round(span.seconds, 3),
            "source": span.source,
            "error_s": span.error_s,
            "parts": [part._asdict() for part in span.parts],
        }
        for span in start.phases
    ]


def keep_scale_events(events: Iterable[Scaled]) -> None:
    """One row for each change of a wish."""
    rows = [
        ScaleEvent(
            **_columns(e.model, e.model_uid),
            uid=e.uid,
            revision=e.revision,
            revision_uid=e.revision_uid,
            at=e.at,
            from_count=e.from_,
            to_count=e.to,
            change=e.kind.value,
            source=e.source,
            cause=e.cause,
            actor=e.actor or "",
        )
        for e in events
    ]
    upsert(rows, by=("cluster", "uid"))


def keep_probe_failures(failures: Iterable[Failures]) -> None:
    """One row for each Event object; its count only grows."""
    rows = [
        ProbeFailure(
            **_columns(f.model, f.model_uid),
            event_uid=f.event_uid,
            replica=f.replica,
            replica_uid=f.replica_uid,
            container=f.container,
            about=f.about,
            probe=f.probe,
            during=f.while_,
            count=f.count,
            first_at=f.first_at,
            at=f.at,
            message=f.message,
        )
        for f in failures
    ]
    upsert(rows, by=("cluster", "event_uid"))


def keep_refused(refused: Iterable[Refused]) -> None:
    """Services that are not taken for vLLM; those that are gone or taken now lose their row."""
    services = list(refused)
    rows = [
        NotTaken(**_columns(s.key, s.uid), rule=s.rule, detail=s.detail)
        for s in services
        if not s.gone
    ]
    upsert(rows, by=("cluster", "model_uid"))
    for service in (s for s in services if s.gone):
        NotTaken.objects.filter(cluster=service.key.cluster, model_uid=service.uid).delete()
