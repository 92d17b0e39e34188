"""A finding arrives on open pages: on the fleet's row and on the model's page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connections

from dashboard.live import hub
from dashboard.live.bell import Ring
from fleet.history import insights
from fleet.history.insights import Concluded
from fleet.models import ModelInsight
from tests.dashboard.live.test_sockets import joined, message_with
from tests.factories import HOSTILE, make_cluster, make_model, make_user

pytestmark = [pytest.mark.django_db(transaction=True)]
MODEL = "demo-a/InferenceService/chat/first"
FINDING: dict[str, Any] = {
    "cause": "gpu-oom",
    "confidence": 0.9,
    "phase": "engine_load",
    "rule": "device-memory-full",
    "params": {},
    "evidence": [{"kind": "log", "ref": f"log/{HOSTILE}:1", "says": HOSTILE, "at": None}],
    "remedies": ["more-or-larger-gpu"],
}


@pytest.fixture(autouse=True)
async def hub_ends() -> AsyncIterator[None]:
    yield
    hub.HUB._stop()
    hub.HUB.groups.clear()
    await sync_to_async(connections.close_all)()


@pytest.fixture
async def viewer() -> User:
    return await sync_to_async(_fleet)()


def _fleet() -> User:
    now = datetime.now(UTC)
    make_cluster("demo-a", now=now)
    make_model("first", state="Failing", rank=0)
    make_model("second", rank=50)
    return make_user("ann", role="viewer")


def _found() -> None:
    now = datetime.now(UTC)
    row = insights.troubled(["demo-a"])[0].row
    insights.ask([(row, "failing")], now=now)
    claimed = insights.claim(ModelInsight.objects.get().pk, now=now)
    assert claimed is not None
    concluded = Concluded(
        findings=[FINDING], lint=[], profile={}, linted_for="mark", collected={"pods": []}
    )
    assert insights.conclude(claimed, concluded, began=now, now=now)


@pytest.mark.parametrize(
    ("path", "part"),
    [
        pytest.param("/ws/fleet/", "model-", id="the row of the fleet"),
        pytest.param(f"/ws/models/{MODEL}/", "model-findings", id="the model's page"),
    ],
)
async def test_a_finding_arrives(viewer: User, path: str, part: str) -> None:
    socket, _ = await joined(path, viewer)
    await sync_to_async(_found)()
    hub.HUB.ring(Ring("", frozenset({MODEL})))
    message = await message_with(socket, "fragments")
    (html,) = [f["html"] for f in message["fragments"] if f["id"].startswith(part)][:1]
    assert "The GPU has no memory left for the model." in html
    assert HOSTILE not in html
    await socket.disconnect()


async def test_what_did_not_change_is_not_sent(viewer: User) -> None:
    socket, first = await joined(f"/ws/models/{MODEL}/", viewer)
    ids = {fragment["id"] for fragment in first["fragments"]}
    assert {"model-findings", "model-advice"} <= ids
    stamps = {f["id"]: f["html"].split('data-stamp="')[1].split('"')[0] for f in first["fragments"]}
    await socket.send_json_to({"have": stamps})
    assert (await message_with(socket, "snapshot"))["fragments"] == []
    await socket.disconnect()
