"""Tests that need no shape of the lengths, with the standard library alone."""

from collections import Counter
from collections.abc import Sequence
from math import exp, lgamma, sqrt
from statistics import NormalDist

from fleet.domain.compare.numbers import median

# Differences of this many values of each side, the first ones given, tell the shift.
PAIRED_AT_MOST = 50

_NORMAL = NormalDist()


def mann_whitney_p(one: Sequence[float], other: Sequence[float]) -> float:
    """Two-sided chance of ranks as uneven as these if both came from one source.

    Normal approximation with correction for ties and for continuity; use from eight values each
    side on. 1.0 where all values are the same. Source: Mann & Whitney 1947; Lehmann,
    Nonparametrics, 1.2 and 1.4.
    """
    n, m = len(one), len(other)
    ranks = _mid_ranks([*one, *other])
    u = sum(ranks[value] for value in one) - n * (n + 1) / 2
    variance = n * m / 12 * ((n + m + 1) - _ties([*one, *other]))
    if variance <= 0.0:
        return 1.0
    off = max(0.0, abs(u - n * m / 2) - 0.5)
    return min(1.0, 2.0 * (1.0 - _NORMAL.cdf(off / sqrt(variance))))


def _mid_ranks(values: Sequence[float]) -> dict[float, float]:
    """The mean rank of each value."""
    ranks: dict[float, float] = {}
    passed = 0
    for value, count in sorted(Counter(values).items()):
        ranks[value] = passed + (count + 1) / 2
        passed += count
    return ranks


def _ties(values: Sequence[float]) -> float:
    total = len(values)
    return sum(c**3 - c for c in Counter(values).values()) / (total * (total - 1))


def shift(before: Sequence[float], after: Sequence[float]) -> float:
    """How much larger `after` is: the median of all differences (Hodges & Lehmann 1963).

    Neither may be empty; only the first 50 of each are paired.
    """
    return median([b - a for a in before[:PAIRED_AT_MOST] for b in after[:PAIRED_AT_MOST]])


def fisher_p(hits: int, drawn: int, *, marked: int, total: int) -> float:
    """Chance of at least `hits` marked ones among `drawn` of `total`, of which `marked` are marked
    (Fisher's exact test, one-sided)."""
    k = max(hits, 0, drawn + marked - total)
    chance = exp(
        _log_ways(marked, k) + _log_ways(total - marked, drawn - k) - _log_ways(total, drawn)
    )
    whole = chance
    while k < min(drawn, marked) and chance > 0.0:
        chance *= (marked - k) * (drawn - k)
        chance /= (k + 1) * (total - marked - drawn + k + 1)
        whole += chance
        k += 1
    return min(1.0, whole)


def _log_ways(things: int, taken: int) -> float:
    return lgamma(things + 1) - lgamma(taken + 1) - lgamma(things - taken + 1)


def holm(chances: Sequence[float]) -> list[float]:
    """Chances corrected for having looked at all of them, in the order given (Holm 1979)."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    corrected = [0.0] * len(chances)
    highest = 0.0
    for passed, place in enumerate(order):
        highest = max(highest, min(1.0, chances[place] * (len(chances) - passed)))
        corrected[place] = highest
    return corrected
