"""Recorded streams served over HTTP again, faster, and followed: the starts of the truth files.

Played time runs faster than messages travel, so triggers, which tell a cause by tenths of a second,
are held to the truth where streams are measured at their own pace (`manage.py measure`)."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from fleet.models import Cluster, ColdStart
from simulator.api.faults import FaultKind
from simulator.api.hosted import HostedApi
from simulator.api.replay import Replay
from tests.fleet.observe.conftest import Follow, Following

STREAMS = Path(__file__).parents[2] / "fixtures" / "streams"
SPEED = 8.0
WAKES_TWO = "15-one-request-wakes-two-pods"
LLM = "11-llminferenceservice-replicas-0-1-2-0"


@pytest.fixture
def api() -> Iterator[HostedApi]:
    """Without objects of its own."""
    with HostedApi() as hosted:
        yield hosted


# How long before the recording the follower may be there already.
BEFORE = timedelta(seconds=60)


class Played:
    """A recording on its way; its clock runs as fast as it is played, in the recording's time."""

    def __init__(self, api: HostedApi, name: str) -> None:
        self._replay = Replay(api.store, STREAMS / f"{name}.jsonl.gz")
        self._loop = api._loop
        self._first = self._replay.follows[0].t
        self._made, self._began = time.monotonic(), 0.0
        api.call(self._replay.load)

    def begin(self) -> "Future[None]":
        self._began = time.monotonic()
        return asyncio.run_coroutine_threadsafe(self._replay.run(speed=SPEED), self._loop)

    def clock(self) -> datetime:
        if not self._began:
            return self._first - BEFORE + timedelta(seconds=time.monotonic() - self._made)
        return self._first + timedelta(seconds=(time.monotonic() - self._began) * SPEED)


def truth(name: str) -> Counter[str]:
    """How often each outcome is right."""
    starts = json.loads((STREAMS / f"{name}.truth.json").read_text())["starts"]
    return Counter(start["outcome"] for start in starts)


def found() -> Counter[str]:
    return Counter(ColdStart.objects.values_list("outcome", flat=True))


def live() -> bool:
    return Cluster.objects.get().state == "live"


def play(played: Played, following: Following, *, share: float = 1.0) -> None:
    """Turn until the recording was played to its end (or a share of it)."""
    done = played.begin()
    spans = (played._replay.follows[-1].t - played._first).total_seconds() / SPEED
    deadline = time.monotonic() + spans * share
    while not done.done() and time.monotonic() < deadline:
        following.follower.turn()


@pytest.mark.parametrize("name", [WAKES_TWO, LLM])
def test_a_stream_over_http_gives_the_starts_that_happened(
    api: HostedApi, follow: Follow, name: str
) -> None:
    played = Played(api, name)
    following = follow(clock=played.clock)
    following.until(live)
    play(played, following)
    following.until(lambda: found() == truth(name), instead=found)


def test_no_start_is_lost_or_measured_twice_though_watches_are_cut_and_followers_change(
    api: HostedApi, follow: Follow
) -> None:
    played = Played(api, WAKES_TWO)
    first = follow(clock=played.clock)
    first.until(live)
    api.call(lambda: api.server.faults.add(FaultKind.CUT, verb="watch", seconds=0.7))
    play(played, first, share=0.5)
    first.end()
    second = follow(clock=played.clock)
    second.until(lambda: found() == truth(WAKES_TWO), instead=found)
    assert ColdStart.objects.count() == ColdStart.objects.values("replica_uid").distinct().count()
