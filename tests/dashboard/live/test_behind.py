"""One viewer's or one page's trouble is not the others': slow lines, pages that cannot be made."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Hashable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from dashboard.live.bell import ANYTHING, Ring
from dashboard.live.consumers import FleetConsumer
from dashboard.live.fragments import Shown
from dashboard.live.hub import Group, Hub


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


class Page:
    """A page that counts its looks, and cannot be made if broken."""

    def __init__(self, *, broken: bool) -> None:
        self.broken = broken
        self.looks = 0

    @property
    def key(self) -> Hashable:
        return self.broken

    def touched_by(self, ring: Ring) -> bool:
        return True

    def look(self) -> Shown:
        self.looks += 1
        if self.broken:
            raise KeyError("a column that is not there")
        return Shown(fragments={})


async def test_a_page_that_cannot_be_made_ends_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("dashboard.live.hub.database_sync_to_async", sync_to_async)
    hub, broken, whole = Hub(), Page(broken=True), Page(broken=False)
    for page in (broken, whole):
        hub.groups[page.key] = Group(page)
    hub.ring(ANYTHING)
    await hub._look()
    assert (broken.looks, whole.looks) == (1, 1)
    assert "failed look view=Page" in caplog.text
