"""Nobody was ready when the request came: it waits for a start, or there is nobody to wait with.

Source: knative pkg/reconciler/autoscaling/kpa; KServe in Standard mode has no activator.
"""

from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.claims import LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Condition, Thing
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.reading.plain import number
from fleet.domain.diagnosis.records import Piece, Remedy
from fleet.domain.diagnosis.rules.load import queued
from fleet.domain.diagnosis.rules.starts import Start, fell_into, sleeps, starts

_INITIAL = ("autoscaling.knative.dev/initial-scale", "autoscaling.knative.dev/initialScale")
_TO_ZERO = clue(
    "scaled down replica set",
    "deactivated",
    "scaled to zero",
    "scale to zero",
    "new size: 0",
    "idlereplicacount",
    pattern=r"to 0\b|deactivat|to zero|size: 0|idlereplica",
    places=(Where.EVENT, Where.CONTROL),
)
_LONG_CALL_S = 20.0
# A request without a time is taken for one of a start that has just ended.
_UNTIMED_S = 600.0


def from_zero(case: Case) -> Seen | None:
    """Queued while nobody is ready; asleep without anybody to hold requests; or woken for one."""
    if _breaks(case):
        return None
    return _held(case) or _asleep(case) or _activated(case) or _counted(case) or _woken(case)


def _breaks(case: Case) -> bool:
    """A start that ends again and again is no mere wait, whatever ends it."""
    return any(
        not each.ready and (each.waiting == "CrashLoopBackOff" or each.restarts > 1)
        for pod in case.starting
        for each in pod.containers
    )


def _counted(case: Case) -> Seen | None:
    """Knative counts requests that wait, no pod is ready, and one has just been made."""
    revision = case.evidence.revision.condition("Ready")
    rollout = revision is not None and revision.status != "True"
    if case.ready or not case.starting or queued(case) <= 0 or rollout:
        return None
    return Seen(
        confidence=LIKELY,
        pieces=(
            *measured(case.series.latest("request_queued")),
            piece("object", case.starting[0].ref, "not ready", case.starting[0].created_at),
        ),
        params={"never_ran": never_ran(case)},
    )


_FROM_ZERO = clue(
    "from 0 to",
    "kedascaletargetactivated",
    "activated",
    pattern=r"from 0 to [1-9]|kedascaletargetactivated",
    places=(Where.EVENT,),
)


def _activated(case: Case) -> Seen | None:
    """A scaler of Standard mode has just left zero; its gateway knows nobody meanwhile."""
    if case.ready or not case.starting or not case.users_suffer:
        return None
    woken = [
        each
        for each in case.find(_FROM_ZERO)
        if each.about.startswith("ScaledObject") or each.reason.startswith("KEDA")
    ]
    if not woken:
        return None
    return Seen(
        confidence=LIKELY,
        pieces=(
            *quoted(woken, at_most=1),
            piece("object", case.starting[0].ref, "not ready", case.starting[0].created_at),
            *quoted([each.text for each in case.failed_calls], at_most=1),
        ),
        params={"never_ran": False},
    )


def _held(case: Case) -> Seen | None:
    """Knative holds the request: Active is Unknown/Queued, wanted more than ready."""
    told = _queued_condition(case)
    if told is None or case.ready:
        return None
    thing, condition = told
    ready = case.evidence.revision.condition("Ready")
    first_rollout = ready is not None and ready.status != "True"
    suffers = queued(case) > 0 or case.users_suffer
    if (first_rollout and not suffers) or (ready_replicas(case) or 0) > 0:
        return None
    return Seen(
        confidence=STRONG if suffers else LIKELY,
        pieces=(
            piece("object", thing.ref, _says(condition), condition.at),
            *_scale_piece(case),
            *measured(case.series.latest("request_queued")),
        ),
        params={"never_ran": never_ran(case)},
    )


def _queued_condition(case: Case) -> tuple[Thing, Condition] | None:
    for thing in (case.evidence.autoscaler, case.evidence.revision):
        found = thing.condition("Active")
        if found is not None and found.status == "Unknown" and found.reason == "Queued":
            return thing, found
    return None


def _says(condition: Condition) -> str:
    return f"{condition.type}={condition.status} {condition.reason}: {condition.message}"


