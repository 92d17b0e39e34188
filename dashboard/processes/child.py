"""One child process that never outlives its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

# Linux, <linux/prctl.h>: the signal that a process gets when its parent dies.
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What to run. `environ` is the whole environment; `given` goes to its standard input."""

    name: str
    argv: tuple[str, ...]
    environ: Mapping[str, str] = field(repr=False)
    given: bytes = field(default=b"", repr=False)
    log: Path | None = None


@dataclass(slots=True, kw_only=True)
class Child:
    """A running program. It leads a process group of its own, so Ctrl-C reaches us first."""

    program: Program
    process: subprocess.Popen[bytes]
    started_at_s: float

    @property
    def code(self) -> int | None:
        """The exit code (minus the signal's number if one ended it); None while it runs."""
        return self.process.poll()

    def signal_group(self, number: signal.Signals) -> None:
        """Signal the child and whatever it started; nothing when all are gone."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def ask_to_end(self) -> None:
        """SIGTERM to the child alone: it ends its own children in its own order."""
        if self.code is None:
            self.process.terminate()


def start(program: Program, *, now_s: float) -> Child:
    """Start `program`; OSError when it cannot be run."""
    log = None if program.log is None else program.log.open("ab")
    try:
        process = subprocess.Popen(
            program.argv,
            env=dict(program.environ),
            stdin=subprocess.PIPE if program.given else subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=dies_with(os.getpid()),
        )
    finally:
        if log is not None:
            log.close()
    _hand_over(process, program.given)
    return Child(program=program, process=process, started_at_s=now_s)


def dies_with(parent: int) -> Callable[[], None]:
    """For `preexec_fn`: the child gets SIGTERM when process `parent` dies, however it dies."""

    def bind() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return bind


def _hand_over(process: subprocess.Popen[bytes], given: bytes) -> None:
    if process.stdin is None:
        return
    with suppress(BrokenPipeError):
        process.stdin.write(given)
        process.stdin.close()
