"""Replicas over time, from what was kept: pure, the clock is an argument."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """From `at` on, this revision wants so many replicas."""

    revision: str
    at: datetime
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """A replica from when it became Ready until it was gone (None = still there)."""

    ready_at: datetime
    gone_at: datetime | None


def moments(since: datetime, until: datetime, *, step_s: float) -> list[datetime]:
    """since, since + step, … and `until` itself as the last."""
    count = int((until - since).total_seconds() / step_s)
    steps = [since + timedelta(seconds=step_s * n) for n in range(count + 1)]
    return steps if steps[-1] == until else [*steps, until]


def ready_counts(lives: Sequence[Life], at: Iterable[datetime]) -> list[int]:
    """How many were ready at each moment. Spells of being unready in between are not known."""
    began = sorted(life.ready_at for life in lives)
    ended = sorted(max(life.gone_at, life.ready_at) for life in lives if life.gone_at is not None)
    return [bisect_right(began, moment) - bisect_right(ended, moment) for moment in at]


def wished_counts(wishes: Iterable[Wish], at: Iterable[datetime]) -> list[int | None]:
    """The sum of all revisions' wishes at each moment; None before the first that was seen."""
    coming = sorted(wishes, key=lambda wish: wish.at)
    wanted: dict[str, int] = {}
    counts: list[int | None] = []
    position = 0
    for moment in at:
        while position < len(coming) and coming[position].at <= moment:
            wanted[coming[position].revision] = coming[position].count
            position += 1
        counts.append(sum(wanted.values()) if wanted else None)
    return counts