def _scale_piece(case: Case) -> tuple[Piece, ...]:
    autoscaler = case.evidence.autoscaler
    wanted, ready = wanted_replicas(case), ready_replicas(case)
    if wanted is None or not autoscaler.name:
        return ()
    return (piece("object", autoscaler.ref, f"desired {wanted:g}, ready {ready or 0:g}"),)


def wanted_replicas(case: Case) -> float | None:
    """As the autoscaler, else the revision, else the Deployment wants; None if not told."""
    evidence = case.evidence
    for value in (
        evidence.autoscaler.status.get("desiredScale"),
        evidence.revision.status.get("desiredReplicas"),
        evidence.deployment.spec.get("replicas"),
    ):
        found = number(value)
        if found is not None:
            return found
    sample = case.series.most("deployment_spec_replicas", "revision_pods_requested")
    if sample is not None:
        return sample.value
    return number(case.evidence.model.spec.get("replicas"))


def ready_replicas(case: Case) -> float | None:
    """As the autoscaler, else the revision, else the Deployment says; None if not told."""
    evidence = case.evidence
    for value in (
        evidence.autoscaler.status.get("actualScale"),
        evidence.revision.status.get("actualReplicas"),
        evidence.deployment.status.get("readyReplicas"),
    ):
        found = number(value)
        if found is not None:
            return found
    return None


def never_ran(case: Case) -> bool:
    """Ready without a pod ever having been: an initial scale of zero."""
    for thing in (case.evidence.revision, case.evidence.autoscaler, case.evidence.model):
        if any(thing.annotations.get(key) == "0" for key in _INITIAL):
            return True
    return False


def _asleep(case: Case) -> Seen | None:
    """Nobody is wanted, and requests fail: without an activator there is nobody to hold them."""
    if case.live or not case.users_suffer:
        return None
    wanted = wanted_replicas(case)
    idle = case.find(_TO_ZERO)
    asleep = _no_traffic(case)
    if wanted != 0 and not idle and asleep is None:
        return None
    if wanted is not None and wanted > 0:
        return None
    return Seen(
        confidence=LIKELY if wanted == 0 or asleep is not None else TWO_SIGNS,
        pieces=(
            *quoted([each.text for each in case.failed_calls], at_most=2),
            *measured(case.failing_samples, at_most=1),
            *quoted(idle, at_most=1),
            *_zero_piece(case),
        ),
        params={"never_ran": never_ran(case)},
    )


def _no_traffic(case: Case) -> Condition | None:
    for thing in (case.evidence.autoscaler, case.evidence.revision):
        found = thing.condition("Active")
        if found is not None and found.status == "False" and found.reason == "NoTraffic":
            return found
    return None


def _zero_piece(case: Case) -> tuple[Piece, ...]:
    for thing in (case.evidence.autoscaler, case.evidence.deployment, case.evidence.model):
        if thing.name:
            return (piece("object", thing.ref, "0 replicas wanted"),)
    return ()


def _woken(case: Case) -> Seen | None:
    """It serves now; requests from before waited for the start of its only pods, or failed."""
    woken = [each for each in starts(case) if each.until is not None or case.users_suffer]
    if not woken or not sleeps(case) or len(case.live) > len(woken):
        return None
    met = [
        (call, start)
        for call in case.calls
        if (call.failed or (call.seconds or 0.0) >= _LONG_CALL_S)
        and (start := fell_into(case, call)) is not None
        and _by_demand(case, start)
        and (call.at is not None or (case.age_s(start.until) or 0.0) <= _UNTIMED_S)
    ]
    if not met:
        return None
    call, start = met[0]
    return Seen(
        confidence=LIKELY,
        pieces=(
            *quoted((call.text,)),
            piece("object", start.pod.ref, f"start of {start.seconds:.0f} s", start.until),
        ),
        params={"never_ran": never_ran(case)},
    )


def _by_demand(case: Case, start: Start) -> bool:
    """Not a rollout: the revision is older than the pod by more than a moment."""
    made = case.evidence.revision.created_at
    return made is None or (start.since - made).total_seconds() > 60


REMEDIES = (
    Remedy.RAISE_MIN_REPLICAS,
    Remedy.PREWARM_BEFORE_TRAFFIC,
    Remedy.RAISE_CLIENT_OR_INGRESS_TIMEOUT,
    Remedy.CACHE_MODEL_LOCALLY,
)
