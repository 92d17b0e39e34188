"""Long tasks end within a second when their worker is told to stop."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from celery.signals import worker_shutting_down

# A signal handler may interrupt the very thread that holds it.
_lock = threading.RLock()
_running: set[threading.Event] = set()
_stopping = threading.Event()


@contextlib.contextmanager
def until_stopped() -> Iterator[threading.Event]:
    """An event for one long task: set when the worker shuts down."""
    over = threading.Event()
    with _lock:
        _running.add(over)
        if _stopping.is_set():
            over.set()
    try:
        yield over
    finally:
        with _lock:
            _running.discard(over)


def stopping() -> bool:
    """Whether this worker was told to stop."""
    return _stopping.is_set()


@worker_shutting_down.connect
def stop_all(**_: Any) -> None:
    """End every long task of this process."""
    with _lock:
        _stopping.set()
        for over in _running:
            over.set()
