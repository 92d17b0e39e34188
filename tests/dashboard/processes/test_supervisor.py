"""Processes start in order, come back after a crash, and all end with their supervisor."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from dashboard.processes.child import Program, start
from dashboard.processes.supervisor import (
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    STEADY_AFTER_S,
    Kept,
    Supervisor,
    note_end,
)

SLEEPER = ("-c", "import time; time.sleep(60)")
STUBBORN = (
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
)


def python(*arguments: str, name: str = "child", log: Path | None = None) -> Program:
    return Program(name=name, argv=(sys.executable, *arguments), environ=os.environ, log=log)


def eventually(holds: Callable[[], bool], *, within_s: float = 30.0) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.02)
    return holds()


def alive(pid: int) -> bool:
    with suppress(ProcessLookupError, FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def pids(supervisor: Supervisor) -> list[int]:
    return [kept.child.process.pid for kept in supervisor.kept if kept.child is not None]


def test_a_look_starts_every_program_once() -> None:
    supervisor = Supervisor([python(*SLEEPER), python(*SLEEPER)])
    try:
        supervisor.look(now_s=0.0)
        first = pids(supervisor)
        supervisor.look(now_s=1.0)
        assert len(first) == 2
        assert pids(supervisor) == first
    finally:
        supervisor.end()
    assert not any(alive(pid) for pid in first)


def test_a_crashed_program_comes_back_after_its_pause() -> None:
    supervisor = Supervisor([python(*SLEEPER)])
    try:
        supervisor.look(now_s=0.0)
        (first,) = pids(supervisor)
        os.kill(first, signal.SIGKILL)
        assert eventually(lambda: not alive(first))
        supervisor.look(now_s=1.0)
        assert pids(supervisor) == []
        supervisor.look(now_s=1.0 + FIRST_PAUSE_S)
        assert pids(supervisor) not in ([], [first])
    finally:
        supervisor.end()


@pytest.mark.parametrize(
    ("ran_s", "pause_s", "waits_s", "next_pause_s"),
    [
        pytest.param(0.5, 1.0, 1.0, 2.0, id="the first crash waits a second"),
        pytest.param(0.5, 8.0, 8.0, 16.0, id="each further crash waits twice as long"),
        pytest.param(0.5, 30.0, 30.0, LONGEST_PAUSE_S, id="but never over half a minute"),
        pytest.param(STEADY_AFTER_S, 30.0, 1.0, 2.0, id="a steady run is forgiven"),
    ],
)
def test_the_pause_before_a_restart(
    ran_s: float, pause_s: float, waits_s: float, next_pause_s: float
) -> None:
    child = start(python("-c", ""), now_s=100.0)
    child.process.wait()
    kept = Kept(program=child.program, child=child, pause_s=pause_s)
    note_end(kept, now_s=100.0 + ran_s)
    assert kept.child is None
    assert kept.due_at_s == pytest.approx(100.0 + ran_s + waits_s)
    assert kept.pause_s == next_pause_s


def test_a_program_that_ignores_the_request_to_end_is_killed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("dashboard.processes.supervisor.END_WITHIN_S", 0.5)
    ready = tmp_path / "ready"
    script = f"{STUBBORN[1].replace('time.sleep', f'open({str(ready)!r}, chr(120)); time.sleep')}"
    supervisor = Supervisor([python("-c", script)])
    supervisor.look(now_s=0.0)
    (pid,) = pids(supervisor)
    assert eventually(ready.exists)
    supervisor.end()
    assert not alive(pid)


def test_what_is_given_reaches_standard_input_and_the_log_gets_the_output(tmp_path: Path) -> None:
    log = tmp_path / "child.log"
    program = Program(
        name="reader",
        argv=(sys.executable, "-c", "import sys; print(sys.stdin.read().upper())"),
        environ=os.environ,
        given=b"secret",
        log=log,
    )
    child = start(program, now_s=0.0)
    assert child.process.wait(timeout=30) == 0
    assert log.read_text() == "SECRET\n"
    assert "secret" not in repr(program)


def test_children_die_when_their_supervisor_is_killed() -> None:
    code = (
        "import os, sys, time\n"
        "from dashboard.processes.child import Program, start\n"
        f"child = start(Program(name='c', argv=(sys.executable, *{SLEEPER!r}), "
        "environ=os.environ), now_s=0.0)\n"
        "print(child.process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
    assert eventually(lambda: not alive(pid))
