"""The ghost: how starts like one usually go, phase by phase."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.like import Kin, like
from fleet.domain.compare.numbers import ENOUGH_FOR_P50, median
from fleet.domain.compare.records import COUNTED, Compared, totals_s

OF_THE_LAST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class GhostPhase:
    """Median seconds of one phase; a start that did not pass it counts as 0 s."""

    phase: Phase
    p50_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ghost:
    """total_s: median of the lengths; medians of phases need not add up to it. since: when the
    oldest of the n starts began."""

    kin: Kin
    mode: str
    n: int
    since: datetime
    total_s: float
    phases: tuple[GhostPhase, ...]


def ghost(subject: Compared, pool: Sequence[Compared]) -> Ghost | None:
    """Of the last 20 comparable starts of this model; None under five. The subject may be one of
    the pool, and is left out; those that began after it count too."""
    found = like(subject, pool, enough=ENOUGH_FOR_P50, at_most=OF_THE_LAST)
    if found.kin is None or not found.own:
        return None
    return Ghost(
        kin=found.kin,
        mode=found.mode,
        n=found.n,
        since=found.starts[-1].started_at,
        total_s=median(totals_s(found.starts)),
        phases=medians(found.starts),
    )


def medians(starts: Sequence[Compared]) -> tuple[GhostPhase, ...]:
    """In the order passed; phases that most starts do not pass are left out. starts: not empty."""
    each = ((p, median([s.phases_s.get(p.value, 0.0) for s in starts])) for p in COUNTED)
    return tuple(GhostPhase(phase=phase, p50_s=p50_s) for phase, p50_s in each if p50_s > 0.0)
