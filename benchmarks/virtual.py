"""A simulated cluster that lives in virtual time, followed as the product follows a real one.

Messages come a little after their commits, each watch in its own order; servers' logs are read
while a start is under way. No process, no socket, no sleeping: hours pass in seconds.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from fleet.adapters.kubernetes.parse.stream import Recording
from fleet.domain.coldstart.heard import Run, run_of
from fleet.domain.coldstart.start import ColdStart
from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.ledger.ledger import Ledger
from fleet.domain.ledger.listening import LogWanted
from fleet.observe.enginelogs import READ_EVERY_S, Tape
from simulator.api.logs import LogOptions, log_bytes
from simulator.store.json_values import JsonObject
from simulator.world.recording import line, watch
from simulator.world.world import World

# A follower settles about this often.
SETTLE_S = 0.25
# Starts that run are looked at again this often, though nothing came; their logs that often.
RUNNING_S = 10.0
LISTEN_S = 0.5
# From a commit to its message, as watches on a busy API server show.
LATE_S = (0.004, 0.09)


@dataclass(slots=True)
class Wire:
    """The watches of a cluster: each in order, among each other by chance."""

    chance: random.Random
    _due: list[tuple[datetime, int, str]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)
    _last: dict[str, datetime] = field(default_factory=dict)

    def tell(self, moment: datetime, resource: str, kind: str, obj: JsonObject) -> None:
        late = timedelta(seconds=self.chance.uniform(*LATE_S))
        arrives = max(moment + late, self._last.get(resource, moment))
        self._last[resource] = arrives
        heapq.heappush(self._due, (arrives, next(self._order), line(arrives, resource, kind, obj)))

    def come(self, now: datetime) -> Iterator[bytes]:
        """Messages that have arrived, in the order of their coming."""
        while self._due and self._due[0][0] <= now:
            yield heapq.heappop(self._due)[2].encode()


@dataclass
class Follower:
    """What the product makes of one world, kept up to date as the world lives.

    starts: by replica uid and attempt. lines: every message, where somebody wants to keep them.
    """

    world: World
    ledger: Ledger
    starts: dict[tuple[str, int], ColdStart] = field(default_factory=dict)
    lines: list[bytes] | None = None
    recording: Recording = field(default_factory=Recording)
    _tapes: dict[str, Tape] = field(default_factory=dict)
    _read_at: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.wire = Wire(random.Random(self.world.plan.seed))
        watch(self.world, self.wire.tell)

    def live(self, seconds: float) -> None:
        """The world goes on for some seconds, and is followed."""
        until = self.world.timeline.now() + timedelta(seconds=seconds)
        while (now := self.world.timeline.now()) < until:
            self.world.timeline.run_until(now + timedelta(seconds=SETTLE_S))
            self._follow()

    def end(self) -> None:
        """All that has come; every start is said again as of now."""
        self._keep(self.ledger.settle_all(now=self.world.timeline.now()).starts)

    def _follow(self) -> None:
        now = self.world.timeline.now()
        come = list(self.wire.come(now))
        if self.lines is not None:
            self.lines.extend(come)
        for message in self.recording.messages(come):
            self.ledger.apply(message)
        if now.timestamp() % LISTEN_S == 0.0:
            self._listen(now)
        if now.timestamp() % RUNNING_S == 0.0:
            self._keep(self.ledger.settle_running(now=now).starts)
        elif come or now.timestamp() % LISTEN_S == 0.0:
            self._keep(self.ledger.settle(now=now).starts)

    def _keep(self, starts: tuple[ColdStart, ...]) -> None:
        self.starts |= {(start.replica_uid, start.attempt): start for start in starts}

    def _listen(self, now: datetime) -> None:
        wanted = self.ledger.logs_wanted(now=now)
        for uid in self._tapes.keys() - {each.uid for each in wanted}:
            del self._tapes[uid], self._read_at[uid]
        for each in wanted:
            known = self._tapes.get(each.uid)
            ends = known is not None and each.is_last and not known.wanted.is_last
            if ends or now.timestamp() - self._read_at.get(each.uid, 0.0) >= READ_EVERY_S:
                self._read_at[each.uid] = now.timestamp()
                self._read(each, now.timestamp())

    def _read(self, wanted: LogWanted, now: float) -> None:
        tape = self._tapes.get(wanted.uid)
        run = (wanted.run, wanted.attempt)
        if tape is None or (tape.wanted.run, tape.wanted.attempt) != run:
            tape = Tape(wanted, EngineLog(started_at=wanted.started_at))
            tape.before = self._before(wanted) if wanted.run else None
            self._tapes[wanted.uid] = tape
        tape.wanted = wanted
        tape.take(self._lines(wanted, since=tape.last_at, previous=False))
        self.ledger.heard(wanted.uid, wanted.attempt, tape.heard(by=now))

    def _before(self, wanted: LogWanted) -> Run:
        earlier = EngineLog()
        earlier.feed_all(self._lines(wanted, since=None, previous=True))
        return run_of(wanted.run - 1, earlier.witness())

    def _lines(self, wanted: LogWanted, *, since: float | None, previous: bool) -> list[str]:
        """As the API server gives them: whole seconds of `since` come again."""
        lines = self.world.kubelet.log(wanted.uid, wanted.container, previous=previous) or []
        options = replace(
            _STAMPED,
            container=wanted.container,
            since=datetime.fromtimestamp(int(since), UTC) if since is not None else None,
        )
        return log_bytes(lines, options).decode().split("\n")[:-1]


_STAMPED = LogOptions(
    container="",
    previous=False,
    follow=False,
    timestamps=True,
    tail=None,
    since=None,
    limit_bytes=None,
)
