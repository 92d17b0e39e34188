"""Pods that go: taken away, or stopped as planned, with requests in hand.

Source: kubernetes pod conditions (DisruptionTarget), kubelet node shutdown, cluster-autoscaler,
Karpenter; queue-proxy's and vLLM's shutdown lines.
"""

import re
from datetime import datetime

from fleet.domain.diagnosis.calls import Call
from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, TWO_SIGNS, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Condition, Pod
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import model_container
from fleet.domain.diagnosis.records import FaultPhase, Piece, Remedy
from fleet.domain.diagnosis.rules.counted import lost_after
from fleet.domain.diagnosis.texts import Text

_SAID_BY = (Where.EVENT, Where.STATE, Where.CONDITION, Where.CONTROL)
TAKEN = clue(
    "imminent node shutdown",
    "shutdown manager detected shutdown",
    "preempted by",
    "preempting pod",
    "preempted to accommodate",
    "was preempted",
    "preemption notice",
    "spot interruption",
    "spot termination",
    "spotinterrupt",
    "spot instance",
    "instance interruption",
    "interruption warning",
    "rebalance recommendation",
    "rebalancerecommendation",
    "preemptscheduled",
    "terminatescheduled",
    "will be reclaimed",
    "preemptible",
    "instance was preempted",
    "eviction due to spot",
    "being preempted",
    places=_SAID_BY,
)
_TAKEN_REASONS = ("Preempted", "Preempting", "NodeShutdown", "SpotInterrupted", "InstancePreempted")
_TARGETS = ("PreemptionByScheduler", "PreemptionByKubeScheduler", "TerminationByKubelet")
# What went longer ago is another matter.
RECENT_S = 3600.0
_SPOT = re.compile(r"spot|preemptible|interruptible", re.IGNORECASE)


def preempted(case: Case) -> Seen | None:
    """A spot machine was reclaimed, or a pod of higher priority took the place."""
    conditions = [(pod, each) for pod, each in _targets(case) if _is_taking(each)]
    texts = [
        each
        for each in case.all_texts
        if (TAKEN.fits(each) or (each.where is Where.EVENT and each.reason in _TAKEN_REASONS))
        and "nodes are available" not in each.low
        and (case.age_s(each.at) or 0.0) <= RECENT_S
    ]
    lost = [(pod, each) for pod, each in _targets(case) if each.reason == "DeletionByTaintManager"]
    spot = _on_spot(case)
    if not (conditions or texts or (lost and spot)) or _over(case, texts):
        return None
    return Seen(
        confidence=DECISIVE if conditions or len(texts) > 1 or spot else STRONG,
        pieces=(
            *(_target_piece(pod, each) for pod, each in (*conditions, *lost)[:2]),
            *quoted(texts),
            *spot,
        ),
    )


def _is_taking(condition: Condition) -> bool:
    """The kubelet ends pods also for what they use themselves: memory, disk."""
    own = "low on resource" in condition.message.lower()
    return condition.reason in _TARGETS and not own


def _targets(case: Case) -> list[tuple[Pod, Condition]]:
    found = []
    for pod in case.pods:
        each = pod.condition("DisruptionTarget")
        if each is not None and each.status == "True":
            found.append((pod, each))
    return found


def _target_piece(pod: Pod, condition: Condition) -> Piece:
    says = f"DisruptionTarget {condition.reason}: {condition.message}"
    return piece("object", pod.ref, says, condition.at)


def _over(case: Case, texts: list[Text]) -> bool:
    """Everybody is ready again and no request is known to have failed."""
    return case.healthy_since is not None and not case.users_suffer


def _on_spot(case: Case) -> tuple[Piece, ...]:
    """Whether nodes are spot machines, by labels or by a pod's selector."""
    for sample in case.evidence.samples:
        if any(_SPOT.search(key) and value != "false" for key, value in sample.labels.items()):
            return measured((sample,))
    for pod in case.pods:
        for key, value in (*pod.selector.items(), ("node", pod.node)):
            if _SPOT.search(f"{key}={value}"):
                return (piece("object", pod.ref, f"{key}={value}"),)
    return ()


