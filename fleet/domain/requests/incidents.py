"""Incidents: from when until when callers of one model got errors, and how many they lost.

Windows of 30 s come in, oldest first, a few at a time; what goes on is carried from one step to
the next. A step that is taken twice changes nothing: what lies before the newest counted error
is never counted again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile

from fleet.domain.requests.records import WINDOW_S, RequestWindow, Tally
from fleet.domain.requests.sums import in_turn, side_by_side

WINDOW = timedelta(seconds=WINDOW_S)
# Errors are judged over so long: as long as Degraded and Failing look back.
LOOK_BACK = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentRules:
    """When errors are an incident, and when it is over.

    A model with fewer than `quiet_under` requests in five minutes is quiet: one error more or less
    moves its share too far, so `quiet_errors` count alone. A busy one needs `busy_errors` that
    are `busy_share` of its requests, as Degraded does. gap: without errors for so long, it is over;
    errors that come sooner belong to the same incident.
    """

    quiet_under: int = 20
    quiet_errors: int = 2
    busy_errors: int = 3
    busy_share: float = 0.01
    gap: timedelta = timedelta(minutes=5)

    def broken(self, span: Tally) -> bool:
        """Whether five minutes with this tally are part of an incident."""
        if span.requests is None:
            return span.lost >= self.busy_errors
        # Some hops see errors of requests that no other hop counted.
        requests = max(span.requests, span.lost)
        if requests < self.quiet_under:
            return span.lost >= self.quiet_errors
        return span.lost >= self.busy_errors and span.lost / requests >= self.busy_share


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Nothing is known of since <= t < until: nobody read the metrics of that time."""

    since: datetime
    until: datetime

    def within(self, since: datetime, until: datetime) -> timedelta:
        """How much of it lies in that span."""
        return max(timedelta(0), min(self.until, until) - max(self.since, since))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWindow:
    """What became of one model's requests in the window that began at `at`, its revisions added
    up. revisions: those that had errors."""

    at: datetime
    tally: Tally
    revisions: frozenset[str] = frozenset()

    @property
    def end(self) -> datetime:
        return self.at + WINDOW


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentSpan:
    """One incident as counted so far.

    started_at: the beginning of its first window with errors. last_error_at: the end of the newest
    window that is part of it; tally: all from the one to the other. ended: it is over.
    unread: what was not read since it began.
    """

    started_at: datetime
    last_error_at: datetime
    tally: Tally
    revisions: frozenset[str] = frozenset()
    unread: tuple[Unread, ...] = ()
    ended: bool = False

    @property
    def at_least(self) -> bool:
        """Whether more may have been lost than was counted."""
        blind = any(u.within(self.started_at, self.last_error_at) for u in self.unread)
        return blind or bool(self.tally.at_least)

    def quiet(self, *, until: datetime) -> timedelta:
        """How long it is known to be without errors; time that was not read does not count."""
        blind = sum((u.within(self.last_error_at, until) for u in self.unread), timedelta(0))
        return until - self.last_error_at - blind


def model_windows(windows: Iterable[RequestWindow]) -> list[ModelWindow]:
    """Windows of revisions as windows of their model, oldest first."""
    by_moment: dict[datetime, list[RequestWindow]] = {}
    for window in windows:
        by_moment.setdefault(window.at, []).append(window)
    return [_added(at, by_moment[at]) for at in sorted(by_moment)]


def _added(at: datetime, parts: Sequence[RequestWindow]) -> ModelWindow:
    return ModelWindow(
        at=at,
        tally=side_by_side(part.tally for part in parts),
        revisions=frozenset(part.revision for part in parts if part.tally.lost and part.revision),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one step knows of one model.

    windows: oldest first, from LOOK_BACK before what is to be judged. after: what is earlier was
    judged before and begins nothing. read_to: everything before it was read, save `unread`.
    """

    windows: Sequence[ModelWindow]
    after: datetime
    read_to: datetime
    unread: tuple[Unread, ...] = ()


def incidents(
    going_on: IncidentSpan | None, seen: Reading, rules: IncidentRules
) -> tuple[IncidentSpan, ...]:
    """Those that changed or came, oldest first; at most the last of them still goes on."""
    now = going_on and replace(going_on, unread=(*going_on.unread, *_news(going_on, seen)))
    done: list[IncidentSpan] = []
    for n, window in enumerate(seen.windows):
        if now is not None and now.quiet(until=window.at) >= rules.gap:
            done.append(replace(now, ended=True))
            now = None
        after = seen.after if not done else max(seen.after, done[-1].last_error_at)
        now = _begun(seen, n, after, rules) if now is None else _extended(now, seen, n, rules)
    if now is not None:
        over = now.quiet(until=seen.read_to) >= rules.gap
        done.append(replace(now, ended=over))
    return tuple(done)


def _news(span: IncidentSpan, seen: Reading) -> Iterable[Unread]:
    return (unread for unread in seen.unread if unread not in span.unread)


def _begun(seen: Reading, n: int, after: datetime, rules: IncidentRules) -> IncidentSpan | None:
    """The incident that this window makes of itself and of the five minutes before it."""
    window = seen.windows[n]
    if window.at < after or not window.tally.lost:
        return None
    span = _looked_back(seen.windows, n, after=after)
    if not rules.broken(in_turn(each.tally for each in span)):
        return None
    first = next(n for n, each in enumerate(span) if each.tally.lost)
    began = span[first].at
    return _counted(span[first:], unread=tuple(u for u in seen.unread if u.until > began))


def _extended(now: IncidentSpan, seen: Reading, n: int, rules: IncidentRules) -> IncidentSpan:
    """The incident with this window and all since its newest one, if errors go on."""
    window = seen.windows[n]
    if window.at < now.last_error_at or not window.tally.lost:
        return now
    if not rules.broken(in_turn(each.tally for each in _looked_back(seen.windows, n))):
        return now
    more = [each for each in seen.windows[: n + 1] if each.at >= now.last_error_at]
    added = _counted(more, unread=())
    return replace(
        now,
        last_error_at=added.last_error_at,
        tally=in_turn((now.tally, added.tally)),
        revisions=now.revisions | added.revisions,
    )


def _looked_back(
    windows: Sequence[ModelWindow], n: int, *, after: datetime | None = None
) -> Sequence[ModelWindow]:
    """The windows of the five minutes that end with the nth, oldest first."""
    since = windows[n].end - LOOK_BACK
    if after is not None:
        since = max(since, after)
    back = list(takewhile(lambda each: each.at >= since, reversed(windows[: n + 1])))
    return back[::-1]


def _counted(windows: Sequence[ModelWindow], *, unread: tuple[Unread, ...]) -> IncidentSpan:
    return IncidentSpan(
        started_at=windows[0].at,
        last_error_at=windows[-1].end,
        tally=in_turn(each.tally for each in windows),
        revisions=frozenset[str]().union(*(each.revisions for each in windows)),
        unread=unread,
    )


def by_hop(tally: Tally) -> Mapping[str, int | None]:
    """As kept and told: the count of each hop; None = cannot be told apart here."""
    return {hop.value: count for hop, count in tally.by_hop().items()}
