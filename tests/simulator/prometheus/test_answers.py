"""The HTTP API of the simulated Prometheus: shapes, errors and who is let in, as recorded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from simulator.prometheus.scraping import Scraper
from simulator.prometheus.server import Access, PrometheusServer
from simulator.world.cluster import Ingress
from tests.simulator.prometheus.lived import lived

RECORDED = Path(__file__).parents[2] / "fixtures" / "prometheus"
S = "http_server_request_duration_seconds_count"


@pytest.fixture
def scraper() -> Scraper:
    return lived((1, 22), Ingress.ISTIO)


@pytest.fixture
async def server(scraper: Scraper) -> AsyncIterator[PrometheusServer]:
    made = PrometheusServer(scraper)
    await made.start()
    yield made
    await made.stop()


async def ask(
    server: PrometheusServer, path: str, *, method: str = "GET", **more: Any
) -> tuple[int, Any, str]:
    """Status, body and content type."""
    asked = more.pop("params", {})
    where = {"params": asked} if method == "GET" else {"data": asked}
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, f"{server.url}{path}", **where, **more) as answer,
    ):
        text = await answer.text()
        shown = json.loads(text) if answer.content_type == "application/json" else text
        return answer.status, shown, answer.content_type


@pytest.mark.parametrize(
    "name",
    [
        "error-bad-label-name",
        "error-bad-time",
        "error-bad-timeout",
        "error-end-before-start",
        "error-no-such-path",
        "error-range-needed",
        "error-series-empty-matcher",
        "error-series-no-match",
        "error-too-many-points",
        "error-unknown-function",
        "instant-scalar",
        "instant-string",
        "series-nothing",
        "label-values-unknown-label",
    ],
)
async def test_as_a_real_one_answered(server: PrometheusServer, name: str) -> None:
    recorded = json.loads((RECORDED / f"{name}.json").read_text())
    wanted = recorded["request"]
    status, body, kind = await ask(server, wanted["path"], params=wanted["params"])
    assert status == recorded["status"]
    assert kind == recorded["headers"]["Content-Type"].partition(";")[0]
    assert _without_time(body) == _without_time(recorded["body"])


def _without_time(body: Any) -> Any:
    """The moment of an answer is its own."""
    if isinstance(body, dict) and isinstance(body.get("data"), dict):
        result = body["data"].get("result", [])
        if len(result) == 2 and not isinstance(result[0], dict):
            return body | {"data": body["data"] | {"result": [0, result[1]]}}
    return body


async def test_a_query_takes_its_time_from_the_world(server: PrometheusServer) -> None:
    _, body, _ = await ask(server, "/api/v1/query", params={"query": "up{job='activator'}"})
    (found,) = body["data"]["result"]
    assert found["value"][1] == "1"
    assert abs(found["value"][0] - server.now_ms / 1000) < 1


async def test_a_range_may_be_posted(server: PrometheusServer) -> None:
    end = server.now_ms / 1000
    asked = {"query": f"sum({S})", "start": end - 60, "end": end, "step": "15s"}
    status, body, _ = await ask(server, "/api/v1/query_range", method="POST", params=asked)
    assert (status, body["data"]["resultType"]) == (200, "matrix")
    assert len(body["data"]["result"][0]["values"]) == 5


async def test_what_is_there_can_be_listed(server: PrometheusServer) -> None:
    _, names, _ = await ask(server, "/api/v1/label/kn_revision_name/values")
    assert names["data"] == ["llama-predictor-00001"]
    _, labels, _ = await ask(server, "/api/v1/labels", params={"match[]": "up"})
    assert {"__name__", "instance", "job"} <= set(labels["data"])
    _, series, _ = await ask(server, "/api/v1/series", params={"match[]": "up{job='autoscaler'}"})
    assert [each["job"] for each in series["data"]] == ["autoscaler"]
    _, metadata, _ = await ask(server, "/api/v1/metadata", params={"metric": "up"})
    assert metadata["data"] == {}
    _, build, _ = await ask(server, "/api/v1/status/buildinfo")
    assert build["data"]["version"] == "2.42.0"


@pytest.mark.parametrize(
    ("query", "says"),
    [
        pytest.param(
            "predict_linear(up[5m], 60)", "predict_linear is not supported", id="function"
        ),
        pytest.param("max_over_time(up[5m:1m])", "subqueries are not supported", id="subquery"),
        pytest.param("up @ 100", "@ modifier is not supported", id="at"),
        pytest.param("up[5m]", "range vectors are not answered", id="range vector"),
    ],
)
async def test_what_is_not_known_is_said_and_not_guessed(
    server: PrometheusServer, query: str, says: str
) -> None:
    status, body, _ = await ask(server, "/api/v1/query", params={"query": query})
    assert (status, body["errorType"]) == (422, "execution")
    assert says in body["error"]


@pytest.mark.parametrize(
    ("access", "headers", "status"),
    [
        pytest.param(Access(bearer="t"), {}, 401, id="a token is needed"),
        pytest.param(Access(bearer="t"), {"Authorization": "Bearer x"}, 401, id="another token"),
        pytest.param(Access(bearer="t"), {"Authorization": "Bearer t"}, 200, id="the token"),
        pytest.param(
            Access(basic=("a", "b")), {"Authorization": "Basic YTpi"}, 200, id="name and password"
        ),
        pytest.param(Access(basic=("a", "b")), {}, 401, id="no password"),
        pytest.param(Access(tenant="one"), {}, 401, id="no tenant"),
        pytest.param(Access(tenant="one"), {"X-Scope-OrgID": "one"}, 200, id="the tenant"),
    ],
)
async def test_who_is_let_in(
    scraper: Scraper, access: Access, headers: dict[str, str], status: int
) -> None:
    server = PrometheusServer(scraper, access)
    await server.start()
    try:
        found, _, _ = await ask(server, "/api/v1/query", params={"query": "up"}, headers=headers)
    finally:
        await server.stop()
    assert found == status


async def test_a_query_ends_with_its_time(server: PrometheusServer) -> None:
    end = server.now_ms / 1000
    asked = {"query": f"sum({S}) + sum({S})", "start": end - 3000, "end": end, "step": 1}
    status, body, _ = await ask(server, "/api/v1/query_range", params=asked | {"timeout": "1ms"})
    assert (status, body["errorType"]) == (503, "timeout")
    await asyncio.sleep(0)
