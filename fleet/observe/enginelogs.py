"""Reads the logs of servers that start: a few small threads beside the follower, never in its way.

Only what the parser makes of the lines leaves here; the lines themselves are dropped.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from fleet.domain.coldstart.heard import Heard, Run, run_of
from fleet.domain.enginelog.lines import stamped_at
from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.ledger.listening import LogWanted
from fleet.errors import FleetError, Forbidden
from fleet.observe.backoff import wait_s
from fleet.observe.inbox import Inbox, Overheard
from fleet.ports import LogReader, StopFlag

logger = logging.getLogger(__name__)

# Logs read at once, of one cluster.
LISTENERS = 3
READ_EVERY_S = 2.0
IDLE_S = 0.25
# A right that is missing is not asked for at every start.
DENIED_S = 120.0
READ_BYTES = 1024 * 1024
# Whole lines of a reading that was cut at its limit.
FULL_BYTES = READ_BYTES - 64 * 1024
# A server that loads and has written nothing for this long is called silent.
SILENT_S = 15.0
# A start's log is some hundred kilobytes; more is not of the start.
RUN_BYTES = 16 * READ_BYTES


@dataclass(slots=True)
class Tape:
    """How far the log of one replica was read. seen: the lines of the last moment, which come
    again. bytes: read of this run. more: the last reading was full, so that there is
    more. new_at: when a line last came, by the monotonic clock. before:
    the run that ended before this one, None if its log was not read."""

    wanted: LogWanted
    log: EngineLog
    due_at: float = 0.0
    busy: bool = False
    failures: int = 0
    last_at: float | None = None
    seen: frozenset[str] = frozenset()
    bytes: int = 0
    more: bool = False
    new_at: float = field(default_factory=time.monotonic)
    looked_before: bool = False
    before: Run | None = None
    sent: Heard | None = field(default=None)

    def take(self, lines: Sequence[str]) -> None:
        """Feed what was not read yet. A second that fills a whole reading cannot be passed: its
        lines come again and again, and the rest is given up."""
        known = self.bytes
        for raw in lines:
            at = stamped_at(raw)
            if raw in self.seen or (at is not None and at < (self.last_at or 0.0)):
                continue
            if at is not None:
                self.seen = self.seen | {raw} if at == self.last_at else frozenset({raw})
                self.last_at = at
            self.bytes += len(raw)
            self.new_at = time.monotonic()
            self.log.feed(raw)
        self.more = sum(map(len, lines)) >= FULL_BYTES
        if self.more and self.bytes == known:
            self.bytes, self.more = RUN_BYTES, False

    def heard(self, *, by: float) -> Heard:
        """What the log says so far. The time of the last line would be news at every reading: it
        is told once the server is silent, and at the end."""
        witness = self.log.witness()
        cut = self.bytes >= RUN_BYTES
        done = cut or (self.wanted.is_last and not self.more)
        if not done and not witness.failure and time.monotonic() - self.new_at < SILENT_S:
            witness = replace(witness, last_at=None)
        told = witness if witness.failure else self.before
        return Heard(
            run=self.wanted.run,
            by=by,
            witness=witness,
            done=done,
            failure=told.failure if told is not None else "",
            line=told.line if told is not None else "",
            cut=cut,
            runs=(self.before,) if self.before is not None else (),
        )


class EngineLogs:
    """Knows what is wanted; each thread takes the next log that is due."""

    def __init__(
        self, reader: LogReader, *, inbox: Inbox, stop: StopFlag, clock: Callable[[], datetime]
    ) -> None:
        self._reader = reader
        self._inbox = inbox
        self._stop = stop
        self._clock = clock
        self._lock = threading.Lock()
        self._tapes: dict[str, Tape] = {}
        self._denied_until: dict[str, float] = {}

    def want(self, wanted: Iterable[LogWanted]) -> None:
        """All that is wanted now; what is not wanted any more is dropped."""
        named = {each.uid: each for each in wanted}
        with self._lock:
            for uid in self._tapes.keys() - named.keys():
                del self._tapes[uid]
            for uid, each in named.items():
                self._tapes[uid] = _tape(self._tapes.get(uid), each)

    def run(self) -> None:
        """Read until stopped. Never raises."""
        while not self._stop.is_set():
            tape = self._next()
            if tape is None:
                self._stop.wait(IDLE_S)
                continue
            try:
                self._read(tape)
            except Exception:
                logger.exception("failed to read a log pod=%s", tape.wanted.pod)
                tape.due_at = time.monotonic() + DENIED_S
            finally:
                tape.busy = False

    def _next(self) -> Tape | None:
        now = time.monotonic()
        with self._lock:
            due = [tape for tape in self._tapes.values() if self._is_due(tape, now)]
            if not due:
                return None
            first = min(due, key=lambda tape: tape.due_at)
            first.busy = True
            return first

    def _is_due(self, tape: Tape, now: float) -> bool:
        """The right may be missing in one namespace alone."""
        denied_until = self._denied_until.get(tape.wanted.namespace, 0.0)
        return not tape.busy and tape.due_at <= now and denied_until <= now

    def _read(self, tape: Tape) -> None:
        wanted = tape.wanted
        try:
            if wanted.run and not tape.looked_before:
                self._read_before(tape)
            tape.take(self._lines(wanted, since=tape.last_at, previous=False))
        except Forbidden as error:
            self._denied_until[wanted.namespace] = time.monotonic() + DENIED_S
            logger.info("denied logs namespace=%s because=%s", wanted.namespace, error)
            return
        except FleetError as error:
            tape.failures += 1
            tape.due_at = time.monotonic() + wait_s(tape.failures)
            logger.info("could not read a log pod=%s because=%s", wanted.pod, error)
            return
        tape.failures, tape.due_at = 0, time.monotonic() + (0.0 if tape.more else READ_EVERY_S)
        self._send(tape, wanted)

    def _read_before(self, tape: Tape) -> None:
        """Why the run before ended: its log is there until the next restart, if at all."""
        earlier = EngineLog()
        try:
            earlier.feed_all(self._lines(tape.wanted, since=None, previous=True))
        except Forbidden:
            raise
        except FleetError as error:
            logger.info("no earlier log pod=%s because=%s", tape.wanted.pod, error)
        else:
            tape.before = run_of(tape.wanted.run - 1, earlier.witness())
        tape.looked_before = True

    def _lines(self, wanted: LogWanted, *, since: float | None, previous: bool) -> Sequence[str]:
        return self._reader.lines(
            namespace=wanted.namespace,
            pod=wanted.pod,
            container=wanted.container,
            since=since,
            previous=previous,
            at_most=READ_BYTES,
        )

    def _send(self, tape: Tape, wanted: LogWanted) -> None:
        heard = tape.heard(by=self._clock().timestamp())
        known = tape.sent
        if known is not None and replace(heard, by=known.by) == known:
            return
        tape.sent = heard
        self._inbox.put(Overheard(wanted.uid, wanted.attempt, heard), stop=self._stop)


def _tape(known: Tape | None, wanted: LogWanted) -> Tape:
    """A run of its own has a tape of its own; the end of a start is read at once."""
    if known is None or (known.wanted.run, known.wanted.attempt) != (wanted.run, wanted.attempt):
        return Tape(wanted, EngineLog(started_at=wanted.started_at))
    if wanted.is_last and not known.wanted.is_last:
        known.due_at = 0.0
    known.wanted = wanted
    return known
