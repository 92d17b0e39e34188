"""Evidence to phases that add up: moments on one clock, in order, the gaps between them named."""

from collections.abc import Iterator
from typing import NamedTuple

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.heard import engine_ready
from fleet.domain.coldstart.moments import Reader, Step, later
from fleet.domain.coldstart.preparing import bound_at, preparing
from fleet.domain.coldstart.sight import Moment, Sight, moment
from fleet.domain.coldstart.start import Phase

# A whole second, cut, explains this much of a contradiction; more is called clamped.
CUT_S = 1.0


class Span(NamedTuple):
    """A phase on our clock; the last one of an unfinished start ends where the clock stands."""

    phase: Phase
    start: float
    end: float
    source: str
    error_s: float | None


def demanded_at(evidence: Evidence) -> Moment:
    """When the replica was wanted; where nothing tells, when its pod was made."""
    created = created_at(evidence)
    if evidence.demand is None:
        return created
    wanted = moment(evidence.demand, prompt=True)
    return wanted if wanted.at <= created.at else created


def created_at(evidence: Evidence) -> Moment:
    """The pod's birth: its ADDED if the watch saw it, else somewhere in its cut second."""
    sight = evidence.added or Sight(evidence.created, None, evidence.looked)
    live = evidence.first == "watch"
    return moment(sight, ahead_s=evidence.plane_ahead_s, prompt=live)


def steps_of(evidence: Evidence, ready: Moment | None) -> list[Step]:
    """The phases that a replica of this kind passes, in order, up to Ready (`ready_at`)."""
    created = created_at(evidence)
    source = "watch" if evidence.first == "watch" else "object"
    return [
        Step(Phase.DECIDE, created, source),
        *_scheduling(evidence),
        *preparing(evidence),
        *_loading(evidence, ready),
    ]


def _scheduling(evidence: Evidence) -> Iterator[Step]:
    """Waiting with a node on its way is provision-node; a group waits for its last pod."""
    bound, coming = bound_at(evidence), _node_coming(evidence)
    if coming is not None and (bound is None or coming.at < bound.at):
        yield Step(Phase.SCHEDULE, coming, "event")
        yield Step(Phase.PROVISION_NODE, bound, "condition")
    else:
        yield Step(Phase.SCHEDULE, bound, "condition")


def _node_coming(evidence: Evidence) -> Moment | None:
    """The first word of a node on its way. A node that was made meanwhile proves that one was;
    since when, only that it was not before the scheduler gave up."""
    said = [Reader(pod).plane(pod.node_coming) for pod in evidence.pods()]
    proven = [_node_made(pod) for pod in evidence.pods()]
    known = [item for item in said if item] or [item for item in proven if item]
    return min(known, key=lambda item: item.at, default=None)


def _node_made(pod: Evidence) -> Moment | None:
    waits = Reader(pod).plane(pod.unschedulable)
    if waits is None or pod.node_born is None:
        return None
    born = pod.node_born - pod.plane_ahead_s
    return Moment(waits.at, max(waits.error_s, born - waits.at))


def _loading(evidence: Evidence, ready: Moment | None) -> Iterator[Step]:
    """Loading ends when the server's log says so. Without it, loading and the lag of probes are
    one span, unless the container's own probe was seen to pass before the pod was ready."""
    read = Reader(evidence)
    said = read.node(engine_ready(evidence.heard, run=evidence.restarts))
    serving = read.node(evidence.serving, prompt=True)
    if said is not None:
        yield Step(Phase.LOAD_ENGINE, said, "log")
        yield Step(Phase.BECOME_READY, ready, "condition")
    elif ready is not None and serving is not None and serving.at < ready.at - 0.001:
        yield Step(Phase.LOAD_ENGINE, serving, "container")
        yield Step(Phase.BECOME_READY, ready, "condition")
    else:
        yield Step(Phase.LOAD_ENGINE, ready, "condition")


def ready_at(evidence: Evidence) -> Moment | None:
    """Ready, of a group with all its members; None if it was not seen."""
    if evidence.members_missing:
        return None
    ready: Moment | None = None
    for at, pod in enumerate(evidence.pods()):
        mine = Reader(pod).node(pod.ready, prompt=True)
        ready = mine if at == 0 else later(ready, mine)
    return ready


def spans_of(steps: list[Step], *, start: Moment, end: float) -> tuple[list[Span], bool]:
    """Steps laid one after the other from `start`; what is open at last runs to `end`.

    A step whose end was missed, though a later one is known, is unexplained together with what
    follows up to there. Second: whether something had to be clamped.
    """
    spans: list[Span] = []
    clamped = start.clamped
    at, error = start.at, start.error_s
    pending: list[Step] = []
    last_known = max((n for n, step in enumerate(steps) if step.until), default=-1)
    for step in steps[: last_known + 1]:
        if step.until is None:
            pending.append(step)
            continue
        until = min(step.until.at, end)
        clamped = clamped or step.until.clamped or until < at - CUT_S
        until = max(at, until)
        phase = Phase.UNEXPLAINED if pending else step.phase
        spans.append(Span(phase, at, until, step.source, error + step.until.error_s))
        at, error, pending = until, step.until.error_s, []
    if last_known + 1 < len(steps):
        spans.append(Span(steps[last_known + 1].phase, at, max(at, end), "watch", error))
    return spans, clamped
