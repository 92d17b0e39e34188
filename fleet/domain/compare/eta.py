"""When a start in flight will be ready, by starts like it, and whether it is late."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, pstdev

from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.numbers import expected_below, rounded
from fleet.domain.compare.records import COUNTED, Compared

# Fewer that took as long as this one already does are smoothed by a curve through all of them.
FEW_LONGER = 8
# The curve: log-normal, cut into this many equally likely lengths; never narrower than this.
# Source of both: spread of vLLM start-up stages, about 0.15 (docs/comparing.md).
CURVE_POINTS = 19
NARROWEST_SIGMA = 0.1
# Ends of phases are read from stamps cut to whole seconds: among starts that all take as long, the
# next one is as likely over the longest of them as under it, by parts of a second.
CUT_S = 0.5
# Beyond this many sigmas nothing of the kind was ever seen.
BEYOND_SIGMAS = 3.5

# What nothing explains has no place among them.
_ORDER = {p.value: place for place, p in enumerate(COUNTED) if p is not Phase.UNEXPLAINED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a start in flight is. phase: "" or unexplained when not known, then only its age
    counts."""

    elapsed_s: float
    phase: str = ""
    in_phase_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """Seconds still to come. None: longer than anything comparable ever took."""

    p50_s: float | None = None
    p95_s: float | None = None


def remains(progress: Progress, starts: Sequence[Compared]) -> Remains:
    """The rest of this phase given what was spent in it, and the phases that follow.

    starts: finished ones of one mode, whichever were chosen; the caller says how few are too few.
    """
    samples = sorted(_samples(progress, starts))
    if not samples:
        return Remains()
    return Remains(
        p50_s=rounded(expected_below(samples, 0.5)),
        p95_s=rounded(expected_below(samples, 0.95) + CUT_S),
    )


def _samples(progress: Progress, starts: Sequence[Compared]) -> list[float]:
    if progress.phase not in _ORDER:
        whole = ((s.total_s or 0.0, 0.0) for s in starts)
        return _after(progress.elapsed_s, list(whole))
    parted = [_parted(start, progress.phase) for start in starts]
    return _after(progress.in_phase_s, parted)


def _parted(start: Compared, phase: str) -> tuple[float, float]:
    """Seconds in the phase, and in those after it. What nothing explains follows if it comes
    after."""
    own = after = 0.0
    passed = -1
    for name, seconds in start.phases_s.items():
        if name == Phase.UNEXPLAINED:
            after += seconds if passed >= _ORDER[phase] else 0.0
            continue
        passed = max(passed, _ORDER.get(name, len(_ORDER)))
        if name == phase:
            own += seconds
        elif _ORDER[phase] < _ORDER.get(name, -1):
            after += seconds
    return own, after


def _after(spent_s: float, parted: Sequence[tuple[float, float]]) -> list[float]:
    """What remained of each after `spent_s`; where few took that long, what may remain."""
    longer = [own - spent_s + after for own, after in parted if own > spent_s]
    if len(longer) >= min(FEW_LONGER, len(parted)):
        return longer
    rests = _curve([own for own, _ in parted], spent_s)
    return [rest + after for rest in rests for _, after in parted] or longer


def _curve(lengths_s: Sequence[float], spent_s: float) -> list[float]:
    """Equally likely rests of a log-normal length of which `spent_s` are over; empty when that is
    beyond what it can tell."""
    logs = [math.log(length) for length in lengths_s if length > 0.0]
    if len(logs) < FEW_LONGER or spent_s <= 0.0:
        return []
    shape = NormalDist(fmean(logs), max(NARROWEST_SIGMA, pstdev(logs)))
    if (math.log(spent_s) - shape.mean) / shape.stdev > BEYOND_SIGMAS:
        return []
    over = shape.cdf(math.log(spent_s))
    shares = (over + (1.0 - over) * (n + 0.5) / CURVE_POINTS for n in range(CURVE_POINTS))
    return [max(0.0, math.exp(shape.inv_cdf(share)) - spent_s) for share in shares]
