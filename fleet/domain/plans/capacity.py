"""Do the pods of a plan fit on the GPUs that are free now?"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Capacity(StrEnum):
    """unknown: nodes may not be read, or something besides GPUs decides where the pods may go."""

    FITS_NOW = "fits-now"
    NO_FREE_GPU = "no-free-gpu"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node's GPUs by resource name; usable: ready and not cordoned."""

    name: str
    usable: bool
    gpus: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuPod:
    """GPUs held on a node by a pod that has not ended; one that is being deleted still holds."""

    node: str
    resource: str
    gpus: int


def free_gpus(nodes: Iterable[Node], pods: Iterable[GpuPod]) -> dict[str, dict[str, int]]:
    """Free GPUs of each usable node, by resource name; never below 0."""
    held: Counter[tuple[str, str]] = Counter()
    for pod in pods:
        held[pod.node, pod.resource] += pod.gpus
    return {
        node.name: {r: max(0, count - held[node.name, r]) for r, count in node.gpus.items()}
        for node in nodes
        if node.usable
    }


def total_free(free: dict[str, dict[str, int]]) -> dict[str, int]:
    """Free GPUs of all nodes together, by resource name."""
    total: Counter[str] = Counter()
    for gpus in free.values():
        total.update(gpus)
    return dict(total)


def places(free: dict[str, dict[str, int]], per_pod: dict[str, int]) -> int:
    """How many pods of `per_pod` GPUs the free GPUs take: a pod never spans nodes."""
    return sum(
        min(gpus.get(resource, 0) // count for resource, count in per_pod.items())
        for gpus in free.values()
    )


def fit(
    *,
    pods: int,
    per_pod: dict[str, int],
    nodes: Sequence[Node] | None,
    held: Iterable[GpuPod],
    bound_to: frozenset[str] | None,
) -> tuple[Capacity, dict[str, int] | None]:
    """Whether `pods` fit, and the free GPUs by resource name (None = not known).

    bound_to: nodes where a pod of this model is known to be allowed, None = any node. A shortage
    on these is no proof of a shortage, since others may be allowed too.
    """
    if nodes is None:
        return Capacity.UNKNOWN, None
    free = free_gpus(nodes, held)
    if bound_to is not None:
        free = {name: gpus for name, gpus in free.items() if name in bound_to}
    shown = {resource: total_free(free).get(resource, 0) for resource in per_pod}
    if pods <= 0:
        return Capacity.FITS_NOW, shown
    if not per_pod:
        return Capacity.UNKNOWN, shown
    if places(free, per_pod) >= pods:
        return Capacity.FITS_NOW, shown
    return (Capacity.NO_FREE_GPU if bound_to is None else Capacity.UNKNOWN), shown
