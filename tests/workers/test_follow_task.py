"""The task around following: it hands on, goes on itself without a broker, stops when told."""

import threading
from collections.abc import Iterator

import pytest
from kombu.exceptions import OperationalError

from fleet.errors import LeaseLost
from workers import chores, follow, stopping
from workers.schedule import SCHEDULE


class Wired:
    """Stands for `fleet.wiring`: each call of following gives the next answer."""

    def __init__(self, *answers: bool | Exception) -> None:
        self.answers = list(answers)
        self.owners: list[str] = []

    def follow_cluster(
        self, name: str, *, owner: str, deadline_s: float, over: threading.Event
    ) -> bool:
        self.owners.append(owner)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def clusters_without_follower(self) -> list[str]:
        return ["one", "two"]

    def refresh_figures(self) -> None:
        self.owners.append("refreshed")

    def prune(self) -> dict[str, int]:
        return {"cold starts": 3}


class Queue:
    """What is enqueued; away: how many of the first times the broker is not there."""

    def __init__(self, *, away: int = 0) -> None:
        self.away = away
        self.sent: list[str] = []

    def apply_async(self, args: tuple[str, float], *, expires: float, retry: bool) -> None:
        assert (expires, retry) == (follow.EXPIRES_S, False)
        if self.away:
            self.away -= 1
            raise OperationalError("away")
        self.sent.append(args[0])


def run(monkeypatch: pytest.MonkeyPatch, wired: Wired, queue: Queue) -> None:
    monkeypatch.setattr(follow, "wiring", wired)
    monkeypatch.setattr(follow.follow_cluster, "apply_async", queue.apply_async)
    follow.follow_cluster("one", 300.0)


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    yield
    stopping._stopping.clear()


def test_it_hands_on_at_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue()
    run(monkeypatch, Wired(True), queue)
    assert queue.sent == ["one"]


def test_without_a_broker_it_goes_on_itself_as_another_owner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wired, queue = Wired(True, True, True), Queue(away=2)
    run(monkeypatch, wired, queue)
    assert queue.sent == ["one"]
    assert len(set(wired.owners)) == 3


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(False, id="somebody follows already"),
        pytest.param(LeaseLost("taken"), id="the lease was lost"),
    ],
)
def test_it_leaves_it_to_the_other(
    monkeypatch: pytest.MonkeyPatch, answer: bool | Exception
) -> None:
    queue = Queue()
    run(monkeypatch, Wired(answer), queue)
    assert queue.sent == []


def test_a_worker_that_stops_does_not_hand_on_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue()
    stopping.stop_all()
    run(monkeypatch, Wired(True), queue)
    assert queue.sent == []


def test_running_tasks_are_told_and_later_ones_do_not_begin() -> None:
    with stopping.until_stopped() as over:
        assert not over.is_set()
        stopping.stop_all()
        assert over.is_set()
    with stopping.until_stopped() as late:
        assert late.is_set()


def test_the_sweep_asks_for_a_follower_for_each_cluster_that_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queue = Queue()
    monkeypatch.setattr(chores, "wiring", Wired())
    monkeypatch.setattr(follow.follow_cluster, "apply_async", queue.apply_async)
    chores.sweep()
    assert queue.sent == ["one", "two"]


def test_chores(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    wired = Wired()
    monkeypatch.setattr(chores, "wiring", wired)
    chores.refresh()
    with caplog.at_level("INFO"):
        chores.prune()
    assert wired.owners == ["refreshed"]
    assert "cold starts" in caplog.text


def test_what_beat_enqueues_expires_with_the_next_beat() -> None:
    for entry in SCHEDULE.values():
        assert entry["options"]["expires"] == entry["schedule"]
        assert entry["task"].partition(".")[0] == "workers"
