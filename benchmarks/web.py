"""A real web process on a database of its own, for benchmarks that ask it from outside."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parent.parent
READY_WITHIN_S = 60.0
ENDS_WITHIN_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """Where it listens, who may ask, and what it runs with."""

    url: str
    token: str
    cookie: str
    pid: int
    environ: Mapping[str, str]


def free_port() -> int:
    """A loopback port that nobody has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def web(
    *, models: int, starts_each: int = 0, redis_url: str = "", database_url: str = ""
) -> Iterator[Web]:
    """Migrate, fill, serve; the process and its files end with the block.

    starts_each: starts of 90 days for each model, beside the few that every fill has.
    database_url: an empty database; "" = SQLite in a folder of its own.
    """
    with tempfile.TemporaryDirectory(prefix="pilotlight-bench-") as folder:
        environ = _environ(Path(folder), redis_url)
        if database_url:
            environ["DATABASE_URL"] = database_url
        _manage(environ, "migrate", "--verbosity", "0")
        program = (
            ("fill_starts", str(models), str(starts_each)) if starts_each else ("fill", str(models))
        )
        filled = json.loads(_python(environ, "-m", f"benchmarks.{program[0]}", *program[1:]))
        port = free_port()
        child = subprocess.Popen(
            [*_uvicorn(), "--port", str(port)], cwd=ROOT, env=environ, stdout=sys.stderr
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_ready(url, child)
            yield Web(url=url, pid=child.pid, environ=environ, **filled)
        finally:
            child.terminate()
            child.wait(ENDS_WITHIN_S)


def _environ(folder: Path, redis_url: str) -> dict[str, str]:
    given = {
        "PILOTLIGHT_STATE_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'bench.sqlite3'}",
        "PILOTLIGHT_LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
    }
    kept = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    return kept | given | ({"REDIS_URL": redis_url} if redis_url else {})


def _uvicorn() -> tuple[str, ...]:
    return (
        *(sys.executable, "-m", "uvicorn", "dashboard.asgi:application", "--host", "127.0.0.1"),
        *("--no-access-log", "--lifespan", "off", "--log-level", "warning"),
        *("--timeout-graceful-shutdown", "3"),
    )


def _python(environ: Mapping[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=dict(environ),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def _manage(environ: Mapping[str, str], *arguments: str) -> None:
    _python(environ, "manage.py", *arguments)


def _wait_ready(url: str, child: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until:
        if child.poll() is not None:
            raise RuntimeError(f"the web process ended with {child.returncode}")
        try:
            if httpx.get(f"{url}/readyz", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise RuntimeError("the web process did not become ready")
