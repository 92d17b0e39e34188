"""What readers hand to the one writer: bounded, the first change at once, then in batches."""

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass

from fleet.domain.coldstart.heard import Heard
from fleet.history.streams import Stream
from fleet.ports import ClusterFacts, Message, StopFlag

# A reader waits when so many messages are not written yet: memory stays bounded.
CAPACITY = 4000
BATCH = 1000
# The least time between the beginnings of two batches.
PACE_S = 0.1
PUT_WAIT_S = 0.2


@dataclass(frozen=True, slots=True)
class Letter:
    """A message and the stream it came on."""

    stream: Stream
    message: Message


@dataclass(frozen=True, slots=True)
class Overheard:
    """What the log of a replica's server says of one of its starts."""

    uid: str
    attempt: int
    heard: Heard


Item = Letter | ClusterFacts | Overheard


class Inbox:
    """Many readers put, one writer takes."""

    def __init__(
        self,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._items: queue.Queue[Item] = queue.Queue(CAPACITY)
        self._monotonic = monotonic
        self._sleep = sleep
        self._next_at = 0.0

    def put(self, item: Item, *, stop: StopFlag) -> None:
        """Hand over; waits while the writer is behind, gives up when `stop` is set."""
        while not stop.is_set():
            try:
                self._items.put(item, timeout=PUT_WAIT_S)
            except queue.Full:
                continue
            return

    def take(self, *, within_s: float) -> list[Item]:
        """What is there: waits for a first item up to `within_s`, then gives all that came.

        After a quiet time the first item is given at once; items that follow close behind wait for
        PACE_S to be over, so that they are written together.
        """
        first = self._first(within_s)
        if first is None:
            return []
        self._sleep(max(0.0, self._next_at - self._monotonic()))
        self._next_at = self._monotonic() + PACE_S
        return [first, *self._rest()]

    def _first(self, within_s: float) -> Item | None:
        try:
            return self._items.get(timeout=max(0.01, within_s))
        except queue.Empty:
            return None

    def _rest(self) -> list[Item]:
        found: list[Item] = []
        while len(found) < BATCH:
            try:
                found.append(self._items.get_nowait())
            except queue.Empty:
                break
        return found
