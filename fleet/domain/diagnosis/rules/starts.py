"""Starts of replicas as spans of time, and which requests fell into one."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from fleet.domain.diagnosis.calls import Call
from fleet.domain.diagnosis.case import Case
from fleet.domain.diagnosis.evidence import Pod, Thing
from fleet.domain.diagnosis.podview import is_ready, ready_at
from fleet.domain.diagnosis.reading.plain import number, within
from fleet.domain.diagnosis.rules.runs import LONGEST_S

# A start that ended longer ago explains no request that tells no time.
FRESH_S = 1800.0
# Of a model that does not sleep: sooner, for hardly a request met that start.
_FRESH_AWAKE_S = 600.0
_MIN = ("autoscaling.knative.dev/min-scale", "autoscaling.knative.dev/minScale")
# An answer had begun: somebody was ready.
_BEGUN = ("stream", "finish_reason", "chunk", "first token", "tokens")
_EARLY = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """until: None while it goes on. seconds: so far."""

    pod: Pod
    since: datetime
    until: datetime | None
    seconds: float


def starts(case: Case) -> Iterator[Start]:
    """Of every live pod the start that made it ready, or that goes on."""
    for pod in case.live:
        end = ready_at(pod)
        if pod.created_at is None or (end is None and is_ready(pod)):
            continue
        seconds = ((end or case.now) - pod.created_at).total_seconds()
        if 0 <= seconds <= LONGEST_S:
            yield Start(pod=pod, since=pod.created_at, until=end, seconds=seconds)


def fell_into(case: Case, call: Call) -> Start | None:
    """The start that a request met, when no older pod was ready; None if it met none."""
    found = [each for each in starts(case) if _overlaps(case, call, each)]
    if not found:
        return None
    first = min(found, key=lambda each: each.since)
    return None if _served_meanwhile(case, first) else first


def _overlaps(case: Case, call: Call, start: Start) -> bool:
    if call.at is None:
        return _untimed_overlaps(case, call, start)
    began = call.at - timedelta(seconds=call.seconds or 0.0)
    end = start.until or case.now
    return began <= end and call.at >= start.since - _EARLY


def _untimed_overlaps(case: Case, call: Call, start: Start) -> bool:
    """Whether a request without a time may have met a start."""
    if any(sign in call.text.low for sign in _BEGUN):
        return False
    if start.until is None:
        return True
    if not case.evidence.moment_told:
        return sleeps(case)
    age = case.age_s(start.until) or 0.0
    return age <= (FRESH_S if sleeps(case) else _FRESH_AWAKE_S)


def sleeps(case: Case) -> bool:
    """Whether zero replicas are allowed, as far as told."""
    for thing in (case.evidence.autoscaler, case.evidence.revision):
        for key in _MIN:
            if thing.annotations.get(key) not in (None, "0"):
                return False
    least = within(case.evidence.model.spec, "predictor").get("minReplicas")
    told = [thing.annotations.get(key) for thing in _scalers(case) for key in _MIN]
    return number(least) == 0 or "0" in told


def _scalers(case: Case) -> tuple[Thing, ...]:
    return (case.evidence.autoscaler, case.evidence.revision)


def _served_meanwhile(case: Case, start: Start) -> bool:
    """Whether another pod was ready all through it."""
    return any(
        (at := ready_at(pod)) is not None and at <= start.since
        for pod in case.ready
        if pod is not start.pod
    )


def unserved(case: Case, start: Start) -> bool:
    """Whether no other pod was ready all through it."""
    return not _served_meanwhile(case, start)


def warm_since_s(case: Case) -> float | None:
    """For how long the oldest ready pod has been ready; None if none is."""
    ages = [age for pod in case.ready if (age := case.age_s(ready_at(pod))) is not None]
    return max(ages, default=None)
