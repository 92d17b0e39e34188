"""Tallies put together: windows one after the other, revisions or pods side by side, and what two
sources say of the same requests."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeVar

from fleet.domain.requests.records import Hop, Tally

Number = TypeVar("Number", int, float)


def in_turn(tallies: Iterable[Tally]) -> Tally:
    """Windows one after the other. in_flight, queued: the highest of any; p95_s: only where there
    is but one."""
    found = list(tallies)
    return replace(
        _added(found),
        in_flight=_highest(t.in_flight for t in found),
        queued=_highest(t.queued for t in found),
    )


def side_by_side(tallies: Iterable[Tally]) -> Tally:
    """Revisions or pods in one window. in_flight, queued: of all together."""
    found = list(tallies)
    return replace(
        _added(found),
        in_flight=_sum(t.in_flight for t in found),
        queued=_sum(t.queued for t in found),
    )


def in_front_of(front: Tally, behind: Tally) -> Tally:
    """The same requests, counted in front and again behind: never added. What the front does not
    tell, the back does."""
    untold = behind.told - front.told
    further = {place: n for place, n in behind.errors.items() if place[0] in untold}
    counts_behind = front.requests is None
    return replace(
        front,
        requests=behind.requests if counts_behind else front.requests,
        requests_at_least=behind.requests_at_least if counts_behind else front.requests_at_least,
        errors={**front.errors, **further},
        told=front.told | behind.told,
        at_least=front.at_least | (behind.at_least & untold),
        client_gone=_either(front.client_gone, behind.client_gone),
        broken=_either(front.broken, behind.broken),
        cut=_either(front.cut, behind.cut),
        in_flight=_either(behind.in_flight, front.in_flight),
        queued=_either(behind.queued, front.queued),
        p95_s=_either(front.p95_s, behind.p95_s),
    )


def is_worth_keeping(tally: Tally) -> bool:
    """Whether anything happened in the window."""
    seen = (tally.requests, tally.lost, tally.client_gone, tally.broken, tally.cut)
    return any(seen) or bool(tally.in_flight) or bool(tally.queued)


def _added(tallies: Sequence[Tally]) -> Tally:
    """A hop that is not told everywhere is told nowhere; what was counted of it is a lower bound,
    and so is a number of requests that one of them lacks."""
    if len(tallies) == 1:
        return tallies[0]
    errors: Counter[tuple[Hop, int]] = Counter()
    for tally in tallies:
        errors.update(tally.errors)
    told = _told_by_all(tallies)
    at_least = frozenset[Hop]().union(*(t.at_least for t in tallies))
    return Tally(
        requests=_sum(t.requests for t in tallies),
        errors=errors,
        told=told,
        at_least=at_least | {hop for hop, _ in errors if hop not in told},
        requests_at_least=_is_lower_bound(tallies),
        client_gone=_sum(t.client_gone for t in tallies),
        broken=_sum(t.broken for t in tallies),
        cut=_sum(t.cut for t in tallies),
    )


def _told_by_all(tallies: Sequence[Tally]) -> frozenset[Hop]:
    """Tallies that only tell a depth (in flight, queued) have no say."""
    telling = [t.told for t in tallies if t.told]
    return reduce(frozenset.intersection, telling) if telling else frozenset()


def _is_lower_bound(tallies: Sequence[Tally]) -> bool:
    known = [t for t in tallies if t.requests is not None]
    return any(t.requests_at_least for t in known) or 0 < len(known) < len(tallies)


def _sum(numbers: Iterable[Number | None]) -> Number | None:
    known = [n for n in numbers if n is not None]
    return sum(known) if known else None


def _highest(numbers: Iterable[float | None]) -> float | None:
    return max((n for n in numbers if n is not None), default=None)


def _either(first: Number | None, second: Number | None) -> Number | None:
    return second if first is None else first
