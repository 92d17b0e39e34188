"""The bell on a real Redis."""

from __future__ import annotations

import asyncio
import contextlib

from dashboard.live.bell import ANYTHING, Ring, listen
from fleet.adapters.redis.announcer import RedisAnnouncer

KEY = "demo-a/InferenceService/chat/pilot"
WITHIN_S = 10.0


async def test_what_an_announcer_rings_is_heard(redis: str) -> None:
    heard: asyncio.Queue[Ring] = asyncio.Queue()
    listening = asyncio.create_task(listen(redis, heard.put_nowait))
    try:
        # A new subscription may have missed anything.
        assert await asyncio.wait_for(heard.get(), WITHIN_S) == ANYTHING
        announcer = RedisAnnouncer(redis)
        await asyncio.to_thread(announcer.changed, cluster="demo-a", keys=[KEY])
        ring = await asyncio.wait_for(heard.get(), WITHIN_S)
        assert ring.keys == frozenset({KEY})
    finally:
        listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listening
