"""A running cluster, driven and watched by nothing but HTTP."""

from __future__ import annotations

import asyncio
import io
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from simulator.world import manifests
from simulator.world.papers import Options, write_papers
from simulator.world.run import Running, start
from simulator.world.shapes import condition_status
from tests.simulator.world.worlds import MODEL

pytestmark = pytest.mark.asyncio(loop_scope="module")
SPEED = 40.0
ISVCS = "/apis/serving.kserve.io/v1beta1/namespaces/chat/inferenceservices"
PILOT = {"Host": "pilot-predictor.chat.example.com"}
ASKED = {"model": "pilot", "prompt": "x", "max_tokens": 4}


class Outside:
    """What somebody outside has: the address, a token, the gateway."""

    def __init__(self, running: Running) -> None:
        context = ssl.create_default_context(cadata=running.api.ca.decode())
        self.gateway_url = running.gateway.url
        token = running.tokens["admin"]
        self.api = httpx.AsyncClient(
            base_url=running.api.url, verify=context, headers={"Authorization": f"Bearer {token}"}
        )
        self.http = httpx.AsyncClient(base_url=running.gateway.url, timeout=30)

    async def get(self, path: str) -> Any:
        return (await self.api.get(path)).raise_for_status().json()

    async def pods(self, name: str) -> list[dict[str, Any]]:
        selector = f"labelSelector=serving.kserve.io/inferenceservice={name}"
        items: list[dict[str, Any]] = (await self.get(f"/api/v1/namespaces/chat/pods?{selector}"))[
            "items"
        ]
        return items

    async def until(self, holds: Callable[[], Awaitable[bool]], *, within_s: float = 20) -> None:
        async with asyncio.timeout(within_s):
            while not await holds():  # noqa: ASYNC110 - the condition is behind HTTP
                await asyncio.sleep(0.05)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("simulated")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(directory: Path) -> AsyncIterator[list[Running]]:
    """Three small clusters for all tests of this file."""
    options = Options(directory=directory, clusters=3, models=9, speed=SPEED)
    clusters = await start(options, io.StringIO())
    write_papers(options, [each.papers() for each in clusters])
    yield clusters
    await asyncio.gather(*(each.stop() for each in clusters))


@pytest_asyncio.fixture(loop_scope="module")
async def outside(running: list[Running]) -> AsyncIterator[Outside]:
    there = Outside(running[0])
    yield there
    await there.api.aclose()
    await there.http.aclose()


async def test_a_call_wakes_the_pilot_and_is_answered(outside: Outside) -> None:
    await outside.until(lambda: _has(outside, "pilot", pods=0))
    answer = await outside.http.post("/v1/completions", json=ASKED, headers=PILOT)
    assert answer.status_code == 200
    assert answer.json()["usage"]["completion_tokens"] == 4
    assert answer.headers["server"] == "envoy"
    (pod,) = await outside.pods("pilot")
    assert condition_status(pod, "Ready") == "True"


async def _has(outside: Outside, name: str, *, pods: int) -> bool:
    return len(await outside.pods(name)) == pods


async def test_a_stream_comes_in_events(outside: Outside) -> None:
    body = ASKED | {"stream": True}
    async with outside.http.stream("POST", "/v1/completions", json=body, headers=PILOT) as answer:
        lines = [line async for line in answer.aiter_lines() if line]
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert lines[-1] == "data: [DONE]"
    assert len(lines) == 5


async def test_a_new_model_starts_and_its_log_can_be_read(outside: Outside) -> None:
    model = manifests.inference_service(MODEL)
    model |= {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService"}
    model["spec"]["predictor"]["minReplicas"] = 1
    (await outside.api.post(ISVCS, json=model)).raise_for_status()

    async def ready() -> bool:
        return condition_status(await outside.get(f"{ISVCS}/llama"), "Ready") == "True"

    await outside.until(ready, within_s=40)
    (pod,) = await outside.pods("llama")
    path = f"/api/v1/namespaces/chat/pods/{pod['metadata']['name']}"
    log = await outside.api.get(f"{path}/log?container=kserve-container&timestamps=true")
    assert "Application startup complete." in log.text
    page = await outside.api.get(f"{path}:8080/proxy/metrics")
    assert "vllm:num_requests_running" in page.text


@pytest.mark.parametrize(
    ("host", "status", "text"),
    [
        pytest.param("nobody.chat.example.com", 404, "", id="no route"),
        pytest.param("pilot-predictor.chat.example.com", 404, "does not exist", id="wrong name"),
    ],
)
async def test_what_the_gateway_refuses(
    outside: Outside, host: str, status: int, text: str
) -> None:
    body = ASKED | {"model": "nobody"}
    answer = await outside.http.post("/v1/completions", json=body, headers={"Host": host})
    assert answer.status_code == status
    assert text in answer.text


async def test_a_standard_model_at_zero_is_refused_at_once(running: list[Running]) -> None:
    there = Outside(running[2])
    try:
        replicas = {"spec": {"predictor": {"minReplicas": 0}}}
        await there.until(lambda: _ready(there, "llama-3-8b"))
        note = {"metadata": {"annotations": {"serving.kserve.io/autoscalerClass": "none"}}}
        patched = await there.api.patch(
            f"{ISVCS}/llama-3-8b",
            json=note | replicas,
            headers={"Content-Type": "application/merge-patch+json"},
        )
        patched.raise_for_status()
        await there.until(lambda: _has(there, "llama-3-8b", pods=0))
        headers = {"Host": "llama-3-8b-chat.example.com"}
        answer = await there.http.get("/v1/models", headers=headers)
        assert (answer.status_code, answer.text) == (503, "no healthy upstream")
        assert "x-envoy-upstream-service-time" not in answer.headers
    finally:
        await there.api.aclose()
        await there.http.aclose()


async def _ready(there: Outside, name: str) -> bool:
    return condition_status(await there.get(f"{ISVCS}/{name}"), "Ready") == "True"


async def test_papers_tell_where_everything_is(running: list[Running], directory: Path) -> None:
    for name in ("kubeconfig", "tokens.json", "simulated.json"):
        assert (directory / name).stat().st_mode & 0o777 == 0o600
    described = (directory / "simulated.json").read_text()
    assert all(each.gateway.url in described for each in running)
    assert running[0].tokens["admin"] not in described
