"""Shares of requests as people read them."""

from __future__ import annotations

import math

# A share below this reads as "hardly any".
SMALLEST = 0.001
# Below this a share is told with one decimal.
ONE_DECIMAL = 0.0995


def share_text(share: float, *, at_least: bool = False) -> str:
    """Like "0 %", "< 0.1 %", "1.2 %", "38 %"; never "100 %" nor "0 %" where it is not quite so.

    at_least: a lower bound, "≥ 1.2 %": rounded down, so that it stays one. All is no bound.
    """
    if at_least and share < 1:
        return _bound(share)
    if share <= 0:
        return "0 %"
    if share < SMALLEST:
        return "< 0.1 %"
    if share < ONE_DECIMAL:
        return f"{share * 100:.1f} %"
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{min(share, 1.0) * 100:.0f} %"


def _bound(share: float) -> str:
    if share < SMALLEST:
        return "> 0 %" if share > 0 else "≥ 0 %"
    # What a share times 100 loses to binary fractions is given back before it is cut.
    percent = min(share, 1.0) * 100 + 1e-9
    if share < ONE_DECIMAL:
        return f"≥ {math.floor(percent * 10) / 10:.1f} %"
    return f"≥ {math.floor(percent)} %"


def count_text(count: int, *, at_least: bool = False) -> str:
    """A count, marked where it is a lower bound."""
    return f"≥ {count:,}" if at_least else f"{count:,}"
