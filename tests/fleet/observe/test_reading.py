"""One stream's reading against a reader that is told what to do: when it lists, goes on, waits,
distrusts, gives up."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from fleet.domain.records.change import Listed
from fleet.domain.records.keys import Resource
from fleet.errors import ClusterUnreachable, Forbidden, NotThere, TooOld
from fleet.history.streams import Position, Stream
from fleet.observe.board import Board
from fleet.observe.inbox import Inbox, Letter
from fleet.observe.reading import StreamReading, Surroundings
from fleet.observe.tending import keep_pulse, look_once
from fleet.ports import Bookmark, ClusterFacts, Message
from tests.fleet.history.samples import NOW, ago

NODES, EVENTS = Stream(Resource.NODES), Stream(Resource.EVENTS)
KEPT = Position(resource_version="5", in_step_at=ago(minutes=1))
FACTS = ClusterFacts(kubernetes="1", kserve=None, knative=None, served=(), missing=())
OPENED = ""


class Told:
    """A stop flag that is set after so many waits, and remembers them."""

    def __init__(self, waits: int) -> None:
        self.left = waits
        self.waited: list[float] = []

    def is_set(self) -> bool:
        return self.left <= 0

    def wait(self, timeout: float | None = None) -> bool:
        self.waited.append(timeout or 0.0)
        self.left -= 1
        return self.is_set()


@dataclass
class Scripted:
    """A reader. watches: what each watch does in turn: versions of bookmarks, then perhaps an
    error; its clock moves by `lives` with each watch."""

    watches: list[Sequence[str | Exception]]
    stop: Told
    lives: timedelta = timedelta(seconds=1)
    lists: int = 0
    since: list[str] = field(default_factory=list)
    now: datetime = NOW

    def clock(self) -> datetime:
        return self.now

    def list(self, resource: Resource, **_: Any) -> Listed:
        self.lists += 1
        return Listed(
            resource=resource, records=(), received_at=self.now, resource_version=f"L{self.lists}"
        )

    def watch(self, resource: Resource, *, since: str, **_: Any) -> Iterator[Message]:
        self.since.append(since)
        script = self.watches.pop(0) if self.watches else []
        if not self.watches:
            self.stop.left = 0
        for step in script:
            if isinstance(step, Exception):
                self.now += self.lives
                raise step
            yield Bookmark(resource=resource, resource_version=step, received_at=self.now)
        self.now += self.lives

    def get(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    def look(self, **_: Any) -> ClusterFacts:
        return FACTS

    def pulse(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


def read(
    *watches: Sequence[str | Exception],
    stream: Stream = NODES,
    start: Position | None = KEPT,
    lives_s: float = 1.0,
) -> tuple[Scripted, Board, list[Message], Told]:
    """Run a reading through these watches."""
    stop = Told(waits=20)
    reader = Scripted([*watches, []], stop, lives=timedelta(seconds=lives_s))
    inbox, board = Inbox(), Board()
    around = Surroundings(
        reader=reader,
        inbox=inbox,
        board=board,
        stop=stop,
        clock=reader.clock,
        draw=lambda low, _: low,
    )
    StreamReading(stream, around=around, start=start).run()
    letters = inbox.take(within_s=0.01)
    return reader, board, [item.message for item in letters if isinstance(item, Letter)], stop


def test_without_a_position_it_lists_first_and_watches_from_there() -> None:
    reader, _, messages, _ = read([OPENED, "8"], start=None)
    assert reader.since == ["L1", "8"]
    assert isinstance(messages[0], Listed)
    assert messages[0].unseen_since is None


def test_with_a_position_it_goes_on_without_a_list() -> None:
    reader, _, messages, _ = read([OPENED, "8"], [OPENED, "9"])
    assert (reader.lists, reader.since) == (0, ["5", "8", "9"])
    assert [m.resource_version for m in messages if isinstance(m, Bookmark)] == ["8", "9"]


def test_a_410_lists_again_and_says_since_when_nothing_was_seen() -> None:
    reader, _, messages, _ = read([OPENED, TooOld("", status=410)], [OPENED])
    assert (reader.lists, reader.since[:2]) == (1, ["5", "L1"])
    assert isinstance(messages[0], Listed)
    assert messages[0].unseen_since == NOW


def test_410s_in_a_row_are_waited_for_longer_and_longer() -> None:
    storm = [[TooOld("", status=410)] for _ in range(5)]
    _, _, _, stop = read(*storm)
    assert stop.waited[0] == 0.0
    assert stop.waited[1:] == sorted(stop.waited[1:])
    assert stop.waited[-1] > 2


def test_a_steady_watch_forgets_old_failures() -> None:
    broken: list[str | Exception] = [OPENED, ClusterUnreachable("cut")]
    _, _, _, stop = read(broken, broken, broken, lives_s=60.0)
    assert stop.waited == [0.25, 0.25, 0.25]


def test_a_broken_watch_goes_on_where_it_was() -> None:
    reader, board, _, _ = read([OPENED, "8", ClusterUnreachable("cut")], [OPENED])
    assert (reader.lists, reader.since[:2]) == (0, ["5", "8"])
    assert not board.standings()[NODES].open


@pytest.mark.parametrize(
    ("stream", "script", "lists"),
    [
        pytest.param(NODES, [OPENED], 1, id="two minutes of silence: the version is distrusted"),
        pytest.param(NODES, [OPENED, "8"], 0, id="a bookmark came"),
        pytest.param(EVENTS, [OPENED], 0, id="Events get no bookmarks"),
    ],
)
def test_a_silent_watch(stream: Stream, script: list[str], lists: int) -> None:
    reader, _, _, _ = read(script, [OPENED, "9"], stream=stream, lives_s=120.0)
    assert reader.lists == lists


@pytest.mark.parametrize("error", [Forbidden("no", status=403), NotThere("no", status=404)])
def test_what_is_denied_is_not_tried_again(error: Exception) -> None:
    reader, board, _, stop = read([error], [OPENED])
    assert reader.since == ["5"]
    assert board.standings()[NODES].denied
    assert stop.waited == []


def test_an_error_that_nobody_foresaw_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    reader, _, _, _ = read([OPENED, KeyError("?")], [OPENED])
    assert len(reader.since) == 3
    assert "failed stream=nodes" in caplog.text


class Sick(Scripted):
    """Fails to answer the first times."""

    errors: list[Exception]

    def pulse(self) -> None:
        self._fail()

    def look(self, **_: Any) -> ClusterFacts:
        self._fail()
        return FACTS

    def _fail(self) -> None:
        if self.errors:
            raise self.errors.pop(0)


def tend(run: Callable[[Surroundings], None], *errors: Exception) -> tuple[Board, Inbox, Told]:
    stop = Told(waits=len(errors) + 1)
    reader = Sick([], stop)
    reader.errors = list(errors)
    around = Surroundings(
        reader=reader, inbox=Inbox(), board=Board(), stop=stop, clock=reader.clock
    )
    run(around)
    return around.board, around.inbox, stop


def test_the_pulse_says_what_is_wrong_until_it_is_right() -> None:
    board, _, _ = tend(keep_pulse, ClusterUnreachable("gone"), KeyError("?"))
    assert board.pulse.answered_at == NOW
    assert board.pulse.trouble == ""


def test_the_first_look_is_tried_until_it_was_possible() -> None:
    _, inbox, stop = tend(
        lambda around: look_once(around, namespaces=()), ClusterUnreachable("gone"), KeyError("?")
    )
    assert inbox.take(within_s=0.01) == [FACTS]
    assert len(stop.waited) == 2


def test_a_real_event_is_a_stop_flag() -> None:
    event = threading.Event()
    event.set()
    around = Surroundings(
        reader=Scripted([], Told(1)), inbox=Inbox(), board=Board(), stop=event, clock=lambda: NOW
    )
    StreamReading(NODES, around=around, start=None).run()
    assert around.inbox.take(within_s=0.01) == []
