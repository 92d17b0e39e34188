"""The state of one model, by the first rule that fits, and its status row."""

from collections.abc import Sequence
from typing import NamedTuple

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.start import ColdStart, Outcome
from fleet.domain.ledger.codes import StateCode
from fleet.domain.ledger.context import autoscaler_of, past_deadline
from fleet.domain.ledger.delta import ModelStatus, RevisionRow, State
from fleet.domain.ledger.detect import served_names
from fleet.domain.ledger.group import Group
from fleet.domain.ledger.revisions import current
from fleet.domain.ledger.settings import LedgerSettings
from fleet.domain.records.common import condition
from fleet.domain.records.keys import Mode
from fleet.domain.records.serving import ModelRecord
from fleet.domain.records.workload import NamespaceRecord

REASON_LENGTH = 300


class Why(NamedTuple):
    """A state with its code and parameters."""

    state: State
    code: StateCode
    params: dict[str, object]


def status_of(
    group: Group,
    record: ModelRecord,
    starts: Sequence[ColdStart],
    *,
    namespace: NamespaceRecord | None,
    settings: LedgerSettings,
) -> ModelStatus:
    """The row of a model that exists. starts: those not ended, of live replicas."""
    ready = sum(1 for replica in group.live() if _serves(replica.evidence))
    revision = current(group)
    why = state_of(group, record, starts, ready=ready, revision=revision)
    minimum, maximum = bounds_of(group, record, revision)
    return ModelStatus(
        key=group.key,
        uid=record.meta.uid,
        mode=group.mode,
        created_at=record.meta.created_at,
        state=why.state,
        state_code=why.code.value,
        state_params=why.params,
        served_names=served_names(group),
        url=record.url,
        runtime=record.runtime,
        team=_label(record, namespace, settings.team_label),
        environment=_label(record, namespace, settings.environment_label),
        ready=ready,
        desired=desired_of(group),
        min=minimum,
        max=maximum,
        current_revision=revision.name if revision else "",
        current_revision_uid=revision.uid if revision else "",
        current_revision_created_at=revision.created_at if revision else None,
        traffic=record.traffic,
    )


def _serves(evidence: Evidence) -> bool:
    return evidence.ready_now and not evidence.waits_for_members


def state_of(
    group: Group,
    record: ModelRecord,
    starts: Sequence[ColdStart],
    *,
    ready: int,
    revision: RevisionRow | None,
) -> Why:
    """First match wins: Stopped, Failing, Starting, Degraded, Warm, Cold."""
    if record.stopped:
        return Why(State.STOPPED, StateCode.STOPPED, {})
    failed = [start for start in starts if start.outcome is Outcome.FAILED]
    wanted = desired_of(group) or 0
    if ready and failed:
        return Why(State.DEGRADED, StateCode.FAILED_START_BESIDE, _failed(failed))
    if ready:
        return Why(State.WARM, StateCode.READY, {"ready": ready, "desired": wanted})
    if starts and len(failed) == len(starts):
        return Why(State.FAILING, StateCode.START_FAILED, _failed(failed))
    if starts:
        return Why(State.STARTING, StateCode.STARTING, _starting(starts))
    if wanted:
        return _nobody(group, wanted)
    if desired_of(group) is None:
        return _unmade(record)
    return _at_zero(group, revision)


def _unmade(record: ModelRecord) -> Why:
    """No workload yet: it is being made, or refused with a reason."""
    ready = condition(record.conditions, "Ready")
    if ready is not None and ready.status == "False":
        reason = f"{ready.reason} {ready.message}".strip()[:REASON_LENGTH]
        return Why(State.FAILING, StateCode.NOT_MADE, {"reason": reason})
    return Why(State.STARTING, StateCode.NOT_MADE_YET, {})


def _failed(failed: Sequence[ColdStart]) -> dict[str, object]:
    """Of the newest start that failed."""
    start = max(failed, key=lambda item: item.started_at)
    failure = start.failure
    return {
        "class": failure.class_ if failure else "",
        "reason": failure.reason[:REASON_LENGTH] if failure else "",
        "phase": start.phases[-1].phase.value if start.phases else "",
        "replica": start.replica,
        "trigger": start.trigger.value,
    }


