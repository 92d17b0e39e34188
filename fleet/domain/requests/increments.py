"""From counters read twice to how often each thing happened in between.

A counter appears with its full value, vanishes with its pod, and begins again at 0 when its
container restarts (docs/metrics.md, "What is exact").
"""

import math
from collections.abc import Mapping
from typing import TypeVar

Series = TypeVar("Series")
# No pod answers more in half a minute: what claims it cannot be kept.
MOST = 1e9
# A process this young has counted nothing that is older than what we look back for anyway.
YOUNG_S = 300.0


def increments(
    before: Mapping[Series, float] | None,
    after: Mapping[Series, float],
    *,
    read_at: float,
    process_started: float | None,
) -> dict[Series, int]:
    """What happened between two readings of one target; only what is above 0.

    before: None = never read. Then a young process's counters count whole, and an older one's not
    at all: nobody knows when. A counter that fell has begun anew; of the others that is not said
    (an Envoy drops single clusters). NaN, infinities and what is above MOST are left out.
    """
    if before is None and not _is_young(process_started, read_at=read_at):
        return {}
    known = before or {}
    found: dict[Series, int] = {}
    for series, value in after.items():
        moved = _moved(known.get(series), value)
        if moved > 0:
            found[series] = moved
    return found


def _moved(before: float | None, after: float) -> int:
    if not math.isfinite(after):
        return 0
    began_anew = before is None or not math.isfinite(before) or after < before
    moved = after if began_anew else after - (before or 0.0)
    return round(moved) if moved <= MOST else 0


def _is_young(process_started: float | None, *, read_at: float) -> bool:
    return process_started is not None and read_at - process_started < YOUNG_S
