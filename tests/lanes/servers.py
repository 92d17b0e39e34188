"""Private servers for tests: own port on loopback, own folder, gone with the tests."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dashboard.processes.broker import free_port
from dashboard.processes.child import dies_with

READY_WITHIN_S = 20.0


@contextmanager
def redis_server(program: Path) -> Iterator[str]:
    """A Redis that keeps nothing; yields its URL."""
    port, password = free_port(), secrets.token_urlsafe(12)
    with _folder("redis") as folder:
        options = ("--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(folder))
        command = (str(program), *options, "--requirepass", password)
        with _running(command, ready=lambda: _listens(port)):
            yield f"redis://:{password}@127.0.0.1:{port}/0"


@contextmanager
def postgres_server(programs: Path) -> Iterator[str]:
    """An empty PostgreSQL without durability; yields the URL of its database."""
    port = free_port()
    account = _account()
    with _folder("postgres", owner=account) as folder:
        data = folder / "data"
        initdb = (str(programs / "initdb"), "-D", str(data), "-U", "pilotlight", "-A", "trust")
        locale = ("--locale=C.UTF-8", "-E", "UTF8", "--no-sync")
        subprocess.run((*initdb, *locale), check=True, capture_output=True, user=account)
        listen = ("-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", str(folder))
        quick = ("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=60")
        command = (str(programs / "postgres"), "-D", str(data), *listen, *quick)
        with _running(command, ready=lambda: _listens(port), user=account):
            yield f"postgres://pilotlight@127.0.0.1:{port}/postgres"


@contextmanager
def prometheus_server(program: Path, *, config: str, data: Path | None = None) -> Iterator[str]:
    """A Prometheus with the given configuration; yields its base URL once it is ready. data: a
    store to begin with, None = an empty one."""
    port = free_port()
    with _folder("prometheus") as folder:
        (folder / "prometheus.yml").write_text(config)
        command = (
            str(program),
            f"--config.file={folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={data or folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--web.enable-remote-write-receiver",
        )
        url = f"http://127.0.0.1:{port}"
        with _running(command, ready=lambda: _answers(f"{url}/-/ready")):
            yield url


@contextmanager
def _running(
    command: tuple[str, ...], *, ready: Callable[[], bool], user: str | None = None
) -> Iterator[None]:
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            user=user,
            cwd="/",
            start_new_session=True,
            preexec_fn=dies_with(os.getpid()),
        )
        try:
            _wait_until(ready, process)
            yield
        finally:
            # PostgreSQL: SIGINT is the fast stop, SIGTERM waits for clients.
            process.send_signal(2)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10)
            process.kill()
            process.wait()


def _wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{process.args!r} did not start: code {process.poll()}")
        time.sleep(0.05)


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _answers(url: str) -> bool:
    with suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=1) as page:
        return bool(page.status == 200)
    return False


def _account() -> str | None:
    """PostgreSQL refuses to run as root: another account then; None = our own will do."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise RuntimeError("no account to run PostgreSQL as")


@contextmanager
def _folder(name: str, *, owner: str | None = None) -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix=f"pilotlight-{name}-", dir="/tmp"))
    if owner is not None:
        shutil.chown(path, owner)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
