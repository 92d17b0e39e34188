"""No node, a node on its way, or a node that one's own predecessor keeps."""

from datetime import datetime, timedelta

from fleet.domain.diagnosis.case import Case, measured, quoted
from fleet.domain.diagnosis.claims import DECISIVE, LIKELY, STRONG, TWO_SIGNS, WEAK, Seen, piece
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.evidence import Pod
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import is_ready, is_unscheduled, scheduled_at
from fleet.domain.diagnosis.records import Piece, Remedy
from fleet.domain.diagnosis.rules.refusal import Short, Shortage, reasons_in, refusals, shortage
from fleet.domain.diagnosis.texts import Text

_SAID_BY = (Where.EVENT, Where.CONTROL, Where.CONDITION)
COMING = clue(
    "triggered scale-up",
    "should schedule on",
    "nodeclaim/",
    "launched nodeclaim",
    "registered nodeclaim",
    "created nodeclaim",
    "initialized nodeclaim",
    "scale-up: setting group",
    "scale_up",
    "scaling up group",
    "provisioning new node",
    "node is being provisioned",
    places=_SAID_BY,
)
REFUSED = clue(
    "didn't trigger scale-up",
    "did not trigger scale-up",
    "max node group size reached",
    "failed to scale up",
    "backoff after failed scale-up",
    "stockout",
    "insufficientinstancecapacity",
    "insufficient capacity",
    "insufficientcapacity",
    "unfulfillablecapacity",
    "resource_pool_exhausted",
    "out of resources",
    "does not have enough resources",
    "limitexceeded",
    "quotaexceeded",
    "quota exceeded",
    "exceeded quota",
    "quota 'nvidia",
    "operationnotallowed",
    "skunotavailable",
    "allocationfailed",
    "no instance type",
    "no matching instance",
    "incompatible with nodepool",
    "exceed limits for nodepool",
    "would exceed limits",
    "max cluster",
    "all available instance types",
    "node provisioning failed",
    "could not launch",
    "maximum limit",
    places=_SAID_BY,
)
_QUOTA = ("quota", "limitexceeded", "limit of 0", "operationnotallowed")
_ARRIVED = ("NodeReady", "RegisteredNode", "Starting", "NodeHasSufficientMemory", "Registered")
_RECENT_S = 1800.0
# A node takes minutes; a wait of seconds is the scheduler's own.
_WAIT_FOR_NODE_S = 90.0
_FRESH_START_S = 1200.0


def unschedulable_gpu(case: Case) -> Seen | None:
    """No device is free and no node with one is on its way."""
    short = shortage(case)
    if short is None or short.kind is not Short.GPU:
        return _refused_at_admission(case)
    refused = case.find(REFUSED)
    if _coming(case, refused):
        return None
    partitioned = "mig-" in short.what or ".shared" in short.what
    return Seen(
        confidence=STRONG if refused or not _room_unknown(short) else LIKELY,
        pieces=(*quoted(short.texts, at_most=2), *quoted(refused, at_most=2)),
        remedies=_gpu_remedies(refused, partitioned=partitioned),
        params={"what": short.what, "refused": bool(refused)},
    )


def _gpu_remedies(refused: tuple[Text, ...], *, partitioned: bool) -> tuple[Remedy, ...]:
    remedies: tuple[Remedy, ...] = ()
    if any(sign in each.low for each in refused for sign in _QUOTA):
        remedies += (Remedy.RAISE_QUOTA,)
    if partitioned:
        remedies += (Remedy.FIX_GPU_PARTITIONING,)
    return remedies


def _room_unknown(short: Shortage) -> bool:
    return not any(reasons_in(each.low)[0] for each in short.texts)


_ADMISSION = clue("unexpectedadmissionerror", "allocate failed due to", "outofnvidia.com/gpu")


def _refused_at_admission(case: Case) -> Seen | None:
    """The kubelet found no device for a pod that was already bound.

    Source: kubernetes pkg/kubelet/cm/devicemanager.
    """
    found = case.find(_ADMISSION)
    if not found:
        return None
    return Seen(confidence=LIKELY, pieces=quoted(found), params={"what": found[0].text})


def unschedulable_other(case: Case) -> Seen | None:
    """Memory, CPU, a taint, a selector."""
    short = shortage(case)
    if short is None or short.kind is not Short.OTHER or short.arriving:
        return None
    refused = case.find(REFUSED)
    if _coming(case, refused):
        return None
    amount = "insufficient" in short.what or "too many pods" in short.what
    return Seen(
        confidence=STRONG,
        pieces=(*quoted(short.texts, at_most=2), *quoted(refused, at_most=1)),
        remedies=(
            (Remedy.FIX_RESOURCE_REQUESTS, Remedy.ADD_CAPACITY)
            if amount
            else (Remedy.FIX_NODE_SELECTOR_OR_TOLERATION,)
        ),
        params={"what": short.what},
    )


def volume_elsewhere(case: Case) -> Seen | None:
    """The claim's disk is in another zone, or there is no disk."""
    short = shortage(case)
    if short is None or short.kind is not Short.VOLUME:
        return None
    bound = "affinity" in short.what or "zone" in short.what
    return Seen(
        confidence=STRONG,
        pieces=quoted(short.texts, at_most=2),
        remedies=(
            (Remedy.USE_SHARED_ACCESS_VOLUME, Remedy.FIX_NODE_SELECTOR_OR_TOLERATION)
            if bound
            else (Remedy.USE_SHARED_ACCESS_VOLUME, Remedy.RELEASE_VOLUME)
        ),
        params={"what": short.what},
    )