DRAIN = clue(
    "nodenotschedulable",
    "status is now: nodenotschedulable",
    "cordon",
    "eviction api",
    "evictionbyevictionapi",
    "drain",
    "disrupting node",
    "disrupting nodeclaim",
    "node scale down",
    "scale-down: removing",
    "removed by cluster autoscaler",
    "marked the node as tobedeleted",
    "deleting pod for node scale down",
    "node upgrade",
    "node maintenance",
    "underutilized",
    "consolidat",
    "drifted",
    "rolling node",
    "evicted pod",
    places=(Where.EVENT, Where.CONDITION, Where.CONTROL),
)
STOPPING = clue(
    "stopping container",
    "received term signal",
    "gracefully shutdown",
    "shutting down",
    "[shutdown]",
    "sigterm",
    "deleted pod",
    places=(Where.EVENT, Where.PROXY, Where.ENGINE),
)
_BROKEN = (
    "reset",
    "refused",
    "eof",
    "broken pipe",
    "closed",
    "disconnect",
    "aborted",
    "shutting down",
    "terminat",
    "no healthy upstream",
    "no_healthy_upstream",
    "incomplete",
    "bad gateway",
    "cut",
    "502",
    "503",
)
_WITHIN_S = 180.0


def drained(case: Case) -> Seen | None:
    """A node was emptied, or a pod stopped as planned, and requests were lost with it."""
    return _by_node(case) or _by_stop(case)


def _by_node(case: Case) -> Seen | None:
    texts = [each for each in case.all_texts if DRAIN.fits(each) and _is_drain(each)]
    texts = [each for each in texts if (case.age_s(each.at) or 0.0) <= RECENT_S]
    evicted = [(pod, each) for pod, each in _targets(case) if each.reason.startswith("Eviction")]
    if not texts and not evicted:
        return None
    stops = [each for each in case.find_all(STOPPING) if each.where is Where.EVENT]
    hurt = case.users_suffer or (case.starting and not case.ready)
    moved = any("evict" in each.low for each in texts)
    if not hurt or not (stops or evicted or moved or leaving_pods(case)):
        return None
    return Seen(
        confidence=STRONG if stops or evicted else TWO_SIGNS,
        pieces=(
            *quoted(texts, at_most=2),
            *(_target_piece(pod, each) for pod, each in evicted[:1]),
            *quoted(stops, at_most=1),
            *measured(case.failing_samples, at_most=1),
        ),
        phase=FaultPhase.SERVING,
        remedies=(
            Remedy.ADD_DISRUPTION_BUDGET,
            Remedy.ADD_REPLICAS,
            Remedy.ADD_PRESTOP_AND_GRACE,
        ),
        params={"node": True},
    )


def _is_drain(text: Text) -> bool:
    """Not what a scheduler or a proxy says with the same words."""
    words = ("nodes are available", "drain timeout", "scale-up", "queue")
    return not any(each in text.low for each in words)


def leaving_pods(case: Case) -> list[Pod]:
    """Pods with a deletion time."""
    return [each for each in case.pods if each.deleted_at is not None]


def _by_stop(case: Case) -> Seen | None:
    """A rollout or a step down: requests broke when a container was told to stop."""
    stops = [each for each in case.find_all(STOPPING) if not _is_of_kill(each)]
    gone = leaving_pods(case)
    times = [each.at for each in stops if each.at] + [each.deleted_at for each in gone]
    known = [each for each in times if each is not None]
    broken = [each for each in case.failed_calls if _broke(each, known)]
    counted = [each for each in case.failing_samples if each.labels.get("response_flags") == "UC"]
    lost = lost_after(case, known)
    if not (stops or gone) or not (broken or lost or (counted and known)):
        return None
    return Seen(
        confidence=STRONG if any(each.at for each in broken) else LIKELY if broken else TWO_SIGNS,
        pieces=(
            *quoted(stops, at_most=2),
            *quoted([each.text for each in broken], at_most=2),
            *measured(counted or [each.sample for each in lost], at_most=1),
            *_grace(case),
        ),
        phase=FaultPhase.SERVING,
        remedies=(Remedy.ADD_PRESTOP_AND_GRACE, Remedy.ADD_REPLICAS),
        params={"node": False},
    )


def _is_of_kill(text: Text) -> bool:
    return "probe" in text.low or (text.previous and text.where is Where.ENGINE)


def _broke(call: Call, stops: list[datetime]) -> bool:
    """Near a stop; without a time of its own by its words."""
    if not any(sign in call.text.low for sign in _BROKEN) or "timeout" in call.text.low:
        return False
    if call.at is None:
        return True
    seconds = [(call.at - each).total_seconds() for each in stops]
    return any(-5 <= each <= _WITHIN_S for each in seconds)


def _grace(case: Case) -> tuple[Piece, ...]:
    for pod in leaving_pods(case):
        container = model_container(pod)
        if container is not None and container.has_spec and not container.prestop:
            grace = "" if pod.grace_s is None else f", grace {pod.grace_s:g} s"
            return (piece("object", pod.ref, f"no preStop{grace}", pod.deleted_at),)
    return ()
