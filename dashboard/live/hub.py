"""The hub of a process: viewers of the same page form a group; each group is looked at once a
change, and what differs is encoded once for all of its viewers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Hashable
from typing import Protocol

from channels.db import database_sync_to_async
from django.conf import settings
from django.db import Error as DatabaseTrouble

from dashboard.live.bell import ANYTHING, Ring, listen
from dashboard.live.fragments import Shown, changes, snapshot

logger = logging.getLogger(__name__)

# The first change goes out at once, then at most four a second.
PAUSE_S = 0.25
# Between looks that take longer than that.
REST_S = 0.05
# Without a ring, a look all the same: the net under lost rings, and the age of data.
LOOK_ANYWAY_S = 3.0
# A look this fresh serves a viewer who just came.
FRESH_S = 1.0


class Viewer(Protocol):
    """Who is told."""

    def tell(self, tail: str) -> None:
        """Send a message of one's own number with that tail; never blocks."""


class View(Protocol):
    """What a group looks at. Equal keys mean equal pages."""

    @property
    def key(self) -> Hashable: ...

    def touched_by(self, ring: Ring) -> bool: ...

    def look(self) -> Shown:
        """Reads the rows; runs in the thread for the database."""


class Group:
    """Viewers of the same page."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.viewers: set[Viewer] = set()
        self.shown: Shown | None = None
        self.looked_at = 0.0
        self.dirty = False
        self._lock = asyncio.Lock()

    async def look(self, *, at_most_old_s: float) -> Shown:
        """What the page shows, as of at most that long ago; tells the others what differs."""
        async with self._lock:
            if self.shown is not None and time.monotonic() - self.looked_at <= at_most_old_s:
                return self.shown
            self.dirty = False
            began = time.monotonic()
            new = await database_sync_to_async(self.view.look)()
            old, self.shown, self.looked_at = self.shown, new, began
            tail = "" if old is None else changes(old, new, now_ms=now_ms())
            if tail:
                for viewer in tuple(self.viewers):
                    viewer.tell(tail)
            return new


def now_ms() -> int:
    return round(time.time() * 1000)


class Hub:
    """Groups by their view's key. Runs while somebody looks."""

    def __init__(self) -> None:
        self.groups: dict[Hashable, Group] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._rung = asyncio.Event()

    async def join(self, view: View, viewer: Viewer, have: dict[str, str]) -> None:
        """The viewer gets what its page lacks, then every change."""
        group = self.groups.setdefault(view.key, Group(view))
        self._start()
        group.viewers.add(viewer)
        shown = await group.look(at_most_old_s=FRESH_S)
        viewer.tell(snapshot(shown, have, now_ms=now_ms()))

    def leave(self, view: View, viewer: Viewer) -> None:
        group = self.groups.get(view.key)
        if group is None:
            return
        group.viewers.discard(viewer)
        if not group.viewers:
            del self.groups[view.key]
        if not self.groups:
            self._stop()

    def ring(self, ring: Ring) -> None:
        """Groups that the ring touches are looked at next."""
        touched = [group for group in self.groups.values() if group.view.touched_by(ring)]
        for group in touched:
            group.dirty = True
        if touched:
            self._rung.set()

    def _start(self) -> None:
        if self._tasks:
            return
        self._rung = asyncio.Event()
        self._tasks = [asyncio.create_task(self._run(), name="live hub")]
        if settings.REDIS_URL:
            bell = listen(settings.REDIS_URL, self.ring)
            self._tasks.append(asyncio.create_task(bell, name="live bell"))

    def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._tasks = []

    async def _run(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._rung.wait(), LOOK_ANYWAY_S)
            except TimeoutError:
                self.ring(ANYTHING)
            self._rung.clear()
            self._mark_old()
            began = time.monotonic()
            await self._look()
            await asyncio.sleep(max(REST_S, began + PAUSE_S - time.monotonic()))

    def _mark_old(self) -> None:
        """Where it rings all the time, quiet groups are looked at too."""
        limit = time.monotonic() - LOOK_ANYWAY_S
        for group in self.groups.values():
            group.dirty = group.dirty or group.looked_at < limit

    async def _look(self) -> None:
        for group in tuple(self.groups.values()):
            if not group.dirty:
                continue
            try:
                await group.look(at_most_old_s=-1.0)
            except DatabaseTrouble as error:
                # The next look comes by itself; viewers see the age of the data grow.
                logger.warning("skipped look error=%s", type(error).__name__)
            except Exception:
                # One page that cannot be made must not end all others.
                logger.exception("failed look view=%s", type(group.view).__name__)


HUB = Hub()
