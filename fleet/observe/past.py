"""Read a recorded past of a cluster as if it happened now: the same ledger, the same rows.

It goes beside a live follower: see fleet/history/past.py for what is written when.
"""

import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from fleet.domain.coldstart.start import ColdStart, Outcome
from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.ledger.delta import Delta, KeptObject, ReplicaRow, RevisionRow
from fleet.domain.ledger.ledger import Ledger
from fleet.domain.ledger.listening import LogWanted
from fleet.domain.ledger.settings import LedgerSettings
from fleet.domain.records.change import Change, Listed
from fleet.domain.records.keys import Resource
from fleet.errors import BadInput
from fleet.history.past import (
    Living,
    Reading,
    begin_past,
    ended,
    fail_past,
    hand_over,
    is_followed,
    write_past,
)
from fleet.observe.enginelogs import Tape
from fleet.ports import Announcer, PastBegin, PastEnd, PastMessage, PastReader, SaidLog, StopFlag

logger = logging.getLogger(__name__)

# Measured this often, in messages: some starts' worth, so that what went is still remembered.
SETTLE_EVERY = 400
# Written this often: short transactions, between which live followers write theirs.
WRITE_EVERY_S = 0.5
# A cluster is added, and its lists are taken, by other processes, soon after they began.
AWAITED_S = 120.0
LOOK_EVERY_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTask:
    """What reading one past takes. stop: set from outside to end after the message at hand."""

    past: PastReader
    announcer: Announcer
    clock: Callable[[], datetime]
    stop: StopFlag
    settings: LedgerSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRead:
    """What came of it. state: done (its watches handed over), apart (of another cluster of that
    name: only what ended was kept), known (was read before), stopped."""

    cluster: str
    state: str
    starts: int = 0
    messages: int = 0
    skipped: int = 0


def read_past(task: PastTask) -> PastRead:
    """Read one past to its end.

    Raises BadInput when it is no past, breaks off, or the cluster is unknown; LeaseLost when
    somebody else began to read it. What was read until then stays; a second time doubles nothing.
    """
    begun = task.past.begin()
    reading = _claim(task, begun)
    if reading is None:
        return PastRead(cluster=begun.cluster, state="known")
    try:
        return PastFollower(task, reading).run()
    except BadInput as error:
        fail_past(reading, str(error))
        raise


def _claim(task: PastTask, begun: PastBegin) -> Reading | None:
    """The right to write; waits for the cluster to be added. None if this past was read."""
    by, until = uuid.uuid4().hex[:12], time.monotonic() + AWAITED_S
    while True:
        try:
            return begin_past(
                begun.cluster,
                by=by,
                since=begun.since,
                until=begun.until,
                simulated=begun.simulated,
            )
        except BadInput:
            if time.monotonic() > until or task.stop.wait(LOOK_EVERY_S):
                raise


@dataclass(slots=True)
class Lives:
    """What lives at the moment that was read to, each as last said."""

    resources: set[Resource] = field(default_factory=set)
    objects: dict[str, KeptObject] = field(default_factory=dict)
    replicas: dict[str, ReplicaRow] = field(default_factory=dict)
    revisions: dict[str, RevisionRow] = field(default_factory=dict)
    starts: dict[str, dict[int, ColdStart]] = field(default_factory=dict)

    def take(self, delta: Delta) -> None:
        """Keep what lives, drop what ended."""
        for kept in delta.objects:
            self.objects[kept.uid] = kept
            if kept.record is None:
                del self.objects[kept.uid]
        for start in delta.starts:
            self.starts.setdefault(start.replica_uid, {})[start.attempt] = start
        for replica in delta.replicas:
            self.replicas[replica.uid] = replica
            if replica.gone_at is not None:
                del self.replicas[replica.uid]
                self.starts.pop(replica.uid, None)
        for revision in delta.revisions:
            self.revisions[revision.uid] = revision
            if revision.gone_at is not None:
                del self.revisions[revision.uid]

    def living(self) -> Living:
        """All of it."""
        return Living(
            resources=frozenset(self.resources),
            objects=tuple(self.objects.values()),
            replicas=tuple(self.replicas.values()),
            revisions=tuple(self.revisions.values()),
            starts=tuple(s for starts in self.starts.values() for s in starts.values()),
        )


