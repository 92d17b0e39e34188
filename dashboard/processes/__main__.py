"""Run Pilot Light's processes until told to stop. Started by `manage.py run`, which has
migrated the database; it replaces that process, so that no Django waits in memory here."""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from dashboard.kept_secret import kept_secret
from dashboard.processes.broker import embedded_broker
from dashboard.processes.child import Program
from dashboard.processes.programs import ACTOR_KEY, Layout, product_programs
from dashboard.processes.supervisor import Supervisor


def main() -> None:
    """Parse, build the list of programs, supervise."""
    logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(name)s %(message)s")
    layout = _layout()
    with tempfile.TemporaryDirectory(prefix="pilotlight-") as scratch:
        Supervisor(programs(layout, environ=os.environ, scratch=Path(scratch))).run()


def programs(layout: Layout, *, environ: Mapping[str, str], scratch: Path) -> list[Program]:
    """All programs in the order of their start; the broker first, where none is named."""
    chosen = {"DJANGO_SETTINGS_MODULE": "dashboard.settings", **environ}
    actor_key = _actor_key(layout.state, environ)
    if chosen.get("REDIS_URL") or chosen.get("REDIS_URL_FILE"):
        return list(product_programs(layout, environ=chosen, actor_key=actor_key))
    broker = embedded_broker(folder=scratch, environ={}, log=layout.log("broker"))
    chosen["REDIS_URL"] = broker.url
    return [broker.program, *product_programs(layout, environ=chosen, actor_key=actor_key)]


def _actor_key(state: Path, environ: Mapping[str, str]) -> str:
    if environ.get(ACTOR_KEY):
        return environ[ACTOR_KEY]
    given = environ.get(f"{ACTOR_KEY}_FILE")
    return Path(given).read_text().strip() if given else kept_secret(state / "actor_key")


def _layout() -> Layout:
    parser = argparse.ArgumentParser(prog="manage.py run")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--logs", type=Path)
    given = parser.parse_args()
    if given.logs is not None:
        given.logs.mkdir(parents=True, exist_ok=True)
    return Layout(host=given.host, port=given.port, state=given.state, logs=given.logs)


if __name__ == "__main__":
    main()
