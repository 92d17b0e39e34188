"""Beat as a thread of a worker enqueues what is due, on a real broker, and stops."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from redis import Redis

APP = """
from celery import Celery
from workers import beat

app = Celery("tried", broker={url!r})
app.conf.beat_schedule = {{
    "tick": {{"task": "tick", "schedule": 0.2, "options": {{"queue": "elsewhere"}}}}
}}
beat.install(app)
"""


def test_a_worker_with_beat_enqueues_and_ends(redis: str, tmp_path: Path) -> None:
    (tmp_path / "tried.py").write_text(APP.format(url=redis))
    command = (*(sys.executable, "-m", "celery", "-A", "tried:app", "worker"), "--with-beat")
    quiet = ("-P", "threads", "-c", "1", "--without-gossip", "--without-mingle", "-l", "ERROR")
    worker = subprocess.Popen(
        (*command, *quiet), env=os.environ | {"PYTHONPATH": f"{tmp_path}:{os.getcwd()}"}
    )
    try:
        assert waiting(redis, "elsewhere", at_least=3)
        assert children(worker.pid) == []
    finally:
        worker.send_signal(signal.SIGTERM)
        code = worker.wait(timeout=20)
    assert code == 0


def waiting(url: str, queue: str, *, at_least: int) -> bool:
    """Whether that many messages are in the queue within half a minute."""
    deadline = time.monotonic() + 30
    with Redis.from_url(url) as client:
        while time.monotonic() < deadline:
            if int(client.llen(queue)) >= at_least:
                return True
            time.sleep(0.05)
    return False


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
