"""Do the pods of a plan fit on the GPUs that are free now?

What decides where a pod may go: node selector, taints and tolerations are compared here; affinity
is not, so a pod with affinity is only sure of nodes where its model ran before.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Capacity(StrEnum):
    """unknown: nodes may not be read, or something besides GPUs decides where the pods may go."""

    FITS_NOW = "fits-now"
    NO_FREE_GPU = "no-free-gpu"
    UNKNOWN = "unknown"


Taint = tuple[str, str, str]
HARD_EFFECTS = frozenset({"NoSchedule", "NoExecute"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node's GPUs by resource name; usable: ready and not cordoned. taints: key, value,
    effect."""

    name: str
    usable: bool
    gpus: dict[str, int] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a pod template lets its pods go. tolerations: (key, value, effect); a key or effect of
    "" is any, a value of None is any."""

    selector: dict[str, str] = field(default_factory=dict)
    tolerations: tuple[tuple[str, str | None, str], ...] = ()
    affinity: bool = False

    def allows(self, node: Node, *, resources: Iterable[str]) -> bool:
        """Selector and taints. A taint named like the GPU itself is tolerated by who asks for one.
        Source: kubernetes plugin/pkg/admission/extendedresourcetoleration."""
        selected = all(node.labels.get(key) == value for key, value in self.selector.items())
        hard = [taint for taint in node.taints if taint[2] in HARD_EFFECTS]
        wanted = set(resources)
        return selected and all(taint[0] in wanted or self._tolerates(taint) for taint in hard)

    def _tolerates(self, taint: Taint) -> bool:
        return any(
            key in ("", taint[0]) and value in (None, taint[1]) and effect in ("", taint[2])
            for key, value, effect in self.tolerations
        )


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
    placement: Placement,
    home: frozenset[str],
) -> tuple[Capacity, dict[str, int] | None]:
    """Whether `pods` fit, and the GPUs free to them by resource name (None = not known).

    home: nodes where pods of this model ran. With affinity a shortage there proves nothing, since
    other nodes may be allowed too.
    """
    if nodes is None or (placement.affinity and not home):
        return Capacity.UNKNOWN, None
    allowed = {n.name for n in nodes if placement.allows(n, resources=per_pod)}
    allowed &= home if placement.affinity else allowed
    free = {name: gpus for name, gpus in free_gpus(nodes, held).items() if name in allowed}
    shown = {resource: total_free(free).get(resource, 0) for resource in per_pod}
    if pods > 0 and not per_pod:
        return Capacity.UNKNOWN, shown
    if pods <= 0 or places(free, per_pod) >= pods:
        return Capacity.FITS_NOW, shown
    return (Capacity.UNKNOWN if placement.affinity else Capacity.NO_FREE_GPU), shown
