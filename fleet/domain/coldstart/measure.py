"""Evidence of one replica and a clock -> its cold starts. The same facts give the same rows."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from fleet.domain.coldstart.attributes import attributes_again, attributes_of
from fleet.domain.coldstart.evidence import Attempt, Evidence
from fleet.domain.coldstart.heard import Heard, Part, engine_ready, parts_of, telling
from fleet.domain.coldstart.moments import Reader, Step
from fleet.domain.coldstart.outcome import outcome_of, start_mode_of
from fleet.domain.coldstart.phases import (
    Span,
    demanded_at,
    ready_at,
    spans_of,
    steps_of,
)
from fleet.domain.coldstart.sight import Moment, moment
from fleet.domain.coldstart.start import (
    ColdStart,
    Failure,
    Outcome,
    Phase,
    PhaseSpan,
    StartMode,
    Trigger,
)
from fleet.domain.coldstart.trouble import REASON_LENGTH
from fleet.domain.records.keys import ModelKey

_OPEN = frozenset({Outcome.RUNNING, Outcome.FAILED})


def measure(evidence: Evidence, *, cluster: str, now: float) -> ColdStart:
    """The replica's first start. now: seconds since the epoch; an unfinished start runs to it."""
    ready = ready_at(evidence)
    outcome, failure = outcome_of(evidence, is_ready=ready is not None, now=now)
    start = demanded_at(evidence)
    stop = _stop(evidence, ready, now=now)
    spans, clamped = spans_of(steps_of(evidence, ready), start=start, end=stop.at)
    finished = ready is not None or evidence.ended is not None
    parts = _engine_parts(evidence, spans)
    partial = outcome is Outcome.PARTIAL
    rows = [*_phase_spans(spans, finished=finished, parts=parts)]
    rows += [] if partial else _route(evidence, ready)
    end = max(spans[-1].end, start.at)
    return ColdStart(
        **_identity(evidence, cluster),
        **attributes_of(evidence),
        restarts=sum(pod.restarts for pod in evidence.pods()),
        trigger=Trigger(evidence.trigger),
        start_mode=start_mode_of(evidence),
        outcome=outcome,
        failure=_explained(failure, telling(evidence.heard, evidence.workers_heard())),
        started_at=when(start.at),
        ready_at=when(end) if ready is not None else None,
        ended_at=when(end) if finished else None,
        ended_in_phase=_ended_in(outcome, spans),
        total_s=None if partial else round(end - start.at, 3),
        unexplained_s=_unexplained_s(spans),
        clamped=clamped,
        phases=tuple(rows),
    )


def _identity(evidence: Evidence, cluster: str) -> dict[str, Any]:
    key = ModelKey(cluster, evidence.model_kind, evidence.namespace, evidence.model)
    return {
        "model": key,
        "model_uid": evidence.model_uid,
        "revision": evidence.revision,
        "revision_uid": evidence.revision_uid,
        "replica": evidence.name,
        "replica_uid": evidence.uid,
        "role": evidence.role,
        "node": evidence.node or None,
    }


def _stop(evidence: Evidence, ready: Moment | None, *, now: float) -> Moment:
    """Where the start ends: Ready, the deletion, or the clock."""
    if ready is not None:
        return ready
    asked_to_go = Reader(evidence).plane(evidence.deleted)
    if asked_to_go is not None:
        return asked_to_go
    if evidence.gone is not None:
        return moment(evidence.gone, prompt=not evidence.unseen_end)
    return Moment(max(now, evidence.looked), 0.0)


def _explained(failure: Failure | None, heard: Heard | None) -> Failure | None:
    """A crash with what the server's log says of it."""
    if failure is None or failure.class_ != "crash" or heard is None or not heard.reason:
        return failure
    return Failure(class_=failure.class_, reason=heard.reason[:REASON_LENGTH])


def _engine_parts(evidence: Evidence, spans: list[Span]) -> tuple[Part, ...]:
    """Sub-phases of the first start's loading; after a restart in it only those that the last run
    tells by itself."""
    loading = next((span for span in spans if span.phase is Phase.LOAD_ENGINE), None)
    if loading is None:
        return ()
    began = None if evidence.restarts else loading.start + evidence.ahead_s
    return tuple(parts_of(evidence.heard, run=evidence.restarts, began=began))


def _phase_spans(
    spans: list[Span], *, finished: bool, parts: tuple[Part, ...]
) -> Iterator[PhaseSpan]:
    """The last span of an unfinished start is open: its seconds run to the clock."""
    for at, span in enumerate(spans):
        is_open = not finished and at == len(spans) - 1
        yield PhaseSpan(
            phase=span.phase,
            started_at=when(span.start),
            ended_at=None if is_open else when(span.end),
            seconds=round(span.end - span.start, 3),
            source=span.source,
            error_s=None if span.error_s is None else round(span.error_s, 3),
            parts=parts if span.phase is Phase.LOAD_ENGINE else (),
        )


