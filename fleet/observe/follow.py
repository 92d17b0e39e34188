"""Follow one cluster for a while: the use case behind a worker's task."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from fleet.domain.ledger.ledger import Ledger
from fleet.domain.ledger.settings import LedgerSettings
from fleet.domain.records.change import Change, Listed
from fleet.domain.requests.states import Thresholds
from fleet.history.batch import Batch
from fleet.history.kept import Kept, kept
from fleet.history.leases import Lease, release
from fleet.history.patience import write_patiently
from fleet.history.streams import Stream
from fleet.observe.account import Account
from fleet.observe.board import Board
from fleet.observe.enginelogs import LISTENERS, EngineLogs
from fleet.observe.inbox import Inbox, Item, Letter, Overheard
from fleet.observe.plan import WITHOUT_NAMESPACE, streams_for
from fleet.observe.reading import StreamReading, Surroundings
from fleet.observe.tending import keep_pulse, look_once
from fleet.ports import Announcer, ClusterFacts, ClusterReader, LogReader

logger = logging.getLogger(__name__)

BEAT_S = 5.0
# How soon the end is noticed when nothing happens.
LISTEN_S = 0.25
# The first settling waits for every list, so that no model is judged by half of its objects.
FIRST_LISTS_S = 10.0
JOIN_S = 0.5
# Whose logs to read is asked of the whole ledger, so not after every batch.
WANT_EVERY_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What following one cluster takes. over: set from outside to end within a second. logs: None
    where servers' logs are not to be read. thresholds: when errors make a state."""

    lease: Lease
    reader: ClusterReader
    announcer: Announcer
    clock: Callable[[], datetime]
    over: threading.Event
    settings: LedgerSettings
    namespaces: Sequence[str] = ()
    logs: LogReader | None = None
    thresholds: Thresholds = field(default_factory=Thresholds)


def follow(task: Task, *, deadline_s: float) -> None:
    """Follow until the deadline or `over`; what was seen is kept, and the lease given back.

    Raises LeaseLost when somebody else follows the cluster or it was paused.
    """
    follower = Follower(task)
    try:
        follower.run(deadline_s=deadline_s)
    finally:
        follower.end()
    release(task.lease, now=task.clock())


