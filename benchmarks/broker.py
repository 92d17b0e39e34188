"""A broker of a benchmark's own."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis, RedisError

from dashboard.processes.broker import binary, config, free_port

READY_WITHIN_S = 10.0
ENDS_WITHIN_S = 10.0
PASSWORD = "bench"


@contextmanager
def broker() -> Iterator[str]:
    """The URL of an embedded broker; it ends with the block."""
    with tempfile.TemporaryDirectory(prefix="pilotlight-bench-") as folder:
        port = free_port()
        child = subprocess.Popen([str(binary()), "-"], stdin=subprocess.PIPE)
        try:
            given = config(port=port, password=PASSWORD, folder=Path(folder))
            assert child.stdin is not None
            child.stdin.write(given)
            child.stdin.close()
            url = f"redis://:{PASSWORD}@127.0.0.1:{port}/0"
            _wait(url)
            yield url
        finally:
            child.terminate()
            child.wait(ENDS_WITHIN_S)


def _wait(url: str) -> None:
    until = time.monotonic() + READY_WITHIN_S
    with Redis.from_url(url) as redis:
        while True:
            try:
                redis.ping()
                return
            except RedisError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