def _route(evidence: Evidence, ready: Moment | None) -> Iterator[PhaseSpan]:
    """From Ready until requests reach the replica, where the cluster tells. One that was open
    before took no time."""
    if ready is None or evidence.ready is None or evidence.routed is None:
        return
    routed = max(moment(evidence.routed, prompt=True).at, ready.at)
    yield PhaseSpan(
        phase=Phase.ROUTE,
        started_at=when(ready.at),
        ended_at=when(routed),
        seconds=round(routed - ready.at, 3),
        source="watch",
        error_s=round(ready.error_s, 3),
    )


def _ended_in(outcome: Outcome, spans: list[Span]) -> Phase | None:
    if outcome in {Outcome.READY, Outcome.RUNNING}:
        return None
    return spans[-1].phase


def _unexplained_s(spans: list[Span]) -> float:
    missed = [span.end - span.start for span in spans if span.phase is Phase.UNEXPLAINED]
    return round(sum(missed), 3)


def measure_attempts(evidence: Evidence, *, cluster: str, now: float) -> Iterator[ColdStart]:
    """Starts again, in place, of a replica that had been ready, numbered from 1."""
    for number, attempt in enumerate(evidence.attempts, start=1):
        yield _attempt(evidence, attempt, number, cluster=cluster, now=now)


def _attempt(
    evidence: Evidence, attempt: Attempt, number: int, *, cluster: str, now: float
) -> ColdStart:
    """From the end of the run before: waiting to be restarted, then loading again."""
    read = Reader(evidence)
    began = moment(attempt.began, ahead_s=read.ahead_s)
    ready = read.node(attempt.ready, prompt=True)
    steps = list(_attempt_steps(attempt, read, ready))
    last = number == len(evidence.attempts)
    outcome, failure = _attempt_outcome(evidence, attempt, is_last=last)
    finished = ready is not None or (last and evidence.ended is not None)
    spans, clamped = spans_of(steps, start=began, end=_stop(evidence, ready, now=now).at)
    end = max(spans[-1].end, began.at)
    parts = tuple(parts_of(attempt.heard, run=attempt.restarts, began=_restarted_at(attempt)))
    return ColdStart(
        **_identity(evidence, cluster),
        **attributes_again(evidence, attempt.heard),
        attempt=number,
        restarts=max(0, attempt.restarts - evidence.restarts),
        trigger=Trigger.RESTART,
        start_mode=StartMode.CACHED_BOTH,
        outcome=outcome,
        failure=_explained(failure, attempt.heard),
        started_at=when(began.at),
        ready_at=when(end) if ready is not None else None,
        ended_at=when(end) if finished else None,
        ended_in_phase=_ended_in(outcome, spans),
        total_s=round(end - began.at, 3),
        unexplained_s=_unexplained_s(spans),
        clamped=clamped,
        phases=tuple(_phase_spans(spans, finished=finished, parts=parts)),
    )


def _attempt_steps(attempt: Attempt, read: Reader, ready: Moment | None) -> Iterator[Step]:
    yield Step(Phase.PREPARE, read.node(attempt.restarted), "container")
    said = read.node(engine_ready(attempt.heard, run=attempt.restarts))
    if said is None:
        yield Step(Phase.LOAD_ENGINE, ready, "condition")
        return
    yield Step(Phase.LOAD_ENGINE, said, "log")
    yield Step(Phase.BECOME_READY, ready, "condition")


def _restarted_at(attempt: Attempt) -> float | None:
    return attempt.restarted.stamp if attempt.restarted is not None else None


def _attempt_outcome(
    evidence: Evidence, attempt: Attempt, *, is_last: bool
) -> tuple[Outcome, Failure | None]:
    """What ended the run before is no error of this one: that stands in its way, or does not."""
    if attempt.ready is not None:
        return Outcome.READY, None
    if is_last and evidence.trouble is None:
        return (Outcome.RUNNING if evidence.ended is None else Outcome.ABORTED), None
    return Outcome.FAILED, Failure(class_=attempt.class_, reason=attempt.reason)


def when(at: float) -> datetime:
    """Seconds since the epoch as a time in UTC, to the millisecond."""
    return datetime.fromtimestamp(round(at, 3), UTC)


def is_in_flight(start: ColdStart) -> bool:
    """Whether it may still change by itself."""
    return start.ended_at is None and start.outcome in _OPEN
