"""What is said when no rule holds: nothing is wrong, or what is known does not suffice."""

from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.claims import piece
from fleet.domain.diagnosis.evidence import Pod
from fleet.domain.diagnosis.podview import ready_at
from fleet.domain.diagnosis.records import Cause, FaultPhase, Finding, Piece, Remedy
from fleet.domain.diagnosis.rules.load import queued
from fleet.domain.diagnosis.rules.starts import sleeps
from fleet.domain.diagnosis.rules.waking import wanted_replicas

_STOP = "serving.kserve.io/stop"
_WAITING_NOTHING = ("PodInitializing", "ContainerCreating", "")
# For a start of which nothing is told; a startup probe tells how long it may take.
_PATIENCE_S = 420.0
_UNPLACED_S = 120.0
_MOMENT_S = 60.0


def nothing_found(case: Case) -> Finding:
    """`none` where all is well, on its way or so on purpose; else what to collect."""
    if is_stopped(case):
        return _none(case, "stopped-on-purpose", Remedy.EXPLAIN_EXPECTED_BEHAVIOUR)
    held = queued(case) > 0 and not case.ready
    if case.users_suffer or held or _has_trouble(case) or _knows_nothing(case):
        return _insufficient(case)
    if case.starting or (not case.live and (wanted_replicas(case) or _is_new(case))):
        if not case.evidence.moment_told:
            return _insufficient(case)
        return _none(case, "starting", Remedy.WAIT)
    if not case.live and not _says_ready(case):
        return _none(case, "asleep-on-purpose", Remedy.EXPLAIN_EXPECTED_BEHAVIOUR)
    return _none(case, "serving", Remedy.NO_ACTION)


def _is_new(case: Case) -> bool:
    age = case.age_s(case.evidence.model.created_at)
    return age is not None and age <= _MOMENT_S


def _says_ready(case: Case) -> bool:
    ready = case.evidence.model.condition("Ready")
    return ready is not None and ready.status == "True" and not may_sleep(case)


def may_sleep(case: Case) -> bool:
    """Whether zero replicas are wanted, or allowed."""
    for thing in (case.evidence.autoscaler, case.evidence.revision):
        active = thing.condition("Active")
        if active is not None and active.reason == "NoTraffic":
            return True
    return wanted_replicas(case) == 0 or sleeps(case)


def is_stopped(case: Case) -> bool:
    """Stopped by intent."""
    model = case.evidence.model
    condition = model.condition("Stopped")
    told = condition is not None and condition.status == "True"
    return told or model.annotations.get(_STOP, "").lower() == "true"


def _has_trouble(case: Case) -> bool:
    """A pod that failed, waits for a reason, restarts, or has been starting for very long."""
    for pod in case.pods:
        if pod.phase == "Failed" and not case.ready:
            return True
    for pod in case.starting:
        for each in pod.containers:
            if each.waiting not in _WAITING_NOTHING or (each.restarts and not each.ready):
                return True
        if _takes_too_long(case, pod):
            return True
    return _revision_failed(case)


def _takes_too_long(case: Case, pod: Pod) -> bool:
    age = case.age_s(pod.created_at) or 0.0
    if not pod.node and age > _UNPLACED_S:
        return True
    budgets = [each.startup.budget_s for each in pod.containers if each.startup is not None]
    return age > max([_PATIENCE_S, *budgets])


def _revision_failed(case: Case) -> bool:
    ready = case.evidence.revision.condition("Ready")
    if ready is not None and ready.status == "False" and not case.ready:
        return True
    wanted = wanted_replicas(case)
    return not case.pods and wanted is not None and wanted > 0 and not _just_asked(case)


def _just_asked(case: Case) -> bool:
    """Pods follow a wish within a moment."""
    evidence = case.evidence
    things = (evidence.model, evidence.revision, evidence.autoscaler, evidence.deployment)
    times = [each.at for thing in things for each in thing.conditions]
    times += [thing.created_at for thing in things]
    return any((age := case.age_s(each)) is not None and age <= _MOMENT_S for each in times)


def _knows_nothing(case: Case) -> bool:
    evidence = case.evidence
    if evidence.pods or may_sleep(case) or _says_ready(case) or _is_new(case):
        return False
    things = (evidence.revision, evidence.autoscaler, evidence.deployment)
    return not any(each.name for each in things)


def _none(case: Case, rule: str, remedy: Remedy) -> Finding:
    remedies = (remedy, Remedy.NO_ACTION, Remedy.EXPLAIN_EXPECTED_BEHAVIOUR)
    return Finding(
        cause=Cause.NONE,
        confidence=0.9 if case.live else 0.8,
        phase=FaultPhase.NONE,
        rule=rule,
        evidence=_well(case),
        remedies=tuple(dict.fromkeys(remedies)),
    )


def _well(case: Case) -> tuple[Piece, ...]:
    ready = tuple(
        piece("object", each.ref, "Ready=True", ready_at(each)) for each in case.ready[:3]
    )
    waiting = tuple(piece("object", each.ref, "starting") for each in case.starting[:2])
    return (*ready, *waiting)


def _insufficient(case: Case) -> Finding:
    calls = [each.text for each in case.failed_calls]
    return Finding(
        cause=Cause.INSUFFICIENT_EVIDENCE,
        confidence=0.5,
        phase=FaultPhase.NONE,
        rule="collect",
        evidence=(*quoted(calls), *measured(case.failing_samples), *_well(case)),
        remedies=(Remedy.COLLECT_MORE_EVIDENCE,),
        params={"collect": missing(case)},
    )


def missing(case: Case) -> tuple[str, ...]:
    """Codes of what would decide and is not there, the most telling first."""
    evidence = case.evidence
    ended = any(each.latest_ending or each.restarts for pod in case.pods for each in pod.containers)
    previous = any(each.previous for each in evidence.lines)
    untimed = case.users_suffer and all(each.at is None for each in case.failed_calls)
    wanted = (
        ("previous-log", ended and not previous),
        ("memory-samples", ended and not case.series.all("memory")),
        ("gateway-access-log", case.users_suffer and not any(c.flag for c in case.failed_calls)),
        ("times-of-failures", untimed),
        ("pods", not evidence.pods),
        ("events", not evidence.events),
        ("engine-log", not evidence.lines),
        ("autoscaler", not evidence.autoscaler.name and evidence.model.kind != ""),
        ("request-metrics", not evidence.samples),
    )
    return tuple(code for code, holds in wanted if holds) or ("repeat-while-failing",)
