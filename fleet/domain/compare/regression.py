"""Do a revision's starts take longer than those before it? Calm: no verdict on thin data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.numbers import median
from fleet.domain.compare.ranks import holm, mann_whitney_p, shift
from fleet.domain.compare.records import COUNTED, Compared, finished, totals_s

# docs/comparing.md, "Regression": fewer starts on either side, or a smaller difference, give no
# verdict, however sure.
ENOUGH = 8
SURE = 0.01
WORTH_S = 5.0
WORTH_SHARE = 0.10


class Verdict(StrEnum):
    """none: no difference that the data can show."""

    TOO_FEW = "too-few"
    NONE = "none"
    SLOWER = "slower"
    FASTER = "faster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """Its finished starts of one mode, newest first."""

    name: str
    uid: str
    since: datetime
    starts: tuple[Compared, ...]

    @property
    def n(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseShift:
    """How much longer a phase takes in the middle; negative = shorter."""

    phase: Phase
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One revision against the last one before it that has enough starts.

    before: None for the first. effect_s: by how much its starts are longer in the middle
    (Hodges-Lehmann), effect_share: as a share of the median before; None with too few. chance: of
    such a difference without a cause, corrected for all revisions looked at. phases: what grew or
    shrank most comes first; empty without a verdict.
    """

    verdict: Verdict
    before: Revision | None
    after: Revision
    effect_s: float | None = None
    effect_share: float | None = None
    chance: float | None = None
    phases: tuple[PhaseShift, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """changes: one for each revision, oldest first. standing: the change of the first bad
    revision, while the newest one that can be judged is still slower than what came before it."""

    mode: str
    changes: tuple[Change, ...]
    standing: Change | None

    @property
    def newest(self) -> Change | None:
        """That of the newest revision."""
        return self.changes[-1] if self.changes else None


def regression(starts: Iterable[Compared], *, mode: str) -> Regression:
    """starts: of one model, in any order; those of other modes are left out."""
    known = revisions(starts, mode=mode)
    changes = _judged([_change(known, place) for place in range(len(known))])
    return Regression(mode=mode, changes=tuple(changes), standing=_standing(changes))


def revisions(starts: Iterable[Compared], *, mode: str) -> list[Revision]:
    """In the order in which they first started."""
    groups: dict[str, list[Compared]] = {}
    for start in sorted(finished(starts, mode=mode), key=lambda s: s.started_at, reverse=True):
        groups.setdefault(start.revision_uid or start.revision, []).append(start)
    found = [_revision(uid, group) for uid, group in groups.items() if uid]
    return sorted(found, key=lambda revision: revision.since)


def _revision(uid: str, group: list[Compared]) -> Revision:
    return Revision(
        name=group[0].revision, uid=uid, since=group[-1].started_at, starts=tuple(group)
    )


def _change(known: Sequence[Revision], place: int) -> Change:
    """Not judged yet where both sides have enough."""
    after = known[place]
    before = next((r for r in reversed(known[:place]) if r.n >= ENOUGH), None)
    if before is None or after.n < ENOUGH:
        return Change(verdict=Verdict.TOO_FEW, before=before, after=after)
    return difference(before, after)


def difference(before: Revision, after: Revision) -> Change:
    """The difference in numbers, without a verdict. Both have enough starts."""
    was, now = totals_s(before.starts), totals_s(after.starts)
    effect_s = shift(was, now)
    usual_s = median(was)
    return Change(
        verdict=Verdict.NONE,
        before=before,
        after=after,
        effect_s=effect_s,
        effect_share=effect_s / usual_s if usual_s > 0.0 else None,
        chance=mann_whitney_p(was, now),
    )


def _judged(changes: list[Change]) -> list[Change]:
    """With chances corrected for how many were looked at."""
    open_ = [place for place, change in enumerate(changes) if change.chance is not None]
    for place, chance in zip(open_, holm([changes[p].chance or 0.0 for p in open_]), strict=True):
        changes[place] = judged(replace(changes[place], chance=chance))
    return changes


def judged(change: Change) -> Change:
    """The verdict by the change's numbers, and the phases that it comes from."""
    effect_s, share = change.effect_s or 0.0, change.effect_share or 0.0
    worth = abs(effect_s) >= WORTH_S and abs(share) >= WORTH_SHARE
    if not worth or change.chance is None or change.chance > SURE:
        return change
    return replace(
        change,
        verdict=Verdict.SLOWER if effect_s > 0.0 else Verdict.FASTER,
        phases=_phases(change),
    )


def _phases(change: Change) -> tuple[PhaseShift, ...]:
    """Those that moved most the same way as the whole come first."""
    assert change.before is not None  # there is an effect only against something
    was, now = change.before.starts, change.after.starts
    moved = [PhaseShift(phase=p, seconds=_median_s(now, p) - _median_s(was, p)) for p in COUNTED]
    sign = 1.0 if (change.effect_s or 0.0) > 0.0 else -1.0
    told = [phase for phase in moved if phase.seconds]
    return tuple(sorted(told, key=lambda phase: phase.seconds * sign, reverse=True))


def _median_s(starts: Sequence[Compared], phase: Phase) -> float:
    return median([start.phases_s.get(phase.value, 0.0) for start in starts])


def _standing(changes: Sequence[Change]) -> Change | None:
    """Each later revision is held against what was before the first bad one."""
    bad: Change | None = None
    for change in changes:
        if bad is None:
            bad = change if change.verdict is Verdict.SLOWER else None
        elif change.after.n >= ENOUGH and not _still_slower(bad, change.after):
            bad = None
    return bad


def _still_slower(bad: Change, later: Revision) -> bool:
    """In size alone: that there is a difference was shown by the bad one."""
    assert bad.before is not None  # slower than something
    held = difference(bad.before, later)
    return (held.effect_s or 0.0) >= WORTH_S and (held.effect_share or 0.0) >= WORTH_SHARE