def _starting(starts: Sequence[ColdStart]) -> dict[str, object]:
    """Of the start that is furthest: it is the one that will serve first."""
    start = max(starts, key=lambda item: (len(item.phases), -item.started_at.timestamp()))
    phase = start.phases[-1].phase.value if start.phases else ""
    return {"trigger": start.trigger.value, "phase": phase, "replicas": len(starts)}


def _nobody(group: Group, wanted: int) -> Why:
    """Replicas are wanted and there is none: refused, given up, or not made yet."""
    for workload in group.workloads.values():
        refused = condition(workload.conditions, "ReplicaFailure")
        if refused is not None and refused.status == "True" and workload.replicas:
            reason = (refused.message or refused.reason)[:REASON_LENGTH]
            return Why(State.FAILING, StateCode.REPLICA_REFUSED, {"reason": reason})
    for workload in group.tops():
        progress = condition(workload.conditions, "Progressing")
        if progress is not None and past_deadline(progress) and workload.replicas:
            reason = progress.message[:REASON_LENGTH]
            return Why(State.FAILING, StateCode.PAST_DEADLINE, {"reason": reason})
    return Why(State.STARTING, StateCode.NO_REPLICA_YET, {"desired": wanted})


def _at_zero(group: Group, revision: RevisionRow | None) -> Why:
    """Asleep on purpose, unless the revision that should wake never could."""
    if group.mode is not Mode.KNATIVE:
        return Why(State.COLD, StateCode.AT_ZERO, {})
    if revision is not None and revision.ready is False and not _waits_only(revision):
        params: dict[str, object] = {"revision": revision.name, "reason": revision.ready_reason}
        return Why(State.FAILING, StateCode.REVISION_FAILED, params)
    return Why(State.COLD, StateCode.ASLEEP, {})


def _waits_only(revision: RevisionRow) -> bool:
    """Without a free GPU a revision turns False for as long as that lasts, and back by itself."""
    return revision.ready_reason == "Unschedulable"


def desired_of(group: Group) -> int | None:
    """The sum of all wishes: per revision the autoscaler's, else the Deployment's; None if nothing
    tells."""
    wishes: list[int] = []
    for top in group.tops():
        scaler = autoscaler_of(group, top.revision_uid) if top.revision_uid else None
        wish = scaler.desired_scale if scaler is not None else None
        wish = top.replicas if wish is None else wish
        if wish is not None:
            wishes.append(wish)
    if not wishes and group.mode is Mode.KNATIVE:
        wishes = [
            s.desired_scale for s in group.autoscalers.values() if s.desired_scale is not None
        ]
    return sum(wishes) if wishes else None


def bounds_of(
    group: Group, record: ModelRecord, revision: RevisionRow | None
) -> tuple[int | None, int | None]:
    """Floor and ceiling in force. Knative: of the revision in traffic, since a pin acts there;
    Standard: of the HPA, else the spec (absent = 1); LLM: of scaling, else the fixed number.
    A Knative maximum of 0 is no limit: None. Source: knative/serving pkg/apis/autoscaling."""
    if group.mode is Mode.KNATIVE:
        floor = revision.min_scale if revision is not None else record.min_replicas
        ceiling = revision.max_scale if revision is not None else record.max_replicas
        return (1 if floor is None and revision is None else floor or 0), ceiling or None
    if group.mode is Mode.LLM and not record.scaling:
        return record.replicas, record.replicas
    scaler = next(iter(group.scalers.values()), None)
    if scaler is not None:
        return scaler.min_replicas, scaler.max_replicas
    floor = 1 if record.min_replicas is None else record.min_replicas
    return floor, record.max_replicas or floor


def _label(record: ModelRecord, namespace: NamespaceRecord | None, name: str) -> str | None:
    """A label of the model, else of its namespace; None if neither has it."""
    if not name:
        return None
    own = dict(record.labels).get(name)
    return own or (dict(namespace.labels).get(name) if namespace is not None else None)
