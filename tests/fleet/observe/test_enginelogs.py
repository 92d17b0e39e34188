"""Reading logs beside the follower: what is new, what comes again, what is refused."""

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from fleet.domain.coldstart.heard import Run, log_of
from fleet.domain.enginelog.parser import EngineLog
from fleet.domain.ledger.listening import LogWanted
from fleet.errors import ClusterUnreachable, FleetError, Forbidden
from fleet.observe import enginelogs
from fleet.observe.enginelogs import EngineLogs, Tape
from fleet.observe.inbox import Inbox, Overheard

WANTED = LogWanted(
    uid="pod-1",
    attempt=0,
    namespace="chat",
    pod="llama-1",
    container="kserve-container",
    run=0,
    started_at=None,
    is_last=False,
)
AGAIN = replace(WANTED, run=1)
LAST = replace(WANTED, is_last=True)
LINES = (
    "2026-11-30T09:00:01.5Z (A pid=1) Compiling a graph for compile range (1, 8) takes 2.00 s",
    "2026-11-30T09:00:01.5Z (A pid=1) Compiling a graph for compile range (9, 16) takes 3.00 s",
    "2026-11-30T09:00:02.5Z (A pid=1) INFO:     Application startup complete.",
)
OOM = "2026-11-30T09:00:00Z torch.OutOfMemoryError: CUDA out of memory."


class Kubelet:
    """A LogReader: gives what it holds from the second asked for, or raises."""

    def __init__(
        self,
        *lines: str,
        before: Sequence[str] = (),
        error: FleetError | None = None,
        denied: str = "",
    ):
        self.denied = denied
        self.held = list(lines)
        self.before = before
        self.error = error
        self.asked: list[tuple[float | None, bool]] = []

    def lines(
        self,
        *,
        namespace: str,
        pod: str,
        container: str,
        since: float | None,
        previous: bool,
        at_most: int,
    ) -> Sequence[str]:
        self.asked.append((since, previous))
        if namespace == self.denied:
            raise Forbidden("no", status=403)
        if self.error is not None:
            raise self.error
        return self.before if previous else self.held

    def close(self) -> None:
        return None


class Listening:
    """EngineLogs with one thread, and what it brought."""

    def __init__(self, kubelet: Kubelet) -> None:
        self.kubelet = kubelet
        self.stop = threading.Event()
        self.inbox = Inbox()
        self.logs = EngineLogs(
            kubelet, inbox=self.inbox, stop=self.stop, clock=lambda: datetime.now(UTC)
        )
        self.thread = threading.Thread(target=self.logs.run, daemon=True)
        self.thread.start()

    def next(self, *, within_s: float = 30.0) -> Overheard:
        """The next that is heard."""
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            for item in self.inbox.take(within_s=0.05):
                assert isinstance(item, Overheard)
                return item
        raise AssertionError("nothing was heard")

    def asked(self, times: int) -> None:
        """Wait until the kubelet was asked so often."""
        until = time.monotonic() + 30.0
        while len(self.kubelet.asked) < times:
            assert time.monotonic() < until, f"asked {self.kubelet.asked}"
            self.stop.wait(0.01)

    def end(self) -> None:
        self.stop.set()
        self.thread.join(30.0)
        assert not self.thread.is_alive()


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enginelogs, "READ_EVERY_S", 0.05)
    monkeypatch.setattr(enginelogs, "IDLE_S", 0.01)
    monkeypatch.setattr(enginelogs, "wait_s", lambda failures: 0.05)


def tape(wanted: LogWanted = WANTED) -> Tape:
    return Tape(wanted, EngineLog())


@pytest.mark.parametrize(
    "readings",
    [
        pytest.param([LINES], id="at once"),
        pytest.param([LINES[:1], LINES[:2], LINES], id="each reading brings all again"),
        pytest.param([LINES[:1], LINES[:2], LINES[1:]], id="two lines of one moment"),
        pytest.param([LINES, LINES, LINES[2:]], id="nothing new"),
    ],
)
def test_lines_count_once_however_often_they_come(readings: list[Sequence[str]]) -> None:
    one = tape()
    for lines in readings:
        one.take(lines)
    witness = one.heard(by=0.0).witness
    assert (witness.printed, witness.complete) == ({"compile_graph": 5.0}, True)


