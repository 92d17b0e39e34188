"""A progress deadline ended a start, or declared it failed, while it went on.

Source: knative pkg/reconciler/autoscaling/kpa/scaler.go; kubernetes pkg/controller/deployment.
"""

from datetime import datetime

from fleet.domain.diagnosis.case import Case, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Condition, Thing
from fleet.domain.diagnosis.limits import seconds_of
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import is_ready
from fleet.domain.diagnosis.reading.plain import number
from fleet.domain.diagnosis.records import FaultPhase, Piece

_EXCEEDED = ("ProgressDeadlineExceeded", "TimedOut")
_SAYS = (
    "initial scale was never achieved",
    "has timed out progressing",
    "progress deadline",
    "could not be activated",
)
_DEFAULT_S = 600.0
_ANNOTATION = "serving.knative.dev/progress-deadline"
_SCALED_DOWN = clue("scaled down replica set", pattern=r" to 0\b", places=(Where.EVENT,))
_SLACK_S = 60.0


def exceeded(case: Case) -> Seen | None:
    """A condition says so; or the revision was scaled to zero right at the deadline."""
    told = [(thing, each) for thing in _things(case) if (each := _condition(thing)) is not None]
    if not told:
        return _ended_on_time(case)
    gone = quoted(case.find(_SCALED_DOWN), at_most=1)
    thing, condition = told[0]
    return Seen(
        confidence=DECISIVE if condition.reason != "TimedOut" or gone else STRONG,
        pieces=(*(_as_piece(*each) for each in told[:2]), *gone, *_configured(case)),
        phase=_phase(case),
        params={"deadline_s": deadline_s(case), "object": thing.kind, "ended": _is_over(case)},
    )


def _is_over(case: Case) -> bool:
    """Whether the start was given up, rather than only called failed."""
    return not case.live and number(case.evidence.autoscaler.status.get("desiredScale")) == 0


def _things(case: Case) -> tuple[Thing, ...]:
    evidence = case.evidence
    return (evidence.revision, evidence.autoscaler, evidence.deployment, evidence.model)


def _condition(thing: Thing) -> Condition | None:
    for each in thing.conditions:
        if each.status == "True" or each.type in ("PodScheduled",):
            continue
        says = each.message.lower()
        if each.reason in _EXCEEDED or any(sign in says for sign in _SAYS):
            return each
    return None


def _as_piece(thing: Thing, condition: Condition) -> Piece:
    says = f"{condition.type}={condition.status} {condition.reason}: {condition.message}"
    return piece("object", thing.ref, says, condition.at)


def deadline_s(case: Case) -> float:
    """The deadline that holds: as collected, else of the annotation, else Knative's and
    Kubernetes' default."""
    for value in (
        case.evidence.config.get("progress_deadline_s"),
        case.evidence.revision.annotations.get(_ANNOTATION),
        case.evidence.deployment.spec.get("progressDeadlineSeconds"),
    ):
        seconds = seconds_of(value)
        if seconds is not None and seconds > 0:
            return seconds
    return _DEFAULT_S


def _configured(case: Case) -> tuple[Piece, ...]:
    value = case.evidence.config.get("progress_deadline_s")
    if value is None:
        return ()
    return (piece("config", "config/progress_deadline_s", f"progress_deadline_s = {value}"),)


def _phase(case: Case) -> FaultPhase:
    """What the start was at."""
    for pod in case.pods:
        if is_ready(pod):
            continue
        for each in pod.containers:
            if each.init and each.running_since is not None:
                return FaultPhase.MODEL_FETCH
            if each.waiting in ("ContainerCreating", "ErrImagePull", "ImagePullBackOff"):
                return FaultPhase.IMAGE_PULL
    return FaultPhase.ENGINE_LOAD


def _ended_on_time(case: Case) -> Seen | None:
    """Scaled to zero at the deadline (Knative gives it half a minute more), never ready before."""
    began = _began(case)
    ready = case.evidence.revision.condition("Ready")
    if began is None or case.ready or (ready is not None and ready.status == "True"):
        return None
    for each in case.find(_SCALED_DOWN):
        if each.at is None:
            continue
        late = (each.at - began).total_seconds() - deadline_s(case)
        if -5 <= late <= _SLACK_S:
            return Seen(
                confidence=LIKELY if late <= 45 else TWO_SIGNS,
                pieces=(*quoted((each,)), *_configured(case)),
                phase=_phase(case),
                params={"deadline_s": deadline_s(case), "object": "Deployment"},
            )
    return None


def _began(case: Case) -> datetime | None:
    times = [each.created_at for each in case.pods if each.created_at is not None]
    return max(times, default=case.evidence.revision.created_at)