class PastFollower:
    """Folds one past; the one writer of its rows."""

    def __init__(self, task: PastTask, reading: Reading) -> None:
        self._task = task
        self._reading = reading
        self._ledger = Ledger(reading.cluster, settings=task.settings)
        self._lives = Lives()
        self._deltas: list[Delta] = []
        self._found: set[tuple[str, int]] = set()
        self._messages = 0
        self._odd = 0
        self._write_at = 0.0

    def run(self) -> PastRead:
        """To the end of the past, or until stopped."""
        end: PastEnd | None = None
        try:
            for message in self._task.past.messages():
                if self._task.stop.is_set():
                    break
                end = message if isinstance(message, PastEnd) else None
                self._take(message)
                if end is not None and end.goes_on:
                    self._write(read_to=end.at)
                    self._await_follower()
        finally:
            self._write()
        if self._task.stop.is_set():
            return self._result("stopped")
        if end is None:
            raise BadInput(
                f"the past of {self._reading.cluster} has no end: it was not written out"
            )
        return self._result(self._hand_over(end))

    def _take(self, message: PastMessage) -> None:
        if isinstance(message, PastEnd):
            self._settle(message.at, last=not message.goes_on)
            return
        self._messages += 1
        try:
            self._apply(message)
        except Exception:
            # One hostile object must not end the reading.
            logger.exception("skipped a message cluster=%s", self._reading.cluster)
            self._odd += 1
        if self._messages % SETTLE_EVERY == 0:
            self._settle(message.received_at)
            if time.monotonic() >= self._write_at:
                self._write(read_to=message.received_at)

    def _apply(self, message: Change | Listed | SaidLog) -> None:
        if isinstance(message, SaidLog):
            self._hear(message)
            return
        if isinstance(message, Listed):
            self._lives.resources.add(message.resource)
        self._ledger.apply(message)

    def _hear(self, said: SaidLog) -> None:
        """What the ledger would have had read at this moment."""
        for wanted in self._ledger.logs_wanted(now=said.received_at):
            if (wanted.uid, wanted.container) == (said.uid, said.container):
                self._overhear(wanted, said)

    def _overhear(self, wanted: LogWanted, said: SaidLog) -> None:
        tape = Tape(wanted, EngineLog(started_at=wanted.started_at))
        tape.take(said.lines)
        heard = tape.heard(by=said.received_at.timestamp())
        self._ledger.heard(wanted.uid, wanted.attempt, heard)

    def _settle(self, at: datetime, *, last: bool = False) -> None:
        """Measure what was touched. At the end, everything that still runs as well."""
        settle = self._ledger.settle_all if last else self._ledger.settle_running
        delta = settle(now=at)
        self._lives.take(delta)
        self._deltas.append(ended(delta))
        self._found |= {
            (s.replica_uid, s.attempt) for s in delta.starts if s.outcome is not Outcome.RUNNING
        }

    def _write(self, *, read_to: datetime | None = None) -> None:
        """One short transaction with what ended since the last one."""
        self._write_at = time.monotonic() + WRITE_EVERY_S
        delta, self._deltas = _joined(self._deltas), []
        told: dict[str, object] = self._told()
        if read_to is not None:
            told["read_to"] = read_to.isoformat()
        keys = write_past(self._reading, delta, now=self._task.clock(), **told)
        self._announce(keys)

    def _await_follower(self) -> None:
        """Before anything is handed over there must be somebody who has taken the lists."""
        until = time.monotonic() + AWAITED_S
        while not is_followed(self._reading) and time.monotonic() < until:
            if self._task.stop.wait(LOOK_EVERY_S):
                return

    def _hand_over(self, end: PastEnd) -> str:
        self._await_follower()
        own = hand_over(
            self._reading,
            self._lives.living(),
            at=end.at,
            resource_version=end.resource_version,
            now=self._task.clock(),
            read_to=end.at.isoformat(),
            **self._told(),
        )
        self._announce(())
        return "done" if own else "apart"

    def _told(self) -> dict[str, object]:
        return {"starts": len(self._found), "skipped": self._skipped}

    @property
    def _skipped(self) -> int:
        return self._task.past.skipped + self._odd

    def _announce(self, keys: tuple[str, ...]) -> None:
        cluster = self._reading.cluster
        self._task.announcer.changed(cluster=cluster, keys=(*keys, cluster))

    def _result(self, state: str) -> PastRead:
        return PastRead(
            cluster=self._reading.cluster,
            state=state,
            starts=len(self._found),
            messages=self._messages,
            skipped=self._skipped,
        )


def _joined(deltas: list[Delta]) -> Delta:
    """One delta of many; of rows with one identity the last counts when they are written."""
    return Delta(
        revisions=tuple(row for delta in deltas for row in delta.revisions),
        replicas=tuple(row for delta in deltas for row in delta.replicas),
        starts=tuple(row for delta in deltas for row in delta.starts),
        scale_events=tuple(row for delta in deltas for row in delta.scale_events),
        probe_failures=tuple(row for delta in deltas for row in delta.probe_failures),
    )
