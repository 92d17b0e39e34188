"""Requests lost to a start: 5xx that callers got while it was under way."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from fleet.domain.requests.records import WINDOW_S, RequestWindow, Tally
from fleet.domain.requests.sums import in_turn

# A request that waited for the start is counted when it ends.
AFTERMATH = timedelta(seconds=30)
WINDOW = timedelta(seconds=WINDOW_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One start of a model. ended_at: ready, or over without; None = it runs. revision: "" = not
    known."""

    id: int
    revision: str
    started_at: datetime
    ended_at: datetime | None

    def concerns(self, window: RequestWindow) -> bool:
        """Whether the window touches the start, or the half minute after it, and may be of its
        revision."""
        if self.revision and window.revision and self.revision != window.revision:
            return False
        over = self.ended_at is not None and window.at >= self.ended_at + AFTERMATH
        return not over and window.at + WINDOW > self.started_at


def lost_to_starts(
    starts: Iterable[Attempt], windows: Iterable[RequestWindow], *, none: Tally
) -> dict[int, Tally]:
    """By id of the start: what became of the requests of the windows that are its own.

    A window that several starts of a model touch is the one's that began first, so that no request
    is counted twice. none: what a start without any window tells.
    """
    oldest_first = sorted(starts, key=lambda start: (start.started_at, start.id))
    own: dict[int, list[Tally]] = defaultdict(list)
    for window in windows:
        first = next((start for start in oldest_first if start.concerns(window)), None)
        if first is not None:
            own[first.id].append(window.tally)
    return {
        start.id: in_turn([*own[start.id], none]) if own[start.id] else none
        for start in oldest_first
    }


def lost_in(by_hop: Mapping[str, int | None] | None) -> int | None:
    """All hops together; None = not measured."""
    return None if by_hop is None else sum(count or 0 for count in by_hop.values())


def was_read(
    start: Attempt, unread: Sequence[tuple[datetime, datetime]], *, until: datetime
) -> bool:
    """Whether all that was read up to `until` holds no hole within the start."""
    end = until if start.ended_at is None else min(until, start.ended_at + AFTERMATH)
    return not any(begin < end and start.started_at < close for begin, close in unread)
