"""How many pods each ReplicaSet of a Deployment may have. Pure.

Source: kubernetes/kubernetes pkg/controller/deployment/rolling.go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Bounds:
    """replicas: wanted; surge: pods above that; unavailable: pods that may be missing."""

    replicas: int
    surge: int
    unavailable: int

    @property
    def most(self) -> int:
        return self.replicas + self.surge if self.replicas else 0

    @property
    def least_available(self) -> int:
        return self.replicas - self.unavailable


@dataclass(frozen=True, slots=True)
class Wish:
    """One ReplicaSet: the size it has, and how many of its pods are available.

    What it says of its pods may lag behind its size: those above it are on their way out.
    """

    size: int
    available: int


def bounds_of(deployment: Mapping[str, Any]) -> Bounds:
    """Percentages round up for surge and down for unavailable; both 0 means one may be missing."""
    replicas = int(deployment["spec"].get("replicas", 1))
    rolling = deployment["spec"].get("strategy", {}).get("rollingUpdate", {})
    surge = _share(rolling.get("maxSurge", "25%"), replicas, up=True)
    unavailable = _share(rolling.get("maxUnavailable", "25%"), replicas, up=False)
    if not surge and not unavailable:
        unavailable = 1
    return Bounds(replicas, surge, min(unavailable, replicas))


def next_sizes(current: Wish, others: Sequence[Wish], bounds: Bounds) -> list[int]:
    """The next size of the current ReplicaSet, then those of the others."""
    held = sum(each.size for each in others)
    if not held:
        return [bounds.replicas, *(0 for _ in others)]
    room = max(0, bounds.most - held - current.size)
    size = max(min(bounds.replicas, current.size + room), min(current.size, bounds.replicas))
    sets = (current, *others)
    available = sum(min(each.size, each.available) for each in sets)
    spare = max(0, available - bounds.least_available)
    return [size, *_shrunk(others, spare)]


def _shrunk(others: Sequence[Wish], spare: int) -> list[int]:
    """Unready pods go at once; of the available ones as many as can be spared."""
    sizes = []
    for each in others:
        kept = min(each.size, each.available)
        taken = min(kept, spare)
        spare -= taken
        sizes.append(kept - taken)
    return sizes


def _share(value: int | str, replicas: int, *, up: bool) -> int:
    if isinstance(value, int):
        return value
    share = replicas * float(value.rstrip("%")) / 100
    return math.ceil(share) if up else math.floor(share)