def test_what_is_heard_is_told_once() -> None:
    listening = Listening(Kubelet(*LINES[:1]))
    listening.logs.want([WANTED])
    first = listening.next()
    listening.asked(4)
    listening.kubelet.held.extend(LINES[1:])
    second = listening.next()
    listening.end()
    assert (first.uid, first.attempt, first.heard.witness.complete) == ("pod-1", 0, False)
    assert second.heard.witness.complete
    assert not second.heard.done
    began, then = listening.kubelet.asked[0], listening.kubelet.asked[-1]
    assert began == (None, False)
    assert then[0] is not None


def test_the_last_reading_is_done_at_once() -> None:
    listening = Listening(Kubelet(*LINES))
    listening.logs.want([LAST])
    heard = listening.next().heard
    listening.end()
    assert heard.done


def test_after_a_restart_it_is_read_why_the_run_before_ended() -> None:
    listening = Listening(Kubelet(*LINES[:1], before=[OOM]))
    listening.logs.want([AGAIN])
    heard = listening.next().heard
    listening.end()
    assert (heard.run, heard.failure) == (1, "cuda_oom")
    assert heard.reason == "cuda_oom: torch.OutOfMemoryError: CUDA out of memory."
    assert listening.kubelet.asked[0] == (None, True)


def test_a_missing_right_is_not_asked_for_again_and_again() -> None:
    listening = Listening(Kubelet(error=Forbidden("no", status=403)))
    listening.logs.want([WANTED])
    listening.asked(1)
    listening.stop.wait(0.3)
    listening.end()
    assert len(listening.kubelet.asked) == 1


def test_a_right_that_is_missing_in_one_namespace_blinds_no_other() -> None:
    kubelet = Kubelet(*LINES, denied="secret")
    listening = Listening(kubelet)
    listening.logs.want([replace(WANTED, uid="pod-2", namespace="secret")])
    listening.asked(1)
    listening.logs.want([replace(WANTED, uid="pod-2", namespace="secret"), WANTED])
    assert listening.next().uid == "pod-1"
    listening.end()


def test_a_long_log_is_read_to_its_end_though_the_start_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(enginelogs, "FULL_BYTES", len(LINES[0]) + len(LINES[1]))
    one = tape(LAST)
    one.take(LINES[:2])
    assert not one.heard(by=0.0).done
    one.take(LINES[2:])
    assert one.heard(by=0.0).done


def test_a_second_that_fills_a_whole_reading_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enginelogs, "FULL_BYTES", 10)
    one = tape()
    one.take(LINES[:2])
    one.take(LINES[:2])
    heard = one.heard(by=0.0)
    assert (heard.cut, heard.done) == (True, True)


def test_silence_is_told_once_it_lasts() -> None:
    one = tape()
    one.take(LINES[:1])
    assert one.heard(by=0.0).witness.last_at is None
    one.new_at -= enginelogs.SILENT_S
    heard = one.heard(by=0.0)
    assert heard.witness.last_at == datetime(2026, 11, 30, 9, 0, 1, 500_000, UTC).timestamp()
    log = log_of(heard)
    assert log is not None
    assert log["silent_since"] == "2026-11-30T09:00:01.500Z"


def test_a_restart_says_how_the_run_before_went() -> None:
    before = ["2026-11-30T08:59:30Z INFO 11-30 08:59:30 [a.py:1] vLLM API server version 0", OOM]
    listening = Listening(Kubelet(*LINES[:1], before=before))
    listening.logs.want([AGAIN])
    heard = listening.next().heard
    listening.end()
    why = "torch.OutOfMemoryError: CUDA out of memory."
    assert heard.runs == (Run(0, "cuda_oom", why, 30.0),)


def test_a_kubelet_out_of_reach_is_asked_again() -> None:
    kubelet = Kubelet(*LINES, error=ClusterUnreachable("no"))
    listening = Listening(kubelet)
    listening.logs.want([WANTED])
    listening.asked(3)
    kubelet.error = None
    assert listening.next().heard.witness.complete
    listening.end()


def test_what_is_not_wanted_any_more_is_left_alone() -> None:
    listening = Listening(Kubelet(*LINES))
    listening.logs.want([WANTED])
    listening.next()
    listening.logs.want([])
    listening.stop.wait(0.1)
    asked = len(listening.kubelet.asked)
    listening.stop.wait(0.3)
    listening.end()
    assert len(listening.kubelet.asked) <= asked + 1