def node_on_its_way(case: Case) -> Seen | None:
    """A pod waits and somebody is making a node for it."""
    texts = refusals(case)
    waiting = [each for each in case.live if is_unscheduled(each)]
    if not texts and not waiting:
        return None
    short = shortage(case)
    if short is not None and short.kind is Short.VOLUME:
        return None
    coming = case.find(COMING)
    arrived = _new_nodes(case) if not coming else ()
    if not _coming(case, case.find(REFUSED)) and not (arrived and short is not None):
        return None
    return Seen(
        confidence=STRONG if coming else TWO_SIGNS,
        pieces=(*quoted(coming, at_most=2), *quoted(arrived, at_most=1), *quoted(texts, at_most=1)),
        remedies=(Remedy.WAIT, *_knative_remedies(case)),
    )


def _coming(case: Case, refused: tuple[Text, ...]) -> bool:
    """A node was asked for, and nobody refused it later."""
    asked = _latest(case.find(COMING))
    if not case.find(COMING):
        return False
    denied = _latest(refused)
    return denied is None or (asked is not None and denied <= asked)


def _latest(texts: tuple[Text, ...]) -> datetime | None:
    return max((each.at for each in texts if each.at is not None), default=None)


def _knative_remedies(case: Case) -> tuple[Remedy, ...]:
    failed = case.evidence.revision.condition("Ready")
    unschedulable = failed is not None and failed.reason == "Unschedulable"
    return (Remedy.TREAT_PODS_AS_SCHEDULABLE,) if unschedulable else ()


def _new_nodes(case: Case, *, within_s: float = _RECENT_S) -> tuple[Text, ...]:
    """Events of nodes that joined a short while ago."""
    return tuple(
        each
        for each in case.all_texts
        if each.where is Where.EVENT
        and each.about.startswith("Node/")
        and each.reason in _ARRIVED
        and (case.age_s(each.at) or 0.0) <= within_s
    )


def waited_for_node(case: Case) -> Seen | None:
    """A start, fresh or going on, of which waiting for the node is the largest part."""
    for pod in case.live:
        waited = wait_s(pod)
        if waited is None or waited < _WAIT_FOR_NODE_S or not _is_fresh(case, pod):
            continue
        if waited < _rest_s(case, pod):
            continue
        nodes = _new_nodes(case, within_s=24 * 3600.0)
        asked = case.find_all(COMING)
        if not nodes and not asked and not _was_refused(case, pod):
            continue
        return Seen(
            confidence=STRONG if nodes or asked else TWO_SIGNS,
            pieces=(_wait_piece(pod, waited), *quoted((*asked, *nodes), at_most=3)),
            params={"waited_s": waited, "pod": pod.name},
        )
    return None


def wait_s(pod: Pod) -> float | None:
    """From creation to a node; None if not told."""
    at = scheduled_at(pod)
    if at is None or pod.created_at is None:
        return None
    return max((at - pod.created_at).total_seconds(), 0.0)


def _rest_s(case: Case, pod: Pod) -> float:
    """The longest of what came after: half of it, for it holds several parts."""
    at, until = scheduled_at(pod), case.now
    condition = pod.condition("Ready")
    if is_ready(pod) and condition is not None and condition.at is not None:
        until = condition.at
    return 0.0 if at is None else max((until - at).total_seconds(), 0.0) / 2


def _is_fresh(case: Case, pod: Pod) -> bool:
    if not is_ready(pod):
        return True
    condition = pod.condition("Ready")
    age = case.age_s(condition.at if condition else None)
    return age is not None and (age <= _FRESH_START_S or case.users_suffer)


def _was_refused(case: Case, pod: Pod) -> bool:
    return any(
        each.reason == "FailedScheduling" and each.pod == pod.name for each in case.all_texts
    )


def _wait_piece(pod: Pod, waited: float) -> Piece:
    return piece(
        "object", pod.ref, f"PodScheduled {waited:.0f} s after creation", scheduled_at(pod)
    )


def rollout_deadlock(case: Case) -> Seen | None:
    """New pods wait for what old pods of the same model keep until the new ones are ready."""
    short = shortage(case)
    if short is None or short.kind is Short.VOLUME or _coming(case, case.find(REFUSED)):
        return None
    waiting = [each for each in case.live if is_unscheduled(each)]
    keepers = _predecessors(case, waiting)
    if not waiting or not keepers:
        return None
    gpu = short.kind is Short.GPU
    return Seen(
        confidence=DECISIVE if gpu else WEAK,
        pieces=(
            *quoted(short.texts, at_most=1),
            *(
                piece("object", each.ref, f"{each.phase} on {each.node}, of an older revision")
                for each in keepers[:2]
            ),
            *measured(case.series.latest("kube_node_status_allocatable"), at_most=1),
        ),
        params={"what": short.what},
    )


def _predecessors(case: Case, waiting: list[Pod]) -> list[Pod]:
    """Pods on nodes, of another revision and older than one that waits."""
    return [
        pod
        for pod in case.pods
        if pod.node
        and pod.phase not in ("Failed", "Succeeded")
        and any(_replaces(new, pod) for new in waiting)
    ]


def _replaces(new: Pod, old: Pod) -> bool:
    if generation_of(new) == generation_of(old):
        return False
    if new.created_at is None or old.created_at is None:
        return True
    return old.created_at + timedelta(seconds=1) < new.created_at


def generation_of(pod: Pod) -> str:
    """What tells pods of one revision from those of another: its name, or its ReplicaSet's."""
    revision = pod.labels.get("serving.knative.dev/revision")
    if revision:
        return revision
    return pod.labels.get("pod-template-hash") or pod.owner or pod.name.rpartition("-")[0]
