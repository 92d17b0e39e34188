"""Child processes that end with us, however we end."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

# Linux, <linux/prctl.h>: the signal that a process gets when its parent dies.
PR_SET_PDEATHSIG = 1
# `manage.py run` gives its own children six seconds.
END_WITHIN_S = 9.0
_libc = ctypes.CDLL(None, use_errno=True)


def start(argv: Sequence[str], *, environ: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start a child in a group of its own; what it says goes to `log`, afresh."""
    parent = os.getpid()

    def bind() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        return subprocess.Popen(
            argv,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            preexec_fn=bind,
        )


def end(children: Sequence[subprocess.Popen[bytes]]) -> None:
    """SIGTERM in reverse order of the start, each waited for; SIGKILL after the time."""
    for child in reversed(children):
        if child.poll() is None:
            child.terminate()
            _wait(child, until_s=time.monotonic() + END_WITHIN_S)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _wait(child: subprocess.Popen[bytes], *, until_s: float) -> None:
    while child.poll() is None and time.monotonic() < until_s:
        time.sleep(0.05)
