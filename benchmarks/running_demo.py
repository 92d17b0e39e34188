"""A whole demo as a child process, asked over HTTP like anybody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
UP_WITHIN_S = 180.0
DOWN_WITHIN_S = 20.0
# What the caller itself runs with must not reach the demo.
KEPT_OUT = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "PILOTLIGHT_STATE_DIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A running demo and what its record says."""

    process: subprocess.Popen[bytes]
    state: Path
    record: Mapping[str, Any]

    @property
    def truth(self) -> Path:
        """One line for each start that the simulated clusters have finished."""
        return self.state / "demo" / "clusters" / "truth.jsonl"

    def get(self, path: str, *, role: str | None = "viewer") -> Any:
        """The JSON that the API gives to the viewer, the operator, or nobody."""
        request = urllib.request.Request(self.record["url"] + path)
        if role is not None:
            request.add_header("Authorization", f"Bearer {self.record[role]['token']}")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def every(self, path: str) -> Iterator[Any]:
        """All items of a list, page by page."""
        cursor = ""
        while cursor is not None:
            page = self.get(f"{path}?page_size=500" + (f"&cursor={cursor}" if cursor else ""))
            yield from page["items"]
            cursor = page["next"]


def command(state: Path, *, clusters: int, models: int) -> list[str]:
    """How to start a demo on any free port."""
    size = ("--clusters", str(clusters), "--models", str(models))
    return [sys.executable, "manage.py", "demo", "--port", "0", "--state", str(state), *size]


@contextmanager
def running_demo(
    *, clusters: int = 3, models: int = 24, given: Mapping[str, str] | None = None
) -> Iterator[Demo]:
    """A demo that is ready; RuntimeError with its logs when it does not come up.

    given: further environment, as another database.
    """
    own = {name: value for name, value in os.environ.items() if name not in KEPT_OUT}
    environ = own | dict(given or {})
    with tempfile.TemporaryDirectory(prefix="pilotlight-demo-") as folder:
        state = Path(folder)
        process = subprocess.Popen(
            command(state, clusters=clusters, models=models),
            cwd=ROOT,
            env=environ,
            stdout=subprocess.DEVNULL,
        )
        try:
            yield Demo(process=process, state=state, record=_record(process, state))
        finally:
            process.terminate()
            process.wait(timeout=DOWN_WITHIN_S)


def _record(process: subprocess.Popen[bytes], state: Path) -> Mapping[str, Any]:
    record = state / "demo.json"
    deadline = time.monotonic() + UP_WITHIN_S
    while not record.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the demo did not come up\n{logs(state)}")
        time.sleep(0.1)
    content: Mapping[str, Any] = json.loads(record.read_text())
    return content


def logs(state: Path) -> str:
    """The ends of the logs of all processes."""
    found = sorted((state / "demo" / "logs").glob("*.log"))
    return "\n".join(f"== {path.name}\n{path.read_text()[-2000:]}" for path in found)
