"""The bell on a real Redis, and its silence when there is none."""

import json

import pytest
from redis import Redis

from dashboard.processes.broker import free_port
from fleet.adapters.redis.announcer import CHANNEL, KEYS_AT_ONCE, RedisAnnouncer


def test_each_message_has_the_next_number(redis: str) -> None:
    bell = RedisAnnouncer(redis)
    with Redis.from_url(redis) as client, client.pubsub() as listening:
        listening.subscribe(CHANNEL)
        listening.get_message(timeout=30)
        bell.changed(cluster="one", keys=["one/a/b/c"])
        bell.changed(cluster="one", keys=[f"k{n}" for n in range(KEYS_AT_ONCE + 1)])
        messages = [json.loads(listening.get_message(timeout=30)["data"]) for _ in range(3)]
    bell.close()
    assert [m["n"] for m in messages] == [1, 2, 3]
    assert len({m["epoch"] for m in messages}) == 1
    assert messages[0]["keys"] == ["one/a/b/c"]
    assert [len(m["keys"]) for m in messages[1:]] == [KEYS_AT_ONCE, 1]


def test_without_redis_nothing_is_raised_and_nobody_waits(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seconds = [0.0]
    url = f"redis://:secret@127.0.0.1:{free_port()}/0"
    bell = RedisAnnouncer(url, monotonic=lambda: seconds[0])
    for _ in range(3):
        bell.changed(cluster="one", keys=["k"])
    assert len(caplog.records) == 1
    assert "secret" not in caplog.text
    seconds[0] = 10.0
    bell.changed(cluster="one", keys=["k"])
    assert len(caplog.records) == 2
    bell.close()
