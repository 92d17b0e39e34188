"""A start in flight: what remains of it, from which starts that is known, and how late it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from fleet.domain.compare.eta import CUT_S, Progress, remains
from fleet.domain.compare.like import Kin, Like, like
from fleet.domain.compare.numbers import (
    ENOUGH_FOR_P50,
    ENOUGH_FOR_P95,
    expected_below,
    median,
    rounded,
)
from fleet.domain.compare.records import Compared, totals_s

# Twice as long as all but one of twenty took: something is wrong.
OVERDUE_TIMES_P95 = 2.0


class Confidence(StrEnum):
    """own: this model's starts of this mode. widened: other models' starts, or a mode that is
    only assumed, stand in. none: too few starts anywhere."""

    OWN = "own"
    WIDENED = "widened"
    NONE = "none"


class Lateness(StrEnum):
    """late: past the 95th percentile. overdue: past twice that, or past its deadline. unknown:
    nothing to judge by."""

    UNKNOWN = "unknown"
    ON_TIME = "on-time"
    LATE = "late"
    OVERDUE = "overdue"


class LateReason(StrEnum):
    """The limit that was passed."""

    PAST_P95 = "past-p95"
    PAST_TWICE_P95 = "past-twice-p95"
    PAST_DEADLINE = "past-deadline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """typical: at least five starts, for the median. slow: at least twenty, for the 95th
    percentile; the same ones if this model has twenty."""

    typical: Like
    slow: Like

    @property
    def starts(self) -> tuple[Compared, ...]:
        """All of them, some twice."""
        return self.typical.starts + self.slow.starts


def chosen(subject: Compared, pool: Iterable[Compared]) -> Chosen:
    """Phases of the pool need not be known yet."""
    pool = list(pool)
    slow = like(subject, pool, enough=ENOUGH_FOR_P95)
    return Chosen(
        typical=slow if slow.own else like(subject, pool, enough=ENOUGH_FOR_P50), slow=slow
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Ages of a start, in s since it was demanded, from which on it is late. None: not known."""

    p95_s: float | None = None
    deadline_s: float | None = None

    @property
    def overdue_s(self) -> float | None:
        """From here on it is overdue."""
        twice = None if self.p95_s is None else OVERDUE_TIMES_P95 * self.p95_s
        return min((limit for limit in (twice, self.deadline_s) if limit is not None), default=None)


def lateness(elapsed_s: float, limits: Limits) -> tuple[Lateness, LateReason | None]:
    """How late a start of that age is, and which limit it passed."""
    if limits.deadline_s is not None and elapsed_s > limits.deadline_s:
        return Lateness.OVERDUE, LateReason.PAST_DEADLINE
    if limits.p95_s is None:
        return Lateness.UNKNOWN, None
    if elapsed_s > OVERDUE_TIMES_P95 * limits.p95_s:
        return Lateness.OVERDUE, LateReason.PAST_TWICE_P95
    if elapsed_s > limits.p95_s:
        return Lateness.LATE, LateReason.PAST_P95
    return Lateness.ON_TIME, None


@dataclass(frozen=True, slots=True, kw_only=True)
class Eta:
    """p50_s, p95_s: what remains, None = too few starts, or longer than any of them took.

    kin, n: the starts that p50_s is from; p95_kin, p95_n: those of p95_s. usual_phase_s: how long
    the phase that it is in takes as a rule.
    """

    p50_s: float | None = None
    p95_s: float | None = None
    kin: Kin | None = None
    n: int = 0
    p95_kin: Kin | None = None
    p95_n: int = 0
    confidence: Confidence = Confidence.NONE
    limits: Limits = Limits()
    usual_phase_s: float | None = None


def eta(progress: Progress, by: Chosen, *, deadline_s: float | None = None) -> Eta:
    """by: with phases. deadline_s: its progress deadline, counted from the demand."""
    typical, slow = by.typical, by.slow
    p50_s = remains(progress, typical.starts).p50_s
    p95_s = remains(progress, slow.starts).p95_s
    if p50_s is not None and p95_s is not None and p95_s < p50_s:
        p95_s = None
    return Eta(
        p50_s=p50_s,
        p95_s=p95_s,
        kin=typical.kin,
        n=typical.n,
        p95_kin=slow.kin,
        p95_n=slow.n,
        confidence=_confidence(by),
        limits=Limits(p95_s=_late_after_s(by), deadline_s=deadline_s),
        usual_phase_s=_usual_s(progress.phase, typical),
    )


def _confidence(by: Chosen) -> Confidence:
    if by.typical.kin is None:
        return Confidence.NONE
    own = by.typical.own and by.slow.kin in {None, by.typical.kin} and not by.typical.mode_assumed
    return Confidence.OWN if own else Confidence.WIDENED


def _late_after_s(by: Chosen) -> float | None:
    """None too where other models' slow starts are quicker than this model's typical ones."""
    if by.slow.kin is None:
        return None
    p95_s = expected_below(sorted(totals_s(by.slow.starts)), 0.95) + CUT_S
    typical_s = median(totals_s(by.typical.starts))
    return None if p95_s < typical_s else rounded(p95_s)


def _usual_s(phase: str, typical: Like) -> float | None:
    known = [start.phases_s[phase] for start in typical.starts if phase in start.phases_s]
    return rounded(median(known)) if len(known) >= ENOUGH_FOR_P50 else None
