"""What the scheduler said when it found no node: reasons with the number of nodes they refused.

Source: kubernetes pkg/scheduler/framework/types.go (FitError), cluster-autoscaler and Karpenter.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from fleet.domain.diagnosis.case import Case, once
from fleet.domain.diagnosis.clues import clue
from fleet.domain.diagnosis.places import Where
from fleet.domain.diagnosis.podview import DEVICE_SIGNS, gpus_of, is_unscheduled
from fleet.domain.diagnosis.texts import Text

_SAID_BY = (Where.EVENT, Where.CONDITION, Where.STATE)
_REFUSED = clue("nodes are available", "nodes available", places=_SAID_BY)
_VERDICT = re.compile(r"0/(\d{1,6}) nodes are available:? ?(.{1,1800}?)(?:[.;] ?preemption:|$)")
_REASON = re.compile(r"(\d{1,6}) ([^,]{1,300})")
_GPU_RESOURCE = (*DEVICE_SIGNS, "nvidia-gpu", "cannot allocate all claims", "resourceclaim")
_VOLUME = (
    "volume node affinity conflict",
    "unbound immediate persistentvolumeclaim",
    "no available volume zone",
    "max volume count",
    "available persistent volumes to bind",
    "unbound persistentvolumeclaim",
    "volume binding",
)
# Taints that keep everything off nodes which are no candidates anyway.
_USUAL_TAINTS = (
    "node-role.kubernetes.io/",
    "node.kubernetes.io/",
    "criticaladdonsonly",
    "eks.amazonaws.com/compute-type",
    "virtual-kubelet",
)
_ARRIVING_TAINTS = (
    "node.kubernetes.io/not-ready",
    "uninitialized",
    "agent-not-ready",
    "startup-taint",
    "driver-not-ready",
)
_DEVICE_TAINTS = ("nvidia", "gpu", "accelerator", "tpu", "habana", "amd.com")
_OTHER = (
    "insufficient memory",
    "insufficient cpu",
    "insufficient ephemeral-storage",
    "insufficient hugepages",
    "too many pods",
    "affinity",
    "selector",
    "topology spread",
    "free ports",
    "unschedulable",
    "taint",
    "overhead",
)
_NOT_FOUND = ("persistentvolumeclaim", "not found")


class Short(StrEnum):
    """What is missing."""

    GPU = "gpu"
    VOLUME = "volume"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """kind: what decides. texts: who says so. what: the reason's own words. arriving: a node that
    is not ready yet is among those that refused."""

    kind: Short
    texts: tuple[Text, ...]
    what: str
    arriving: bool = False


@lru_cache(maxsize=512)
def reasons_in(message: str) -> tuple[int, tuple[tuple[int, str], ...]]:
    """Nodes in all, and the reasons with how many nodes each refused; (0, ()) if it is no refusal.

    message: in lower case.
    """
    found = _VERDICT.search(message[:2_000])
    if found is None:
        return 0, ()
    reasons = tuple((int(count), said) for count, said in _REASON.findall(found[2]))
    return int(found[1]), reasons or ((int(found[1]), found[2]),)


def refusals(case: Case) -> tuple[Text, ...]:
    """What the scheduler said of pods that wait still; the newest first."""
    waiting = {each.name for each in case.live if is_unscheduled(each)}
    known = {each.name for each in case.evidence.pods}
    placed = {each.pod for each in case.all_texts if each.reason == "Scheduled"}
    found = [
        each
        for each in case.find(_REFUSED)
        if (
            each.pod in waiting
            if each.pod in known
            else each.pod not in placed and (waiting or not case.live)
        )
    ]
    return tuple(
        sorted(found, key=lambda each: each.at.timestamp() if each.at else 0, reverse=True)
    )


@once
def shortage(case: Case) -> Shortage | None:
    """What keeps a pod of the model from a node now; None if nothing is said."""
    texts = refusals(case)
    if not texts:
        return None
    total, reasons = reasons_in(texts[0].low)
    kind, what = _decide(total, reasons, asks_gpu=_asks_gpu(case, reasons))
    if kind is None:
        return None
    arriving = any(sign in texts[0].low for sign in _ARRIVING_TAINTS)
    return Shortage(kind=kind, texts=texts, what=what, arriving=arriving)


def _asks_gpu(case: Case, reasons: tuple[tuple[int, str], ...]) -> bool:
    named = any(is_gpu(said) for _, said in reasons)
    return named or any(gpus_of(each) > 0 for each in case.live if is_unscheduled(each))


def is_gpu(said: str) -> bool:
    """Whether a reason is a shortage of devices."""
    return any(sign in said for sign in _GPU_RESOURCE) and "taint" not in said


def _decide(
    total: int, reasons: tuple[tuple[int, str], ...], *, asks_gpu: bool
) -> tuple[Short | None, str]:
    """A volume that is elsewhere decides before a shortage, a taint of GPU nodes before the GPUs
    that the other nodes lack."""
    volume = _first(reasons, _is_volume)
    if volume:
        return Short.VOLUME, volume
    gpu = _first(reasons, is_gpu)
    other = _first(reasons, _is_other)
    if gpu and not _other_decides(total, reasons):
        return Short.GPU, gpu
    if other:
        return Short.OTHER, other
    if gpu:
        return Short.GPU, gpu
    usual = _first(reasons, lambda said: "taint" in said)
    if usual:
        return (Short.GPU if asks_gpu and "gpu" in usual else Short.OTHER), usual
    return None, ""


def _first(reasons: tuple[tuple[int, str], ...], test: Callable[[str], bool]) -> str:
    return next((said for _, said in reasons if test(said)), "")


def _is_volume(said: str) -> bool:
    return any(sign in said for sign in _VOLUME) or all(sign in said for sign in _NOT_FOUND)


def _is_other(said: str) -> bool:
    if "taint" in said and any(sign in said for sign in _USUAL_TAINTS):
        return False
    return any(sign in said for sign in _OTHER) and not is_gpu(said)


def _other_decides(total: int, reasons: tuple[tuple[int, str], ...]) -> bool:
    """Some nodes lack devices because they are no GPU nodes; what do those say that have some?"""
    if any("taint" in said and any(s in said for s in _DEVICE_TAINTS) for _, said in reasons):
        return True
    lacking = sum(count for count, said in reasons if is_gpu(said) or not _is_other(said))
    amounts = [count for count, said in reasons if _is_amount(said)]
    return lacking < total and bool(amounts) and lacking + max(amounts) >= total


def _is_amount(said: str) -> bool:
    return said.startswith("insufficient") and not is_gpu(said)
