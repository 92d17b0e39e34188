"""Simulated clusters with a past, each in a process of its own, from outside."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
UP_WITHIN_S = 90.0
DOWN_WITHIN_S = 20.0


@contextmanager
def simulated(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Two clusters of two models with an hour behind them, up."""
    asked = ["--clusters", "2", "--models", "4", "--history", "1h", "--dir", str(folder)]
    command = [sys.executable, "manage.py", "simulate", *asked]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            deadline = time.monotonic() + UP_WITHIN_S
            while not (folder / "simulated.json").exists():
                assert process.poll() is None, "ended before it was up"
                assert time.monotonic() < deadline, "not up in time"
                time.sleep(0.05)
            yield process
        finally:
            process.kill()


def parts_of(process: subprocess.Popen[str]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(pid) for pid in children.read_text().split()]


def is_gone(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    return True


def all_gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + DOWN_WITHIN_S
    while not all(is_gone(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return all(is_gone(pid) for pid in pids)


@pytest.mark.timeout(150)
def test_they_have_pasts_and_end_when_told_to(tmp_path: Path) -> None:
    with simulated(tmp_path) as process:
        described = json.loads((tmp_path / "simulated.json").read_text())["clusters"]
        assert [each["name"] for each in described] == ["demo-a", "demo-b"]
        for each in described:
            with gzip.open(each["past"]) as lines:
                assert json.loads(next(iter(lines)))["object"]["cluster"] == each["name"]
        clusters = {
            json.loads(line)["cluster"]
            for line in (tmp_path / "truth.jsonl").read_text().splitlines()
        }
        assert clusters == {"demo-a", "demo-b"}
        parts = parts_of(process)
        assert len(parts) == 2
        process.send_signal(signal.SIGTERM)
        assert process.wait(DOWN_WITHIN_S) == 0
        assert all_gone(parts)
    assert not (tmp_path / "simulated.json").exists()


@pytest.mark.timeout(150)
@pytest.mark.parametrize("who", ["one of them", "the process above them"])
def test_when_one_is_killed_all_end(tmp_path: Path, who: str) -> None:
    with simulated(tmp_path) as process:
        parts = parts_of(process)
        os.kill(parts[0] if who == "one of them" else process.pid, signal.SIGKILL)
        assert process.wait(DOWN_WITHIN_S) != 0
        assert all_gone(parts)
