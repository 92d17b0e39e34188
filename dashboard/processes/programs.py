"""Which programs make up Pilot Light on one host."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dashboard.processes.child import Program

ACTOR_KEY = "PILOTLIGHT_ACTOR_KEY"
GRACE_S = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the web server listens, where files go; logs None = to our standard error."""

    host: str
    port: int
    state: Path
    logs: Path | None = None

    def log(self, name: str) -> Path | None:
        """The log file of one program."""
        return None if self.logs is None else self.logs / f"{name}.log"


def product_programs(
    layout: Layout, *, environ: Mapping[str, str], actor_key: str
) -> tuple[Program, ...]:
    """Web server and workers. Only `act` gets the key to the actor's credentials."""
    plain = {name: value for name, value in environ.items() if not name.startswith(ACTOR_KEY)}
    return (
        _program("web", web_server(layout), layout=layout, environ=plain),
        _program(
            "follow",
            (*worker("follow", queues="follow,sample,chores", threads=24), "--with-beat"),
            layout=layout,
            environ=plain,
        ),
        _program(
            "act",
            worker("act", queues="act", threads=8),
            layout=layout,
            environ=plain | {ACTOR_KEY: actor_key},
        ),
    )


def web_server(layout: Layout) -> tuple[str, ...]:
    """Uvicorn. No access log: one-time links are addresses."""
    return (
        *("-m", "uvicorn", "dashboard.asgi:application"),
        *("--host", layout.host, "--port", str(layout.port)),
        *("--no-access-log", "--lifespan", "off", "--no-server-header"),
        *("--timeout-graceful-shutdown", str(GRACE_S)),
    )


def worker(name: str, *, queues: str, threads: int) -> tuple[str, ...]:
    """A Celery worker on threads: its tasks wait for clusters, they do not compute."""
    return (
        # Its banner would push the first admin's link off the terminal.
        *("-m", "celery", "--quiet", "-A", "workers.celery:app", "worker"),
        *("-n", f"{name}@%h", "-Q", queues, "-P", "threads", "-c", str(threads)),
        *("--without-gossip", "--without-mingle", "-l", "INFO"),
    )


def _program(
    name: str, arguments: tuple[str, ...], *, layout: Layout, environ: Mapping[str, str]
) -> Program:
    return Program(
        name=name, argv=(sys.executable, *arguments), environ=environ, log=layout.log(name)
    )
