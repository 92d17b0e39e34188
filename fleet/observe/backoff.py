"""How long to wait before the next try."""

import random
from collections.abc import Callable

FIRST_S = 0.5
LONGEST_S = 30.0


def wait_s(
    failures: int,
    *,
    asked_s: float | None = None,
    draw: Callable[[float, float], float] = random.uniform,
) -> float:
    """Seconds to wait after so many failures in a row: doubling up to LONGEST_S, of which between
    a half and all is drawn, so that many readers do not come back at once.

    asked_s: what the server asked for; it is waited for at least, and a little is drawn on top.
    """
    span = min(FIRST_S * 2.0 ** max(0, failures - 1), LONGEST_S)
    drawn = draw(span / 2, span)
    return drawn if asked_s is None else max(drawn, min(asked_s, LONGEST_S) + draw(0.0, 0.5))
