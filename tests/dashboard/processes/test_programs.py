"""What one host runs, and who gets which secret."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
import redis

from dashboard.processes import broker
from dashboard.processes.__main__ import programs
from dashboard.processes.child import start
from dashboard.processes.programs import ACTOR_KEY, Layout


def layout(tmp_path: Path) -> Layout:
    return Layout(host="127.0.0.1", port=8123, state=tmp_path)


def test_without_a_redis_the_broker_comes_first(tmp_path: Path) -> None:
    chosen = programs(layout(tmp_path), environ={}, scratch=tmp_path)
    assert [program.name for program in chosen] == ["broker", "web", "follow", "act"]
    urls = {program.environ["REDIS_URL"] for program in chosen[1:]}
    assert len(urls) == 1
    assert urls.pop().startswith("redis://:")


def test_a_given_redis_is_used(tmp_path: Path) -> None:
    environ = {"REDIS_URL": "redis://elsewhere:6379/0"}
    chosen = programs(layout(tmp_path), environ=environ, scratch=tmp_path)
    assert [program.name for program in chosen] == ["web", "follow", "act"]
    assert {program.environ["REDIS_URL"] for program in chosen} == {"redis://elsewhere:6379/0"}


@pytest.mark.parametrize(
    "environ",
    [
        pytest.param({ACTOR_KEY: "given"}, id="the key as a value"),
        pytest.param({f"{ACTOR_KEY}_FILE": "key"}, id="the key in a file"),
        pytest.param({}, id="a key made at the first start"),
    ],
)
def test_only_the_act_worker_gets_the_actor_key(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "key").write_text("given\n")
    environ = {name: value.replace("key", str(tmp_path / "key")) for name, value in environ.items()}
    chosen = programs(layout(tmp_path), environ=environ, scratch=tmp_path)
    holders = {
        program.name
        for program in chosen
        if any(name.startswith(ACTOR_KEY) for name in program.environ)
    }
    assert holders == {"act"}
    kept = "given" if environ else (tmp_path / "actor_key").read_text()
    assert chosen[-1].environ[ACTOR_KEY] == kept


def test_no_secret_is_on_a_command_line(tmp_path: Path) -> None:
    chosen = programs(layout(tmp_path), environ={ACTOR_KEY: "actor-secret"}, scratch=tmp_path)
    password = chosen[1].environ["REDIS_URL"].split(":")[2].split("@")[0]
    words = " ".join(word for program in chosen for word in program.argv)
    assert password not in words
    assert "actor-secret" not in words
    assert password not in repr(chosen)


def test_the_embedded_broker_answers_with_its_password_and_refuses_without(tmp_path: Path) -> None:
    ours = broker.embedded_broker(folder=tmp_path, environ=os.environ, log=None)
    child = start(ours.program, now_s=0.0)
    try:
        assert pinged(ours.url)
        bare = "redis://" + ours.url.split("@")[1]
        client = redis.Redis.from_url(bare)
        with client, pytest.raises(redis.AuthenticationError):
            client.ping()
    finally:
        child.ask_to_end()
        child.process.wait(timeout=30)
    assert list(tmp_path.iterdir()) == []


def pinged(url: str) -> bool:
    """Whether the broker answers, within ten seconds."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with redis.Redis.from_url(url) as client:
            try:
                return bool(client.ping())
            except redis.ConnectionError:
                time.sleep(0.02)
    return False
