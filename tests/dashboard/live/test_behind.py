"""A viewer whose line is slow falls behind, and asks for what it lacks when the line is free."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from dashboard.live.consumers import FleetConsumer


class SlowLine(FleetConsumer):
    """A viewer whose line carries one message at a time, when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.n = 0
        self.behind = False
        self.tasks: set[asyncio.Task[None]] = set()
        self.writing = None
        self.free = asyncio.Event()
        self.carried: list[dict[str, Any]] = []

    async def send(
        self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False
    ) -> None:
        await self.free.wait()
        self.carried.append(json.loads(text_data or "{}"))


async def test_nobody_waits_for_a_slow_viewer_and_it_learns_of_the_gap() -> None:
    viewer = SlowLine()
    for what in ("a", "b", "c"):
        viewer.tell(f'"said":"{what}"}}')
        await asyncio.sleep(0)
    viewer.free.set()
    assert viewer.writing is not None
    await viewer.writing
    assert [message.get("said") for message in viewer.carried] == ["a", None]
    assert [message["n"] for message in viewer.carried] == [1, 4]
