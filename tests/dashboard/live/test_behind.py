"""A viewer whose line is slow falls behind, and asks for what it lacks when the line is free."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from dashboard.live.consumers import FleetConsumer


async def test_nobody_waits_for_a_slow_viewer_and_it_learns_of_the_gap() -> None:
    free = asyncio.Event()
    carried: list[dict[str, Any]] = []

    async def slow_line(message: Any) -> None:
        await free.wait()
        carried.append(json.loads(message["text"]))

    viewer = FleetConsumer()
    viewer.n, viewer.behind, viewer.tasks, viewer.writing = 0, False, set(), None
    viewer.base_send = slow_line
    for what in ("a", "b", "c"):
        viewer.tell(f'"said":"{what}"}}')
        await asyncio.sleep(0)
    free.set()
    await asyncio.gather(*viewer.tasks)
    assert [message.get("said") for message in carried] == ["a", None]
    assert [message["n"] for message in carried] == [1, 4]
