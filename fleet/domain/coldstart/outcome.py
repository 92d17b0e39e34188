"""How a start ended, or how it stands; and what was cached when it began."""

from fleet.domain.coldstart.evidence import Evidence
from fleet.domain.coldstart.preparing import MODEL_IMAGES
from fleet.domain.coldstart.start import Failure, Outcome, StartMode

# Waiting for a node this long with none on its way stands in a start's way. A wake that waits for
# its own predecessor's GPU gets it within seconds.
UNSCHEDULABLE_S = 15.0
# One crash may be bad luck; from the second on, running again is part of the loop.
LOOP_RESTARTS = 2

# Reasons of the condition DisruptionTarget and of failed pods: the cluster lost the replica's node
# or threw it out. A preemption or a drain is no error of the start.
# Source: kubernetes pkg/apis/core/types.go, PodReason…; pkg/kubelet/eviction.
_LOST = {
    "DeletionByTaintManager": "node-lost",
    "DeletionByPodGC": "node-lost",
    "TaintManagerEviction": "node-lost",
    "NodeLost": "node-lost",
    "NodeShutdown": "node-lost",
    "Terminated": "node-lost",
    "TerminationByKubelet": "evicted",
    "Evicted": "evicted",
    "OutOfmemory": "evicted",
    "UnexpectedAdmissionError": "admission",
}


def outcome_of(evidence: Evidence, *, is_ready: bool, now: float) -> tuple[Outcome, Failure | None]:
    """Ready wins over whatever went wrong before it."""
    if is_ready:
        was_up = evidence.ready is not None and evidence.ready.after is None
        seen_after = evidence.first == "list" and was_up
        return (Outcome.PARTIAL if seen_after else Outcome.READY), None
    if evidence.ended is None:
        failure = _standing(evidence, now=now)
        return (Outcome.FAILED if failure else Outcome.RUNNING), failure
    failure = _ending(evidence)
    if failure is not None:
        return Outcome.FAILED, failure
    return (Outcome.PARTIAL if evidence.unseen_end else Outcome.ABORTED), None


def _standing(evidence: Evidence, *, now: float) -> Failure | None:
    """What stands in the way now, of any pod of a group."""
    found = (_stands(pod, now=now) for pod in evidence.pods())
    return next((failure for failure in found if failure is not None), None)


def _stands(evidence: Evidence, *, now: float) -> Failure | None:
    """A single crash does not, once the container runs again; a loop does, init containers' too."""
    loops = max(evidence.restarts, evidence.init_restarts) >= LOOP_RESTARTS
    stands = evidence.trouble or (evidence.error if loops else None)
    if stands is not None:
        return Failure(class_=stands[0], reason=stands[1])
    if evidence.deadline is not None:
        return Failure(class_="deadline", reason="ProgressDeadlineExceeded")
    waits = evidence.unschedulable
    if waits is None or evidence.scheduled is not None or evidence.node_coming is not None:
        return None
    if now - waits.by < UNSCHEDULABLE_S:
        return None
    return Failure(class_="unschedulable", reason=evidence.unschedulable_why)


def _ending(evidence: Evidence) -> Failure | None:
    """What ended it, None if it was just taken away."""
    if evidence.disrupted in _LOST:
        return Failure(class_=_LOST[evidence.disrupted], reason=evidence.disrupted)
    wrong = next((w for pod in evidence.pods() if (w := pod.trouble or pod.error)), None)
    if wrong is not None:
        return Failure(class_=wrong[0], reason=wrong[1])
    if evidence.deadline is not None:
        return Failure(class_="deadline", reason="ProgressDeadlineExceeded")
    for pod in evidence.pods():
        if pod.unschedulable is not None and pod.scheduled is None:
            return Failure(class_="unschedulable", reason=pod.unschedulable_why)
    return None


def start_mode_of(evidence: Evidence) -> StartMode:
    """By how the model server's image and the weights came. Weights that the server downloads
    itself may or may not be cached: that is unknown, and counts as not cached."""
    image, weights = image_cached(evidence), _weights_cached(evidence)
    if image is None or weights is None:
        return StartMode.UNKNOWN
    if image:
        return StartMode.CACHED_BOTH if weights else StartMode.CACHED_IMAGE
    return StartMode.CACHED_WEIGHTS if weights else StartMode.COLD


def image_cached(evidence: Evidence) -> bool | None:
    """Whether the node had the model server's image; of a group, whether every node had it. None:
    nothing told."""
    return _all_of([pod.cached for pod in evidence.pods()])


def _weights_cached(evidence: Evidence) -> bool | None:
    if evidence.weights_from in MODEL_IMAGES:
        return _all_of([pod.model_cached for pod in evidence.pods()])
    if evidence.weights_from == "baked":
        return image_cached(evidence)
    return evidence.weights_from in {"pvc", "local-cache"}


def _all_of(told: list[bool | None]) -> bool | None:
    """One that had it not decides; of those that tell nothing only the leader counts."""
    if False in told:
        return False
    return told[0]
