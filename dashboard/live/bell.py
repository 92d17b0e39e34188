"""The bell: one Redis subscription a process. It only says that something changed; a lost ring
costs a few seconds, since the hub looks by itself too."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

CHANNEL = "pilotlight:changed"
# Waits between tries to reach Redis again, in seconds.
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Ring:
    """What changed: keys of models and actions of one cluster. keys None = anything may have."""

    cluster: str = ""
    keys: frozenset[str] | None = None


ANYTHING = Ring()


class Numbers:
    """Tells a gap: rings carry an epoch (one per announcer) and a number that rises by one."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def gap(self, epoch: str, n: int) -> bool:
        """Whether rings of that epoch were missed. A new epoch is no gap by itself."""
        known = self._last.get(epoch)
        if len(self._last) > 64:
            self._last.clear()
        self._last[epoch] = n
        return known is not None and n != known + 1


def read_ring(text: str | bytes, numbers: Numbers) -> Ring:
    """A ring from its JSON; what cannot be read, and the first after a gap, mean anything."""
    try:
        said: Any = json.loads(text)
        keys = frozenset(str(key) for key in said["keys"])
        missed = numbers.gap(str(said["epoch"]), int(said["n"]))
    except (ValueError, TypeError, KeyError):
        return ANYTHING
    return ANYTHING if missed or not keys else Ring(str(said.get("cluster", "")), keys)


async def listen(url: str, ring: Callable[[Ring], None]) -> None:
    """Rings until cancelled; reaches Redis again when it goes away."""
    wait_s = FIRST_WAIT_S
    while True:
        try:
            async with Redis.from_url(url) as redis, redis.pubsub() as pubsub:
                await pubsub.subscribe(CHANNEL)
                ring(ANYTHING)
                wait_s = FIRST_WAIT_S
                await _hear(pubsub, ring)
        except (RedisError, OSError) as error:
            logger.warning("lost bell error=%s wait_s=%.1f", type(error).__name__, wait_s)
        await asyncio.sleep(wait_s)
        wait_s = min(LONGEST_WAIT_S, wait_s * 2)


async def _hear(pubsub: Any, ring: Callable[[Ring], None]) -> None:
    numbers = Numbers()
    async for message in pubsub.listen():
        if message["type"] == "message":
            ring(read_ring(message["data"], numbers))
