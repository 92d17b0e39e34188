"""One clock for everything that happens in a simulated world.

It runs in one of two ways: driven, where time jumps from one due call to the next (tests, and the
past that a world is given before anybody looks), and live, where an asyncio loop waits for it.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

Call = Callable[[], None]


@dataclass(slots=True)
class Timer:
    """A call that is due; cancelled is looked at when its time comes."""

    due: datetime
    call: Call | None

    def cancel(self) -> None:
        self.call = None


@dataclass(slots=True)
class Timeline:
    """Due calls in the order of their time, and the time itself.

    speed: stage lengths are divided by it; timestamps and real spans are not.
    """

    start: datetime
    speed: float = 1.0
    _heap: list[tuple[datetime, int, Timer]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)
    _loop: asyncio.AbstractEventLoop | None = None
    _waiting: asyncio.TimerHandle | None = None
    _current: datetime = field(init=False)

    def __post_init__(self) -> None:
        self._current = self.start

    @property
    def is_live(self) -> bool:
        return self._loop is not None

    def now(self) -> datetime:
        return self._current if self._loop is None else datetime.now(UTC)

    def after(self, stage_s: float, call: Call) -> Timer:
        """Calls after a stage of stage_s seconds, shortened by the speed."""
        return self.after_real(stage_s / self.speed, call)

    def after_real(self, delay_s: float, call: Call) -> Timer:
        """Calls after delay_s seconds as clocks on the wall count them."""
        timer = Timer(self.now() + timedelta(seconds=max(0.0, delay_s)), call)
        heapq.heappush(self._heap, (timer.due, next(self._order), timer))
        if self._loop is not None and self._heap[0][2] is timer:
            self._wait()
        return timer

    def run_until(self, moment: datetime) -> None:
        """Driven: makes every call that is due up to the moment, then stands there."""
        while self._heap and self._heap[0][0] <= moment:
            self._step()
        self._current = max(self._current, moment)

    def run_for(self, seconds: float) -> None:
        self.run_until(self._current + timedelta(seconds=seconds))

    def run_while(self, waiting: Callable[[], bool], *, limit_s: float) -> bool:
        """Driven: goes on until waiting() is false; false if that did not come within limit_s."""
        last = self._current + timedelta(seconds=limit_s)
        while waiting():
            if not self._heap or self._heap[0][0] > last:
                return False
            self._step()
        return True

    def go_live(self, loop: asyncio.AbstractEventLoop) -> None:
        """From now on the loop's time counts; what is overdue is called at once."""
        self._loop = loop
        self._wait()

    def stop(self) -> None:
        """Live: no more calls."""
        self._heap.clear()
        if self._waiting is not None:
            self._waiting.cancel()

    def _step(self) -> None:
        due, _, timer = heapq.heappop(self._heap)
        self._current = max(self._current, due)
        call, timer.call = timer.call, None
        if call is not None:
            call()

    def _wait(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = None
        if self._loop is None or not self._heap:
            return
        delay = (self._heap[0][0] - datetime.now(UTC)).total_seconds()
        self._waiting = self._loop.call_later(max(0.0, delay), self._due)

    def _due(self) -> None:
        now = datetime.now(UTC)
        try:
            while self._heap and self._heap[0][0] <= now:
                self._step()
        finally:
            # A call that fails is the loop's to report; the world goes on.
            self._wait()
