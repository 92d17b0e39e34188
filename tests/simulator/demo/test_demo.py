"""The whole demo from outside: it comes up, tells how to sign in, moves, and leaves no trace."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks.running_demo import DOWN_WITHIN_S, ROOT, Demo, command, running_demo

# From contract: moving data within this time of the web server's start.
MOVING_WITHIN_S = 15.0


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
def demo() -> Iterator[Demo]:
    with running_demo(clusters=1, models=5) as demo:
        yield demo


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
        command(demo.state, clusters=1, models=5),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert second.returncode == 1
    assert demo.record["url"] in second.stdout
    assert (demo.state / "demo.json").exists()


def process_of(demo: Demo, word: str) -> int | None:
    """The process below the demo whose command line has the word; None while there is none."""
    for pid in descendants(demo.process.pid):
        with suppress(OSError):
            if word in Path(f"/proc/{pid}/cmdline").read_text():
                return pid
    return None


@pytest.mark.timeout(120)
@pytest.mark.parametrize("word", ["valkey-server", "follow@", "uvicorn"])
def test_what_is_killed_comes_back_and_goes_on(demo: Demo, word: str) -> None:
    killed = process_of(demo, word)
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    assert eventually(lambda: process_of(demo, word) not in (None, killed), within_s=20)

    back_at_s = time.monotonic()

    def in_step_since() -> bool:
        with suppress(OSError):
            (cluster,) = demo.get("/api/v1/clusters")["items"]
            age_s = cluster["data_age_s"]
            return age_s is not None and age_s < time.monotonic() - back_at_s
        return False

    assert eventually(in_step_since, within_s=60)


@pytest.mark.timeout(60)
def test_a_request_to_end_ends_every_process(demo: Demo) -> None:
    below = descendants(demo.process.pid)
    assert len(below) >= 5
    demo.process.send_signal(signal.SIGINT)
    demo.process.wait(timeout=DOWN_WITHIN_S)
    assert not [pid for pid in below if alive(pid)]
    assert not (demo.state / "demo.json").exists()


@pytest.mark.timeout(240)
def test_it_runs_on_postgres_and_redis(postgres: str, redis: str) -> None:
    given = {"DATABASE_URL": postgres, "REDIS_URL": redis}
    with running_demo(clusters=1, models=5, given=given) as demo:
        assert process_of(demo, "valkey-server") is None
        assert eventually(
            lambda: bool(demo.get("/api/v1/models")["items"]), within_s=MOVING_WITHIN_S
        )
