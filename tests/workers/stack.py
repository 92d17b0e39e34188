"""Real workers on a real broker, following a hosted API server into a database file."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dashboard.processes.broker import free_port
from dashboard.processes.child import dies_with

PATIENCE_S = 45.0
ROOT = Path(__file__).resolve().parents[2]


def wait_until(seen: Callable[[], bool], *, within_s: float = PATIENCE_S) -> None:
    """Poll until it is seen."""
    deadline = time.monotonic() + within_s
    while not seen():
        assert time.monotonic() < deadline, f"not seen within {within_s} s"
        time.sleep(0.05)


def migrated(path: Path) -> Path:
    """An empty database file of today's form."""
    environ = os.environ | {
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
        "PILOTLIGHT_STATE_DIR": str(path.parent),
        "DATABASE_URL": f"sqlite:///{path}",
    }
    migrate = (sys.executable, "manage.py", "migrate", "-v", "0")
    subprocess.run(migrate, env=environ, cwd=ROOT, check=True)
    return path


class Broker:
    """A Redis that can be killed and started again, empty, under the same URL."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._port, self._password = free_port(), secrets.token_urlsafe(12)
        self.url = f"redis://:{self._password}@127.0.0.1:{self._port}/0"
        self.process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        options = ("--bind", "127.0.0.1", "--port", str(self._port), "--save", "")
        return subprocess.Popen(
            (str(self._program), *options, "--requirepass", self._password),
            stdout=subprocess.DEVNULL,
            cwd="/tmp",
            preexec_fn=dies_with(os.getpid()),
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        self.process = self._started()


class Stack:
    """Workers of one state folder. Everything that was started ends with `end`."""

    def __init__(
        self, folder: Path, *, broker: Broker, kubeconfig: Path, context: str, empty: Path
    ) -> None:
        """empty: a migrated database without rows, to begin from."""
        self._folder = folder
        shutil.copy(empty, folder / "history.sqlite3")
        self._workers: list[subprocess.Popen[bytes]] = []
        self.environ = os.environ | {
            "DJANGO_SETTINGS_MODULE": "dashboard.settings",
            "PILOTLIGHT_STATE_DIR": str(folder),
            "DATABASE_URL": f"sqlite:///{folder}/history.sqlite3",
            "REDIS_URL": broker.url,
            "PILOTLIGHT_KUBECONFIG": str(kubeconfig),
            "PILOTLIGHT_CONTEXTS": context,
            "PILOTLIGHT_LOG_LEVEL": "INFO",
        }

    def worker(self, name: str) -> subprocess.Popen[bytes]:
        """A worker for following and chores, with beat."""
        command = (sys.executable, "-m", "celery", "-A", "workers.celery:app", "worker")
        options = ("-n", f"{name}@%h", "-Q", "follow,chores", "-P", "threads", "-c", "4")
        quiet = ("--without-gossip", "--without-mingle", "--with-beat", "-l", "INFO")
        with (self._folder / f"{name}.log").open("ab") as log:
            started = subprocess.Popen(
                (*command, *options, *quiet),
                env=self.environ,
                cwd=ROOT,
                stdout=log,
                stderr=log,
                preexec_fn=dies_with(os.getpid()),
            )
        self._workers.append(started)
        return started

    def log(self, name: str) -> str:
        return (self._folder / f"{name}.log").read_text()

    def row(self, sql: str) -> Any:
        """The first column of the first row; None where there is none."""
        with sqlite3.connect(self._folder / "history.sqlite3", timeout=20) as connection:
            found = connection.execute(sql).fetchone()
        connection.close()
        return found[0] if found else None

    def live(self) -> bool:
        return bool(self.row("select state from fleet_cluster") == "live")

    def epoch(self) -> int:
        return int(self.row("select lease_epoch from fleet_cluster") or 0)

    def knows(self, pod: str) -> bool:
        return bool(self.row(f"select 1 from fleet_replica where replica = '{pod}'"))

    def starts_of(self, pod: str) -> int:
        return int(self.row(f"select count(*) from fleet_coldstart where replica = '{pod}'"))

    def end(self) -> None:
        for worker in self._workers:
            if worker.poll() is None:
                worker.send_signal(signal.SIGTERM)
        for worker in self._workers:
            try:
                worker.wait(10)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()
