"""`manage.py simulate` as a process: it says when it is up, and ends when told to."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
UP_WITHIN_S = 40.0


@pytest.mark.timeout(90)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_it_ends_cleanly_and_takes_its_papers_down(number: signal.Signals, tmp_path: Path) -> None:
    asked = ["--clusters", "1", "--models", "2", "--speed", "40", "--dir", str(tmp_path)]
    command = [sys.executable, "manage.py", "simulate", *asked]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        described = tmp_path / "simulated.json"
        _wait_for(described, process)
        (cluster,) = json.loads(described.read_text())["clusters"]
        process.send_signal(number)
        said, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert cluster["gateway"] in said
    assert not described.exists()


def _wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + UP_WITHIN_S
    while not path.exists():
        assert process.poll() is None, "ended before it was up"
        assert time.monotonic() < deadline, "not up in time"
        time.sleep(0.05)
