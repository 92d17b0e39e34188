"""Evidence to phases that add up: moments on one clock, in order, the gaps between them named."""

from collections.abc import Iterator
from typing import NamedTuple

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.heard import engine_ready
from fleet.domain.coldstart.sight import Moment, Sight, moment
from fleet.domain.coldstart.start import Phase

# A whole second, cut, explains this much of a contradiction; more is called clamped.
CUT_S = 1.0


class Step(NamedTuple):
    """A phase and the moment that ends it; None = not seen to end."""

    phase: Phase
    until: Moment | None
    source: str


class Span(NamedTuple):
    """A phase on our clock; the last one of an unfinished start ends where the clock stands."""

    phase: Phase
    start: float
    end: float
    source: str
    error_s: float | None


class Reader:
    """Brings the sights of one replica to our clock."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.ahead_s = evidence.ahead_s

    def node(self, *sights: Sight | None, prompt: bool = False) -> Moment | None:
        """The first of the sights that is known; its stamp is of the node's clock."""
        known = next((sight for sight in sights if sight is not None), None)
        return known and moment(known, ahead_s=self.ahead_s, prompt=prompt)

    def event(self, *sights: Sight | None) -> Moment | None:
        """As `node`, of an Event: its message goes out at once."""
        return self.node(*sights, prompt=True)

    def plane(self, sight: Sight | None) -> Moment | None:
        """Stamped by the API server or the scheduler; the message goes out at once."""
        ahead_s = self.evidence.plane_ahead_s
        return sight and moment(sight, ahead_s=ahead_s, prompt=True)


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


def steps_of(evidence: Evidence) -> list[Step]:
    """The phases that a replica of this kind passes, in order, up to Ready."""
    read = Reader(evidence)
    created = created_at(evidence)
    source = "watch" if evidence.first == "watch" else "object"
    return [
        Step(Phase.DECIDE, created, source),
        *_scheduling(evidence, read),
        *_fetching(evidence, read),
        *_loading(evidence, read),
    ]


def _scheduling(evidence: Evidence, read: Reader) -> Iterator[Step]:
    """Waiting with a node on its way is provision-node; a group waits for its last member."""
    bound = read.plane(evidence.scheduled) or read.plane(evidence.scheduled_event)
    for member in evidence.members.values():
        bound = _later(bound, read.plane(member.scheduled))
    coming = read.plane(evidence.node_coming)
    if coming is not None and (bound is None or coming.at < bound.at):
        yield Step(Phase.SCHEDULE, coming, "event")
        yield Step(Phase.PROVISION_NODE, bound, "condition")
    else:
        yield Step(Phase.SCHEDULE, bound, "condition")


def _later(one: Moment | None, other: Moment | None) -> Moment | None:
    """The later of two, None as long as one is missing."""
    if one is None or other is None:
        return None
    return max(one, other, key=lambda item: item.at)


def _fetching(evidence: Evidence, read: Reader) -> Iterator[Step]:
    """Sandbox, volumes and init images are prepare; then the weights; then the server's image."""
    started = read.event(evidence.main_event) or read.node(evidence.main_started)
    if _fetches(evidence):
        began = read.event(evidence.fetch_event) or read.node(evidence.fetch_started)
        yield Step(Phase.PREPARE, began, _by(evidence.fetch_event))
        yield Step(Phase.FETCH_MODEL, read.node(evidence.fetch_ended), "container")
        yield Step(Phase.PULL_IMAGE, started, _by(evidence.main_event))
        return
    if evidence.model_pulled is not None or evidence.model_pull_started is not None:
        yield Step(Phase.PREPARE, read.event(evidence.model_pull_started), "event")
        yield Step(Phase.FETCH_MODEL, read.event(evidence.model_pulled), "event")
        yield Step(Phase.PULL_IMAGE, started, _by(evidence.main_event))
        return
    if evidence.pull_started is not None and not evidence.cached:
        yield Step(Phase.PREPARE, read.event(evidence.pull_started), "event")
        yield Step(Phase.PULL_IMAGE, started, _by(evidence.main_event))
        return
    yield Step(Phase.PREPARE, started, _by(evidence.main_event))


def _fetches(evidence: Evidence) -> bool:
    return evidence.weights_from == "storage-initializer" or evidence.fetch_started is not None


def _by(event: Sight | None) -> str:
    return "container" if event is None else "event"


def _loading(evidence: Evidence, read: Reader) -> Iterator[Step]:
    """Loading ends when the server's log says so. Without it, loading and the lag of probes are
    one span, unless the container's own probe was seen to pass before the pod was ready."""
    ready = ready_at(evidence)
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
    read = Reader(evidence)
    ready = read.node(evidence.ready, prompt=True)
    for member in evidence.members.values():
        ready = _later(ready, read.node(member.ready, prompt=True))
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
