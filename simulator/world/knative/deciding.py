"""How many pods a revision should have, from the calls it had. Pure.

Source: knative/serving pkg/autoscaler/scaling/autoscaler.go, pkg/reconciler/autoscaling/kpa.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

# Source: config-autoscaler, container-concurrency-target-percentage.
UTILISATION = 0.7
# The autoscaler decides every two seconds.
TICK_S = 2.0
PANIC_SHARE = 0.1
PANIC_THRESHOLD = 2.0


@dataclass(slots=True)
class Decider:
    """What the autoscaler remembers of one revision.

    desired: -1 before it knows anything. samples: calls in progress at each tick of the window.
    panic_until: a tick number up to which pods are only added.
    """

    target: float
    window_s: float
    desired: int = -1
    samples: deque[float] = field(default_factory=deque)
    ticks: int = 0
    panic_until: int = -1
    peak: int = 0

    def observe(self, calls: float, ready: int) -> None:
        """One tick: takes a sample and decides."""
        self.ticks += 1
        self.samples.append(calls)
        while len(self.samples) > max(1, int(self.window_s / TICK_S)):
            self.samples.popleft()
        stable = self._pods(list(self.samples))
        panic = self._pods(list(self.samples)[-self._panic_ticks :])
        if ready and panic / ready >= PANIC_THRESHOLD:
            self.panic_until = self.ticks + len(self.samples)
        if self.ticks <= self.panic_until:
            self.peak = max(self.peak, panic)
            self.desired = max(self.peak, stable)
        else:
            self.peak = 0
            self.desired = stable

    def wake(self, calls: float) -> None:
        """The activator holds calls for a revision without pods: decided at once."""
        self.samples.clear()
        self.samples.append(calls)
        self.desired = self._pods([calls])

    def forget(self) -> None:
        """The autoscaler restarted."""
        self.samples.clear()
        self.desired = -1

    @property
    def _panic_ticks(self) -> int:
        return max(1, int(self.window_s * PANIC_SHARE / TICK_S))

    def _pods(self, samples: list[float]) -> int:
        average = sum(samples) / len(samples)
        return math.ceil(average / (self.target * UTILISATION) - 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """low: the floor in force (0 while unreachable). high: 0 means no ceiling."""

    low: int
    high: int
    activation: int

    def clamp(self, desired: int) -> int:
        wanted = max(desired, self.low)
        if wanted:
            wanted = max(wanted, self.activation if desired else 0)
        return min(wanted, self.high) if self.high else wanted
