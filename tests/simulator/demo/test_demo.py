"""The whole demo from outside: it comes up, tells how to sign in, moves, and leaves no trace."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.tooling.tree import ROOT

UP_WITHIN_S = 150.0
DOWN_WITHIN_S = 20.0
# From contract: moving data within this time of the web server's start.
MOVING_WITHIN_S = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A running demo and what its record says."""

    process: subprocess.Popen[bytes]
    state: Path
    record: dict[str, Any]
    up_at_s: float

    def get(self, path: str, *, role: str | None = "viewer") -> Any:
        request = urllib.request.Request(self.record["url"] + path)
        if role is not None:
            request.add_header("Authorization", f"Bearer {self.record[role]['token']}")
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)


def command(state: Path, *arguments: str) -> list[str]:
    options = ("--port", "0", "--clusters", "1", "--models", "5", "--state", str(state))
    return [sys.executable, "manage.py", "demo", *options, *arguments]


def start(state: Path) -> subprocess.Popen[bytes]:
    environ = {name: value for name, value in os.environ.items() if name not in KEPT_OUT}
    return subprocess.Popen(command(state), cwd=ROOT, env=environ, stdout=subprocess.DEVNULL)


# What the test session itself runs with must not reach the demo.
KEPT_OUT = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "PILOTLIGHT_STATE_DIR")


def eventually(holds: Callable[[], bool], *, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.1)
    return holds()


def descendants(pid: int) -> set[int]:
    """All processes below `pid`, now."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rsplit(")", 1)[1].split()
            parents[int(path.parent.name)] = int(fields[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def alive(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    state = tmp_path_factory.mktemp("demo")
    process = start(state)
    record = state / "demo.json"
    try:
        up = eventually(lambda: record.exists() or process.poll() is not None, within_s=UP_WITHIN_S)
        assert up, logs(state)
        assert process.poll() is None, logs(state)
        yield Demo(
            process=process,
            state=state,
            record=json.loads(record.read_text()),
            up_at_s=time.monotonic(),
        )
    finally:
        process.terminate()
        process.wait(timeout=DOWN_WITHIN_S)


def logs(state: Path) -> str:
    found = sorted((state / "demo" / "logs").glob("*.log"))
    return "\n".join(f"== {path.name}\n{path.read_text()[-2000:]}" for path in found)


@pytest.mark.timeout(240)
def test_the_record_says_where_and_how_to_sign_in(demo: Demo) -> None:
    assert stat.S_IMODE((demo.state / "demo.json").stat().st_mode) == 0o600
    assert set(demo.record) == {"url", "kubeconfig", "operator", "viewer"}
    for role in ("operator", "viewer"):
        assert set(demo.record[role]) == {"username", "password", "token"}
        assert all(demo.record[role].values())
    assert Path(demo.record["kubeconfig"]).is_file()


@pytest.mark.timeout(60)
def test_it_is_ready_and_its_models_appear(demo: Demo) -> None:
    with urllib.request.urlopen(demo.record["url"] + "/readyz", timeout=5) as answer:
        assert answer.status == 200
    assert eventually(lambda: bool(demo.get("/api/v1/models")["items"]), within_s=MOVING_WITHIN_S)


@pytest.mark.timeout(60)
def test_nothing_is_shown_without_a_sign_in(demo: Demo) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        demo.get("/api/v1/models", role=None)
    assert caught.value.code == 401
    caught.value.close()


@pytest.mark.timeout(60)
def test_a_second_demo_says_where_the_first_is(demo: Demo) -> None:
    second = subprocess.run(
        command(demo.state), cwd=ROOT, capture_output=True, text=True, check=False, timeout=30
    )
    assert second.returncode == 1
    assert demo.record["url"] in second.stdout
    assert (demo.state / "demo.json").exists()


@pytest.mark.timeout(60)
def test_a_request_to_end_ends_every_process(demo: Demo) -> None:
    below = descendants(demo.process.pid)
    assert len(below) >= 5
    demo.process.send_signal(signal.SIGINT)
    demo.process.wait(timeout=DOWN_WITHIN_S)
    assert not [pid for pid in below if alive(pid)]
    assert not (demo.state / "demo.json").exists()
