"""One stream, read for ever by one thread: list once, watch, come back, list again on 410."""

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from fleet.domain.records.change import Change
from fleet.domain.records.keys import Resource
from fleet.errors import ClusterUnreachable, FleetError, Forbidden, NotThere, TooOld
from fleet.history.streams import Position, Stream
from fleet.observe.backoff import wait_s
from fleet.observe.board import Board
from fleet.observe.inbox import Inbox, Letter
from fleet.observe.trouble import code_of
from fleet.ports import Bookmark, ClusterReader, Message, StopFlag

logger = logging.getLogger(__name__)

# The server ends a watch after so long; drawn, so that not all end at once.
WATCH_S = (240.0, 300.0)
# After a watch that lived this long, failures are counted from none again.
STEADY = timedelta(seconds=20)
# A watch of anything but Events brings a bookmark each minute. One that was silent this long may
# stand at a version that the server has not reached (a cluster restored from a backup).
SUSPECT = timedelta(seconds=100)
# Before a list that a 410 asks for: the other streams of all our readers got theirs just now.
RELIST_WAIT_S = (0.0, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all readers of one cluster share."""

    reader: ClusterReader
    inbox: Inbox
    board: Board
    stop: StopFlag
    clock: Callable[[], datetime]
    draw: Callable[[float, float], float] = random.uniform


class StreamReading:
    """Reads one stream until stopped or denied. Each message goes to the inbox, once and in order.

    start: where the last follower of this stream came to; None = list first.
    """

    def __init__(self, stream: Stream, *, around: Surroundings, start: Position | None) -> None:
        self.stream = stream
        self._around = around
        self._since = start.resource_version if start else ""
        self._in_step_at = start.in_step_at if start else None
        self._failures = 0

    def run(self) -> None:
        """For the thread: never raises."""
        while not self._around.stop.is_set():
            try:
                self._once()
            except (Forbidden, NotThere) as error:
                self._deny(error)
                return
            except FleetError as error:
                self._fail(error)
            except Exception:
                logger.exception("failed stream=%s", self.stream.name)
                self._fail(ClusterUnreachable("reading failed in a way that nobody foresaw"))

    def _once(self) -> None:
        """List if there is nothing to go on from, then one watch to its end."""
        if not self._since:
            self._list()
        opened_at = self._around.clock()
        messages = 0
        try:
            messages = self._watch()
        finally:
            self._judge(opened_at, messages)
        self._in_step_at = self._around.clock()
        self._around.board.closed(self.stream)

    def _list(self) -> None:
        listed = self._around.reader.list(
            self.stream.resource,
            namespace=self.stream.namespace,
            model_kind=self.stream.model_kind,
        )
        self._put(replace(listed, unseen_since=self._in_step_at))
        self._since = listed.resource_version
        self._in_step_at = listed.received_at

    def _watch(self) -> int:
        """How many messages came, the opening not counted."""
        messages = -1
        for message in self._around.reader.watch(
            self.stream.resource,
            since=self._since,
            namespace=self.stream.namespace,
            model_kind=self.stream.model_kind,
            timeout_s=self._around.draw(*WATCH_S),
            stop=self._around.stop,
        ):
            messages += 1
            self._in_step_at = message.received_at
            if isinstance(message, Bookmark) and not message.resource_version:
                self._around.board.opened(self.stream)
                continue
            self._put(message)
            self._since = version_of(message) or self._since
        return messages

    def _judge(self, opened_at: datetime, messages: int) -> None:
        """After a watch: forget old failures if it was steady, distrust it if it was mute."""
        lived = self._around.clock() - opened_at
        if lived >= STEADY:
            self._failures = 0
        silent = messages <= 0 and self.stream.resource is not Resource.EVENTS
        if silent and lived >= SUSPECT and not self._around.stop.is_set():
            logger.info("distrusted a silent stream=%s", self.stream.name)
            self._since = ""

    def _put(self, message: Message) -> None:
        self._around.inbox.put(Letter(self.stream, message), stop=self._around.stop)

    def _deny(self, error: FleetError) -> None:
        logger.info("denied stream=%s because=%s", self.stream.name, error)
        self._around.board.denied(self.stream, trouble=code_of(error), detail=str(error))

    def _fail(self, error: FleetError) -> None:
        """Say it, wait, and know where to go on."""
        if self._around.stop.is_set():
            return
        self._failures += 1
        self._around.board.closed(self.stream, trouble=code_of(error), detail=str(error))
        asked_s = getattr(error, "after_s", None)
        wait = wait_s(self._failures, asked_s=asked_s, draw=self._around.draw)
        if isinstance(error, TooOld):
            self._since = ""
            wait = self._around.draw(*RELIST_WAIT_S) if self._failures == 1 else wait
        logger.info("lost stream=%s because=%s wait_s=%.1f", self.stream.name, error, wait)
        self._around.stop.wait(wait)


def version_of(message: Message) -> str:
    """The resourceVersion that a watch can go on from after this message; "" = it tells none."""
    if isinstance(message, Change):
        return message.record.meta.resource_version
    return message.resource_version if isinstance(message, Bookmark) else ""
