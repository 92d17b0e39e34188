"""`demo.json`: where the running demo is and how to sign in; only one demo at a time."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


class AlreadyRunning(Exception):
    """Another demo runs from this folder; the text is its URL, or says that it starts."""


@contextmanager
def only_demo(state: Path) -> Iterator[Path]:
    """Hold the folder for one demo; yields the path of `demo.json`, absent before and after."""
    state.mkdir(parents=True, exist_ok=True)
    record = state / "demo.json"
    with (state / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(_url(record)) from None
        record.unlink(missing_ok=True)
        try:
            yield record
        finally:
            record.unlink(missing_ok=True)


def _url(record: Path) -> str:
    with suppress(OSError, ValueError, KeyError):
        return f"the demo already runs at {json.loads(record.read_text())['url']}"
    return "the demo is already starting"


def write(record: Path, content: dict[str, Any]) -> None:
    """All of it or nothing, readable for this account alone."""
    draft = record.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(content, file, indent=1)
    draft.rename(record)
