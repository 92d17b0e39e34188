"""Where the tools of the lanes are; None when a machine lacks one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

# Debian keeps PostgreSQL's server programs outside PATH.
DEBIAN_POSTGRES = Path("/usr/lib/postgresql")
OLDEST_KUBECTL = (1, 28)


def _postgres() -> Path | None:
    """The folder with initdb and postgres."""
    found = sorted(DEBIAN_POSTGRES.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    other = shutil.which("initdb")
    return None if other is None else Path(other).resolve().parent


def _kubectl() -> Path | None:
    """kubectl, when it is new enough."""
    found = shutil.which("kubectl")
    if found is None:
        return None
    answer = subprocess.run(
        [found, "version", "--client", "-o", "json"], capture_output=True, check=False, timeout=20
    )
    if answer.returncode != 0:
        return None
    version = json.loads(answer.stdout)["clientVersion"]
    number = (int(version["major"]), int(version["minor"].rstrip("+")))
    return Path(found) if number >= OLDEST_KUBECTL else None


def _on_path(name: str) -> Callable[[], Path | None]:
    def look() -> Path | None:
        found = shutil.which(name)
        return None if found is None else Path(found)

    return look


LANES: Mapping[str, Callable[[], Path | None]] = {
    "postgres": _postgres,
    "redis": _on_path("redis-server"),
    "prometheus": _on_path("prometheus"),
    "chromium": _on_path("chromium"),
    "kubectl": _kubectl,
}
LACKS: Mapping[str, str] = {
    "postgres": "no PostgreSQL server found",
    "redis": "no redis-server found",
    "prometheus": "no prometheus found",
    "chromium": "no chromium found",
    "kubectl": "no kubectl of version 1.28 or later found",
}


@cache
def tool(lane: str) -> Path | None:
    """Where the tool of `lane` is; PILOTLIGHT_WITHOUT_LANES hides the lanes it names."""
    hidden = os.environ.get("PILOTLIGHT_WITHOUT_LANES", "").split(",")
    return None if lane in hidden else LANES[lane]()
