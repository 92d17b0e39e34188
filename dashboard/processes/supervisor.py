"""Keep a set of programs running; end them all, in order, when asked."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from dashboard.processes.child import Child, Program, start

logger = logging.getLogger(__name__)

# A program that ran this long had started well: its next crash waits the first pause again.
STEADY_AFTER_S = 60.0
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
LOOK_EVERY_S = 0.2
# A Celery worker ends its tasks within a second, the web server its requests within three.
END_WITHIN_S = 6.0


@dataclass(slots=True, kw_only=True)
class Kept:
    """A program, its child while one runs, and when to start the next (monotonic, s)."""

    program: Program
    child: Child | None = None
    pause_s: float = FIRST_PAUSE_S
    due_at_s: float = 0.0


@dataclass(slots=True)
class Supervisor:
    """Starts the programs in order, restarts what crashes, ends them in reverse order."""

    programs: Sequence[Program]
    stop: threading.Event = field(default_factory=threading.Event)
    kept: list[Kept] = field(init=False)

    def __post_init__(self) -> None:
        self.kept = [Kept(program=program) for program in self.programs]

    def run(self) -> None:
        """Until SIGTERM, SIGINT or `stop`. Everything it started has ended when it returns."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop.set())
        try:
            while not self.stop.is_set():
                self.look(now_s=time.monotonic())
                self.stop.wait(LOOK_EVERY_S)
        finally:
            self.end()

    def look(self, *, now_s: float) -> None:
        """Start what is due; note what has ended."""
        for kept in self.kept:
            if kept.child is not None and kept.child.code is not None:
                note_end(kept, now_s=now_s)
            if kept.child is None and now_s >= kept.due_at_s:
                kept.child = start(kept.program, now_s=now_s)
                logger.info("started process=%s pid=%d", kept.program.name, kept.child.process.pid)

    def end(self) -> None:
        """SIGTERM to all, the last started first; SIGKILL to what is left after the time."""
        children = [kept.child for kept in reversed(self.kept) if kept.child is not None]
        for child in children:
            child.ask_to_end()
        deadline = time.monotonic() + END_WITHIN_S
        while time.monotonic() < deadline and any(child.code is None for child in children):
            time.sleep(0.05)
        for child in children:
            child.signal_group(signal.SIGKILL)
            child.process.wait()


def note_end(kept: Kept, *, now_s: float) -> None:
    """The child has ended by itself: the next one is due after a pause that doubles."""
    assert kept.child is not None
    steady = now_s - kept.child.started_at_s >= STEADY_AFTER_S
    pause_s = FIRST_PAUSE_S if steady else kept.pause_s
    logger.warning(
        "ended process=%s code=%s restart_in_s=%.0f", kept.program.name, kept.child.code, pause_s
    )
    kept.child.signal_group(signal.SIGKILL)
    kept.child = None
    kept.due_at_s = now_s + pause_s
    kept.pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
