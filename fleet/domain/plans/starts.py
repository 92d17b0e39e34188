"""How long this model's own starts took."""

from collections.abc import Sequence
from statistics import median

# Fewer say nothing.
FEWEST_STARTS = 3


def median_s(lengths_s: Sequence[float]) -> float | None:
    """Median length in s; None under three starts."""
    return round(median(lengths_s), 1) if len(lengths_s) >= FEWEST_STARTS else None
