"""The lanes' private servers are real, and a missing tool is named, not hidden."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import psycopg
from redis import Redis

from tests.lanes.plugin import LEFT_OUT
from tests.lanes.tools import LANES


def test_postgres_is_a_real_server(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        row = connection.execute("select current_setting('server_version_num')::int").fetchone()
    assert row is not None
    assert row[0] >= 130000


def test_redis_is_a_real_server(redis: str) -> None:
    with Redis.from_url(redis) as client:
        assert client.ping()
        assert client.dbsize() == 0


def test_prometheus_is_a_real_server(prometheus: Callable[[str], str]) -> None:
    url = prometheus("global:\n  scrape_interval: 1s\n")
    with urllib.request.urlopen(f"{url}/api/v1/query?query=vector(42)", timeout=5) as answer:
        body = json.load(answer)
    assert body["data"]["result"][0]["value"][1] == "42"


def test_chromium_is_a_program(chromium: Path) -> None:
    assert os.access(chromium, os.X_OK)


def test_kubectl_is_new_enough(kubectl: Path) -> None:
    assert kubectl.is_file()


def test_lanes_that_cannot_run_are_named_at_the_end() -> None:
    environ = os.environ | {"PILOTLIGHT_WITHOUT_LANES": ",".join(LANES)}
    # What this run leaves out is not what the run around it leaves out.
    environ.pop(LEFT_OUT, None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(
        [*command, "-k", " or ".join(f"test_{lane}_is" for lane in LANES)],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=55,
    )
    assert done.returncode == 0, done.stdout
    for lane in LANES:
        assert f"lane not run: {lane} (1 tests)" in done.stdout
