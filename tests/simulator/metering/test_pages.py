"""Metrics pages over HTTP: found by service discovery, and through the API server's pod proxy."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import aiohttp
import pytest

from simulator.api.sources import PodRequest
from simulator.metering.server import MetricsPages
from simulator.store.resources import DEPLOYMENTS, PODS
from simulator.world import manifests
from simulator.world.hooks import WorldPods
from tests.simulator.metering.metered import Metered, metered
from tests.simulator.world.worlds import MODEL


@pytest.fixture
def at() -> Metered:
    made = metered()
    made.call(times=2)
    made.at.run(5)
    return made


@pytest.fixture
async def pages(at: Metered) -> AsyncIterator[MetricsPages]:
    made = MetricsPages(at.scraped)
    await made.start()
    yield made
    await made.stop()


async def get(pages: MetricsPages, path: str) -> tuple[int, Any]:
    async with aiohttp.ClientSession() as session, session.get(f"{pages.url}{path}") as answer:
        kind = answer.content_type
        return answer.status, await (answer.json() if "json" in kind else answer.text())


async def test_every_target_is_found_with_its_page(pages: MetricsPages) -> None:
    _, found = await get(pages, "/targets")
    assert {each["labels"]["job"] for each in found} == {
        "activator",
        "autoscaler",
        "istio-ingressgateway",
        "queue-proxy",
        "vllm",
    }
    for each in found:
        status, text = await get(pages, each["labels"]["__metrics_path__"])
        assert (status, text[:7]) == (200, "# TYPE ")


async def test_pages_that_keep_their_labels_are_found_apart(pages: MetricsPages) -> None:
    _, found = await get(pages, "/targets?kept=1")
    assert [each["labels"]["job"] for each in found] == ["kube-state-metrics"]


async def test_a_server_that_loads_has_no_page_yet(at: Metered, pages: MetricsPages) -> None:
    at.at.apply(replace(MODEL, name="late", min_replicas=1))
    at.at.run(8)
    _, found = await get(pages, "/targets")
    paths = {
        each["labels"]["job"]: each["labels"]["__metrics_path__"]
        for each in found
        if each["labels"].get("pod", "").startswith("late-")
    }
    assert (await get(pages, paths["vllm"]))[0] == 503
    assert (await get(pages, "/vllm/10.0.0.9:1/metrics"))[0] == 404


@pytest.mark.parametrize(
    ("port", "says"),
    [
        pytest.param(9091, "http_server_request_duration_seconds_count{", id="queue-proxy"),
        pytest.param(8080, "vllm:request_success_total{", id="the model server"),
    ],
)
async def test_pages_of_a_pod_come_through_its_proxy(at: Metered, port: int, says: str) -> None:
    (pod,) = at.at.pods()
    answer = await WorldPods(at.callers, at.scraped).request(
        PodRequest(pod=pod, port=port, method="GET", path="/metrics")
    )
    assert answer.status == 200
    assert isinstance(answer.body, bytes)
    assert says in answer.body.decode()


async def test_the_activators_page_comes_through_the_proxy_of_its_own_pod() -> None:
    made = metered()
    for deployment in manifests.control_planes(made.at.world.plan.settings):
        made.at.world.cluster.ensure(DEPLOYMENTS, deployment, manager="helm")
    made.at.run(40)
    made.call()
    made.at.run(5)
    pods = made.at.world.store.list(PODS, "knative-serving")
    activator = next(each for each in pods if each["metadata"]["labels"]["app"] == "activator")
    answer = await WorldPods(made.callers, made.scraped).request(
        PodRequest(pod=activator, port=9090, method="GET", path="/metrics")
    )
    assert isinstance(answer.body, bytes)
    assert b"kn_revision_request_concurrency{" in answer.body


async def test_where_nothing_listens_the_proxy_is_refused(at: Metered) -> None:
    (pod,) = at.at.pods()
    with pytest.raises(ConnectionRefusedError):
        await WorldPods(at.callers, at.scraped).request(
            PodRequest(pod=pod, port=9999, method="GET", path="/metrics")
        )


def test_without_request_metrics_the_port_is_there_and_nobody_listens() -> None:
    made = metered(request_metrics=False)
    found = {each.job: each.read for each in made.scraped.targets()}
    assert found["queue-proxy"] is None
    assert found["activator"] is not None