class Follower:
    """The one writer of a cluster, with a reading thread for each stream."""

    def __init__(self, task: Task) -> None:
        self._task = task
        left = _left_behind(task)
        self._ledger = Ledger.restore(
            task.lease.cluster,
            objects=left.objects,
            replicas=left.replicas,
            settings=task.settings,
        )
        self._account = Account(left.positions)
        self._around = Surroundings(
            reader=task.reader,
            inbox=Inbox(),
            board=Board(),
            stop=task.over,
            clock=task.clock,
        )
        self._engine_logs = self._listening()
        self._threads: dict[object, threading.Thread] = {}
        self._facts: ClusterFacts | None = None
        self._settling = bool(left.positions)
        self._began = 0.0
        self._beat_at = 0.0
        self._want_at = 0.0

    def run(self, *, deadline_s: float) -> None:
        """Until the time is over."""
        until = time.monotonic() + deadline_s
        self.begin()
        while not self._task.over.is_set() and time.monotonic() < until:
            self.turn()

    def begin(self) -> None:
        """Start the threads; streams that the last follower left go on at once."""
        self._began = time.monotonic()
        self._start("pulse", lambda: keep_pulse(self._around))
        self._start("look", lambda: look_once(self._around, namespaces=self._task.namespaces))
        self._read(self._account.positions)
        if self._engine_logs is not None:
            for number in range(LISTENERS):
                self._start(f"logs {number}", self._engine_logs.run)

    def _listening(self) -> EngineLogs | None:
        around = self._around
        if self._task.logs is None:
            return None
        return EngineLogs(self._task.logs, inbox=around.inbox, stop=around.stop, clock=around.clock)

    def turn(self) -> None:
        """Take in what came, settle, write, announce, say whose logs to read; a little waiting when
        nothing comes."""
        items = self._around.inbox.take(within_s=LISTEN_S)
        self._take_in(items)
        self._settling = self._settling or self._all_listed()
        beat = time.monotonic() >= self._beat_at
        if items or beat:
            self._write(beat=beat)
        if self._engine_logs is not None and time.monotonic() >= self._want_at:
            self._want_at = time.monotonic() + WANT_EVERY_S
            self._engine_logs.want(self._ledger.logs_wanted(now=self._task.clock()))

    def end(self) -> None:
        """Stop every thread; those that hang on a connection are daemons and end by their
        time-outs."""
        self._task.over.set()
        self._task.reader.close()
        if self._task.logs is not None:
            self._task.logs.close()
        until = time.monotonic() + JOIN_S
        for thread in self._threads.values():
            thread.join(max(0.0, until - time.monotonic()))

    def _start(self, name: object, run: Callable[[], None]) -> None:
        thread = threading.Thread(
            target=run, name=f"{self._task.lease.cluster} {name}", daemon=True
        )
        self._threads[name] = thread
        thread.start()

    def _read(self, streams: Iterable[Stream]) -> None:
        """Begin to read those that are not read yet."""
        for stream in [s for s in streams if s not in self._threads]:
            self._around.board.expect([stream])
            start = self._account.positions.get(stream)
            reading = StreamReading(stream, around=self._around, start=start)
            self._start(stream, reading.run)

    def _take_in(self, items: Iterable[Item]) -> None:
        for item in items:
            if isinstance(item, Letter):
                self._account.note(item)
                self._apply(item)
            elif isinstance(item, Overheard):
                self._ledger.heard(item.uid, item.attempt, item.heard)
            else:
                self._facts = item
                self._account.note_facts(item)
                self._read(streams_for(item, namespaces=self._task.namespaces))

    def _apply(self, letter: Letter) -> None:
        """To the ledger; one message that it cannot take must not end the following."""
        if not isinstance(letter.message, Change | Listed):
            return
        try:
            self._ledger.apply(letter.message)
        except Exception:
            logger.exception("skipped a message stream=%s", letter.stream.name)
            self._account.note_skipped(letter)

    def _all_listed(self) -> bool:
        """Whether every stream brought its list, or time enough was given to those that did not."""
        if time.monotonic() > self._began + FIRST_LISTS_S:
            return self._facts is not None
        standings = self._around.board.standings()
        waiting = (s for s, how in standings.items() if not how.denied)
        return self._facts is not None and all(s in self._account.positions for s in waiting)

    def _write(self, *, beat: bool) -> None:
        """One batch. Positions go with the facts that were seen up to them, never before."""
        now = self._task.clock()
        if beat:
            self._beat_at = time.monotonic() + BEAT_S
            self._note_step(now)
        columns = self._account.columns(self._around.board)
        if not self._settling:
            keys = self._keep(Batch(cluster=columns))
        else:
            settle = self._ledger.settle_running if beat else self._ledger.settle
            keys = self._keep(
                Batch(
                    delta=settle(now=now),
                    positions=self._account.moved(),
                    gaps=self._account.gaps(),
                    cluster=columns,
                    thresholds=self._task.thresholds,
                )
            )
            self._account.written(columns)
        if set(columns) - {"last_proof_at"}:
            keys = (*keys, self._task.lease.cluster)
        if keys:
            self._task.announcer.changed(cluster=self._task.lease.cluster, keys=keys)

    def _note_step(self, now: datetime) -> None:
        """While the server answers, open streams are in step."""
        answered_at = self._around.board.pulse.answered_at
        if answered_at is not None and (now - answered_at).total_seconds() < 2 * BEAT_S:
            self._account.still_in_step(self._around.board, at=answered_at)

    def _keep(self, batch: Batch) -> tuple[str, ...]:
        return write_patiently(
            self._task.lease, batch, clock=self._task.clock, stop=self._task.over
        )


def _left_behind(task: Task) -> Kept:
    """What the last follower left, without streams of namespaces that are no longer followed."""
    left = kept(task.lease.cluster_id, task.lease.cluster, now=task.clock())
    wanted = set(task.namespaces) or {""}
    positions = {
        stream: position
        for stream, position in left.positions.items()
        if stream.resource in WITHOUT_NAMESPACE or stream.namespace in wanted
    }
    return Kept(objects=left.objects, replicas=left.replicas, positions=positions)
