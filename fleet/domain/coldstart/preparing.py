"""From the node to the model container's first run: sandbox and volumes, weights, image.

What happens in which order on a node: sandbox and volumes, image volumes, init containers one after
the other (a native sidecar until its startup probe passes), then the pod's containers.
Source: kubernetes pkg/kubelet/kuberuntime/kuberuntime_manager.go, SyncPod.
"""

from collections.abc import Iterator

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.moments import Reader, Step, later
from fleet.domain.coldstart.sight import Moment, Sight
from fleet.domain.coldstart.start import Phase

MODEL_IMAGES = frozenset({"modelcar", "oci-native"})
# Between the end of the weights and the next word of the kubelet; more was spent on something else.
AT_ONCE_S = 2.0
_ORDER = (Phase.PREPARE, Phase.FETCH_MODEL, Phase.PULL_IMAGE)


def preparing(evidence: Evidence) -> Iterator[Step]:
    """The steps of one pod; of a group, each until its last pod has passed it."""
    if not evidence.members:
        yield from _of_pod(evidence)
        return
    pods = [_ends(pod) for pod in evidence.pods()]
    for at, phase in enumerate(_ORDER):
        known = [steps[at] for steps in pods if steps[at] is not None]
        last = max((step for step in known if step is not None), key=_until, default=None)
        yield Step(phase, last.until, last.source) if last else Step(phase, None, "watch")


def _until(step: Step) -> float:
    return step.until.at if step.until is not None else float("inf")


def _ends(pod: Evidence) -> list[Step | None]:
    """When a pod was through with each phase of the order: one that it does not have ends with the
    one before it. None: not known, though a later one is."""
    steps = {step.phase: step for step in _of_pod(pod)}
    ends: list[Step | None] = []
    for phase in _ORDER:
        before = ends[-1] if ends else None
        step = steps.get(phase, before)
        missed = step is not None and step.until is None and _has_run(pod)
        ends.append(None if missed else step)
    return ends


def _has_run(pod: Evidence) -> bool:
    return pod.ready is not None or _first_run(pod) is not None


def _of_pod(evidence: Evidence) -> Iterator[Step]:
    read, started = Reader(evidence), _first_run(evidence)
    if fetches(evidence):
        began = read.event(evidence.fetch_event) or read.node(evidence.fetch_started)
        ended = read.node(evidence.fetch_ended)
        yield Step(Phase.PREPARE, began, _by(evidence.fetch_event))
        yield Step(Phase.FETCH_MODEL, ended, "container")
        yield from _held_back(evidence, read, since=ended)
        yield Step(Phase.PULL_IMAGE, started, _by(evidence.main_event))
    elif evidence.weights_from in MODEL_IMAGES and _tells_model_image(evidence):
        yield from _model_image(evidence, read)
        yield Step(Phase.PULL_IMAGE, started, _by(evidence.main_event))
    elif evidence.pull_started is not None and not evidence.cached:
        yield Step(Phase.PREPARE, read.event(evidence.pull_started), "event")
        yield Step(Phase.PULL_IMAGE, started, _by(evidence.main_event))
    else:
        yield Step(Phase.PREPARE, started, _by(evidence.main_event))


def _first_run(evidence: Evidence) -> Moment | None:
    """Of the model's container; its Event goes out with the change, and outlives restarts."""
    read = Reader(evidence)
    return read.event(evidence.main_event) or read.node(evidence.main_started)


def fetches(evidence: Evidence) -> bool:
    """Whether an init container brings the weights."""
    return evidence.weights_from == "storage-initializer" or evidence.fetch_started is not None


def _tells_model_image(evidence: Evidence) -> bool:
    seen = (evidence.model_pull_started, evidence.model_pulled, evidence.model_init)
    return any(sight is not None for sight in seen)


def _model_image(evidence: Evidence, read: Reader) -> Iterator[Step]:
    """The pull of the image that holds the model. One that the node had is no fetch at all; where
    no Event tells, the first container that runs from it ends what cannot be told apart."""
    pulled = read.event(evidence.model_pulled)
    if evidence.model_pull_started is None and evidence.model_cached:
        yield Step(Phase.PREPARE, pulled, "event")
    elif evidence.model_pull_started is None and pulled is None:
        yield Step(Phase.PREPARE, None, "event")
        yield Step(Phase.FETCH_MODEL, read.node(evidence.model_init), "container")
        return
    else:
        yield Step(Phase.PREPARE, read.event(evidence.model_pull_started), "event")
    yield Step(Phase.FETCH_MODEL, pulled, "event")


def _held_back(evidence: Evidence, read: Reader, *, since: Moment | None) -> Iterator[Step]:
    """A native sidecar between the weights and the model's container: it is neither."""
    next_word = read.event(evidence.pull_started) or read.event(evidence.pulled)
    if not evidence.held_back or since is None or next_word is None:
        return
    if next_word.at - since.at > AT_ONCE_S:
        yield Step(Phase.PREPARE, next_word, "event")


def _by(event: Sight | None) -> str:
    return "container" if event is None else "event"


def bound_at(evidence: Evidence) -> Moment | None:
    """When the pod had its node; of a group, when the last of its pods had one."""
    bound: Moment | None = None
    for at, pod in enumerate(evidence.pods()):
        read = Reader(pod)
        mine = read.plane(pod.scheduled) or read.plane(pod.scheduled_event)
        bound = mine if at == 0 else later(bound, mine)
    return bound
