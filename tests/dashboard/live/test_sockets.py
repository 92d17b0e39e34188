"""Sockets, through the whole web application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connections
from django.db.models import F
from django.test import Client

from dashboard.asgi import application
from dashboard.live import consumers, hub
from dashboard.live.bell import Ring
from fleet.models import Membership, ServedModel
from tests.factories import make_cluster, make_model, make_user

pytestmark = [pytest.mark.django_db(transaction=True)]
ORIGIN = b"http://localhost"
WITHIN_S = 10.0


def connection(path: str, user: User | None, origin: bytes = ORIGIN) -> WebsocketCommunicator:
    client = Client()
    headers = [(b"origin", origin), (b"host", b"localhost")]
    if user is not None:
        client.force_login(user)
        cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
        headers.append((b"cookie", cookies.encode()))
    return WebsocketCommunicator(application, path, headers=headers)


opened = sync_to_async(connection)


async def joined(path: str, user: User, have: dict[str, str] | None = None) -> Any:
    """A connection that has asked, and its snapshot."""
    socket = await opened(path, user)
    assert (await socket.connect(timeout=WITHIN_S))[0]
    await socket.send_json_to({"have": have or {}, "language": "en"})
    return socket, await socket.receive_json_from(timeout=WITHIN_S)


async def message_with(socket: WebsocketCommunicator, name: str) -> dict[str, Any]:
    """The next message that says something of that name."""
    while True:
        message: dict[str, Any] = await socket.receive_json_from(timeout=WITHIN_S)
        if name in message:
            return message


@pytest.fixture(autouse=True)
async def hub_ends() -> AsyncIterator[None]:
    yield
    hub.HUB._stop()
    hub.HUB.groups.clear()
    # The thread for the database keeps its connection, and PostgreSQL's test database with it.
    await sync_to_async(connections.close_all)()


@pytest.fixture
async def fleet() -> User:
    return await sync_to_async(_fleet)()


def _fleet() -> User:
    now = datetime.now(UTC)
    make_cluster("demo-a", now=now)
    make_cluster("demo-b", now=now)
    make_model("first", rank=1)
    make_model("second", rank=2, namespace="rag")
    make_model("third", rank=3, cluster="demo-b")
    return make_user("ann", role="viewer")


def dom_id(name: str) -> str:
    return f"model-{ServedModel.objects.get(name=name).pk}"


def change(name: str, **columns: Any) -> str:
    ServedModel.objects.filter(name=name).update(version=F("version") + 1, **columns)
    return str(ServedModel.objects.get(name=name).key)


async def changed(name: str, **columns: Any) -> None:
    key = await sync_to_async(change)(name, **columns)
    hub.HUB.ring(Ring("", frozenset({key})))


@pytest.mark.parametrize(
    ("path", "signed_in", "origin"),
    [
        pytest.param("/ws/fleet/", False, ORIGIN, id="not signed in"),
        pytest.param("/ws/fleet/", True, b"http://evil.example", id="a foreign page"),
        pytest.param("/ws/nothing/", True, ORIGIN, id="no such socket"),
        pytest.param(
            "/ws/models/demo-b/InferenceService/chat/third/", True, ORIGIN, id="out of scope"
        ),
    ],
)
async def test_refused(path: str, fleet: User, origin: bytes, *, signed_in: bool) -> None:
    await Membership.objects.filter(user=fleet).aupdate(clusters=["demo-a"])
    socket = await opened(path, fleet if signed_in else None, origin)
    assert (await socket.connect(timeout=WITHIN_S))[0] is False


async def test_the_snapshot_holds_what_the_page_lacks(fleet: User) -> None:
    socket, first = await joined("/ws/fleet/", fleet)
    ids = {fragment["id"] for fragment in first["fragments"]}
    assert {"counts", "flights", "cluster-lines", "pager"} < ids
    assert first["n"] == 1
    assert first["order"] == [await sync_to_async(dom_id)(n) for n in ("first", "second", "third")]
    stamps = {f["id"]: f["html"].split('data-stamp="')[1].split('"')[0] for f in first["fragments"]}
    await socket.send_json_to({"have": stamps})
    again = await message_with(socket, "snapshot")
    assert again["fragments"] == []
    await socket.disconnect()


async def test_a_changed_row_arrives_alone_and_the_order_with_it(fleet: User) -> None:
    socket, _ = await joined("/ws/fleet/", fleet)
    await changed("third", state="Failing", rank=0)
    message = await message_with(socket, "order")
    row = await sync_to_async(dom_id)("third")
    assert {f["id"] for f in message["fragments"]} == {row, "counts"}
    assert "Failing" in next(f["html"] for f in message["fragments"] if f["id"] == row)
    assert message["order"][0] == row
    assert message["n"] == 2
    await socket.disconnect()


async def test_a_lost_ring_makes_a_late_row_and_no_wrong_one(
    fleet: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "LOOK_ANYWAY_S", 0.2)
    socket, _ = await joined("/ws/fleet/", fleet)
    await sync_to_async(change)("first", state="Failing")
    assert "Failing" in str((await message_with(socket, "fragments"))["fragments"])
    await socket.disconnect()


async def test_nobody_hears_of_what_lies_outside_of_their_scope(fleet: User) -> None:
    await Membership.objects.filter(user=fleet).aupdate(namespaces=["rag"])
    socket, first = await joined("/ws/fleet/", fleet)
    assert first["order"] == [await sync_to_async(dom_id)("second")]
    await changed("first", state="Failing")
    await changed("second", ready=9)
    text = str((await message_with(socket, "fragments"))["fragments"])
    assert "9 / 1" in text
    assert "first" not in text
    await socket.disconnect()


async def test_filters_of_the_address_hold_for_what_is_sent(fleet: User) -> None:
    socket, first = await joined("/ws/fleet/?cluster=demo-b", fleet)
    assert first["order"] == [await sync_to_async(dom_id)("third")]
    await socket.disconnect()


async def test_viewers_of_one_page_share_a_group_and_number_for_themselves(fleet: User) -> None:
    one, _ = await joined("/ws/fleet/", fleet)
    await changed("first", ready=5)
    await message_with(one, "fragments")
    two, late = await joined("/ws/fleet/", fleet)
    assert len(hub.HUB.groups) == 1
    await changed("first", ready=6)
    assert late["n"] == 1
    assert [(await message_with(s, "fragments"))["n"] for s in (one, two)] == [3, 2]
    await one.disconnect()
    await two.disconnect()
    assert hub.HUB.groups == {}


async def test_a_burst_is_told_at_most_four_times_a_second(fleet: User) -> None:
    socket, _ = await joined("/ws/fleet/", fleet)
    began = asyncio.get_running_loop().time()
    for ready in range(30):
        await changed("first", ready=ready)
        await asyncio.sleep(0.02)
    messages: list[dict[str, Any]] = []
    while "29 / 1" not in str(messages):
        messages.append(await message_with(socket, "fragments"))
    lasted_s = asyncio.get_running_loop().time() - began
    assert len(messages) <= lasted_s / hub.PAUSE_S + 2
    await socket.disconnect()


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        pytest.param({"role": "operator"}, consumers.SCOPE_CHANGED, id="another role"),
        pytest.param({"clusters": ["demo-b"]}, consumers.SCOPE_CHANGED, id="another scope"),
        pytest.param(None, consumers.SIGNED_OUT, id="deactivated"),
        pytest.param({}, consumers.SIGNED_OUT, id="signed out"),
    ],
)
async def test_revoked_means_closed(
    fleet: User, columns: dict[str, Any] | None, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "CHECK_S", 0.2)
    socket, _ = await joined("/ws/fleet/", fleet)
    if columns is None:
        await User.objects.filter(pk=fleet.pk).aupdate(is_active=False)
    elif columns:
        await Membership.objects.filter(user=fleet).aupdate(**columns)
    else:
        await Session.objects.all().adelete()
    while (said := await socket.receive_output(timeout=WITHIN_S))["type"] == "websocket.send":
        pass
    assert (said["type"], said["code"]) == ("websocket.close", code)


@pytest.mark.parametrize(
    "text",
    ["nonsense", "[]", '{"have": 3}', '{"have":{}}' + " " * 70_000, "[" * 60_000],
    ids=["no JSON", "a list", "no stamps", "too long", "nested too deep"],
)
async def test_what_is_not_understood_closes(fleet: User, text: str) -> None:
    socket = await opened("/ws/fleet/", fleet)
    await socket.connect(timeout=WITHIN_S)
    await socket.send_to(text_data=text)
    said = await socket.receive_output(timeout=WITHIN_S)
    assert (said["type"], said["code"]) == ("websocket.close", consumers.NOT_UNDERSTOOD)


async def test_the_model_page_hears_of_its_own_model(fleet: User) -> None:
    socket, first = await joined("/ws/models/demo-a/InferenceService/chat/first/", fleet)
    assert {f["id"] for f in first["fragments"]} >= {"model-head", "model-starts"}
    await changed("first", state="Stopped")
    message = await message_with(socket, "fragments")
    assert [f["id"] for f in message["fragments"]] == ["model-head"]
    await socket.disconnect()


async def test_buttons_are_for_those_who_may_press_them(fleet: User) -> None:
    operator = await sync_to_async(make_user)("bob", role="operator")
    path = "/ws/models/demo-a/InferenceService/chat/first/"
    heads = []
    for user in (operator, fleet):
        socket, first = await joined(path, user)
        heads.append(next(f["html"] for f in first["fragments"] if f["id"] == "model-head"))
        await socket.disconnect()
    assert ["head-do" in html for html in heads] == [True, False]
