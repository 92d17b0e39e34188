"""Bad days on order."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx
import pytest

from simulator.api.faults import Fault, FaultKind, Faults, fault_from
from simulator.api.hosted import HostedApi
from simulator.store.resources import PODS
from tests.simulator.api.exchanges import client_of

PODS_PATH = "/api/v1/pods"


def order(client: httpx.Client, **fault: Any) -> None:
    assert client.post("/_faults", json=fault).status_code == 200


def test_down_closes_without_an_answer(api: HostedApi, client: httpx.Client) -> None:
    order(client, kind="down")
    with pytest.raises(httpx.RemoteProtocolError):
        client.get("/version")
    client.delete("/_faults")
    assert client.get("/version").status_code == 200


def test_slow_answers_come_late(api: HostedApi, client: httpx.Client) -> None:
    order(client, kind="slow", seconds=0.3, times=1)
    started = time.monotonic()
    assert client.get(PODS_PATH).status_code == 200
    assert time.monotonic() - started >= 0.3
    assert api.server.faults.orders == []


def test_an_error_is_a_status_of_500(client: httpx.Client) -> None:
    order(client, kind="error", times=1)
    answer = client.get(PODS_PATH)
    assert (answer.status_code, answer.json()["reason"]) == (500, "InternalError")
    assert client.get(PODS_PATH).status_code == 200


def test_throttling_says_when_to_come_again(client: httpx.Client) -> None:
    order(client, kind="throttle", seconds=2, verb="list", resource="pods")
    answer = client.get(PODS_PATH)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "2")
    assert client.get("/api/v1/nodes").status_code == 200


def test_a_storm_of_410(api: HostedApi, client: httpx.Client) -> None:
    since = api.call(lambda: api.store.resource_version)
    order(client, kind="expired", times=1)
    params = {"watch": "1", "resourceVersion": str(since), "timeoutSeconds": "0.3"}
    (line,) = client.get(PODS_PATH, params=params).text.splitlines()
    assert json.loads(line)["object"]["code"] == 410
    assert client.get(PODS_PATH, params=params).text == ""


def test_a_fresh_list_gets_through_a_storm(client: httpx.Client) -> None:
    order(client, kind="expired")
    assert client.get(PODS_PATH).status_code == 200


def test_watches_cut_after_a_while(client: httpx.Client) -> None:
    order(client, kind="cut", seconds=0.2)
    params = {"watch": "1", "timeoutSeconds": "20"}
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(PODS_PATH, params=params)


def test_all_watches_cut_now(api: HostedApi, client: httpx.Client) -> None:
    with client.stream("GET", PODS_PATH, params={"watch": "1"}) as response:
        order(client, now="cut", resource="pods")
        with pytest.raises(httpx.RemoteProtocolError):
            response.read()


def test_forgetting_the_history(api: HostedApi, client: httpx.Client) -> None:
    before = api.call(lambda: api.store.resource_version)
    order(client, now="compact")
    assert api.call(lambda: api.store.floor(PODS)) > before


@pytest.mark.parametrize("token", [None, "operator", "viewer"])
def test_only_the_administrator_orders(api: HostedApi, token: str | None) -> None:
    with client_of(api) as client:
        if token:
            client.headers["Authorization"] = f"Bearer {api.token(token)}"
        assert client.post("/_faults", json={"kind": "down"}).status_code == 401
    assert api.server.faults.orders == []


def test_an_order_that_cannot_be_read_is_refused(client: httpx.Client) -> None:
    assert client.post("/_faults", json={"kind": "earthquake"}).status_code == 400


def test_orders_are_used_up_and_only_by_what_they_concern() -> None:
    faults = Faults([fault_from({"kind": "error", "verb": "list", "times": 2})])
    assert faults.take(FaultKind.SLOW, verb="list", resource="pods") is None
    assert faults.take(FaultKind.ERROR, verb="watch", resource="pods") is None
    assert isinstance(faults.take(FaultKind.ERROR, verb="list", resource="pods"), Fault)
    assert isinstance(faults.take(FaultKind.ERROR, verb="list", resource="pods"), Fault)
    assert faults.take(FaultKind.ERROR, verb="list", resource="pods") is None
