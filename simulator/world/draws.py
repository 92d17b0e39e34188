"""Every length and choice of a world, drawn from its seed.

Each draw has a name (what, of whom, the how manieth), so that it does not depend on the order in
which things happen: the same seed gives the same lengths for the third start of one model.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

# Letters of Kubernetes' own random suffixes. Source: k8s.io/apimachinery pkg/util/rand.
SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


@dataclass(slots=True)
class Draws:
    """seed: of the whole world; cluster: so that two clusters differ."""

    seed: int
    cluster: str
    _counts: Counter[str] = field(default_factory=Counter)

    def _next(self, name: str) -> random.Random:
        self._counts[name] += 1
        return random.Random(f"{self.seed}/{self.cluster}/{name}/{self._counts[name]}")

    def uniform(self, name: str, low: float, high: float) -> float:
        return self._next(name).uniform(low, high)

    def around(self, name: str, middle: float, *, sigma: float = 0.15) -> float:
        """Log-normal around middle. Source: spread of measured vLLM start-ups, about 0.15."""
        return middle * math.exp(self._next(name).gauss(0.0, sigma))

    def exponential(self, name: str, mean: float) -> float:
        return self._next(name).expovariate(1.0 / mean)

    def choice(self, name: str, options: Sequence[T]) -> T:
        return self._next(name).choice(options)

    def suffix(self, name: str, length: int = 5) -> str:
        """The random end of a generated name."""
        return "".join(self._next(name).choices(SUFFIX_LETTERS, k=length))

    def uid(self) -> str:
        """A version 4 UUID."""
        number = self._next("uid").getrandbits(128)
        digits = f"{number:032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
