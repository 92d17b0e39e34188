"""Lists: pages of one state, versions of the past, forms, compression."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from simulator.api.hosted import HostedApi
from simulator.api.reading import GZIP_ABOVE_BYTES
from simulator.store.resources import PODS
from tests.simulator.api.exchanges import client_of

PATH = "/api/v1/pods"


@pytest.fixture
def pods(api: HostedApi) -> HostedApi:
    """Seven pods in two namespaces."""
    for number in range(7):
        add(api, f"p{number}", "web" if number % 2 else "default")
    return api


def add(api: HostedApi, name: str, namespace: str = "web", **spec: Any) -> None:
    pod = {"metadata": {"namespace": namespace, "name": name}, "spec": spec}
    api.call(lambda: api.store.create(PODS, pod, manager="test"))


def names(body: dict[str, Any]) -> list[str]:
    return [item["metadata"]["name"] for item in body["items"]]


def pages(client: httpx.Client, **params: Any) -> Iterator[dict[str, Any]]:
    token = ""
    while True:
        body = client.get(PATH, params=params | {"continue": token}).json()
        yield body
        token = body["metadata"].get("continue", "")
        if not token:
            return


def test_pages_make_up_the_list_in_order(pods: HostedApi, client: httpx.Client) -> None:
    found = list(pages(client, limit=3))
    assert [names(page) for page in found] == [["p0", "p2", "p4"], ["p6", "p1", "p3"], ["p5"]]
    assert [page["metadata"].get("remainingItemCount") for page in found] == [4, 1, None]


def test_pages_show_one_state_whatever_happens_between(
    pods: HostedApi, client: httpx.Client
) -> None:
    through = pages(client, limit=3)
    first = next(through)
    pods.call(lambda: pods.store.delete(PODS, "default", "p6"))
    add(pods, "p11")
    rest = list(through)
    assert [name for page in rest for name in names(page)] == ["p6", "p1", "p3", "p5"]
    versions = {page["metadata"]["resourceVersion"] for page in [first, *rest]}
    assert len(versions) == 1


def test_after_compaction_the_rest_comes_from_another_state(
    pods: HostedApi, client: httpx.Client
) -> None:
    first = next(pages(client, limit=3))
    pods.call(pods.store.compact)
    token = first["metadata"]["continue"]
    gone = client.get(PATH, params={"limit": 3, "continue": token})
    assert (gone.status_code, gone.json()["reason"]) == (410, "Expired")
    again = client.get(PATH, params={"continue": gone.json()["metadata"]["continue"]})
    assert names(again.json()) == ["p6", "p1", "p3", "p5"]


def test_selected_pages_do_not_tell_how_many_remain(pods: HostedApi, client: httpx.Client) -> None:
    (first, second) = pages(client, limit=2, fieldSelector="metadata.namespace=web")
    assert "remainingItemCount" not in first["metadata"]
    assert names(first) + names(second) == ["p1", "p3", "p5"]


def test_the_cache_knows_no_limit(pods: HostedApi, client: httpx.Client) -> None:
    assert len(client.get(PATH, params={"limit": 1, "resourceVersion": "0"}).json()["items"]) == 7


def test_an_exact_version_shows_the_past(pods: HostedApi, client: httpx.Client) -> None:
    then = client.get(PATH).json()["metadata"]["resourceVersion"]
    add(pods, "later")
    params = {"resourceVersion": then, "resourceVersionMatch": "Exact"}
    past = client.get(PATH, params=params).json()
    assert (len(past["items"]), past["metadata"]["resourceVersion"]) == (7, then)


def test_a_version_of_the_future_is_waited_for_in_vain() -> None:
    with HostedApi(wait_for_version_s=0.05) as api, client_of(api) as client:
        client.headers["Authorization"] = f"Bearer {api.token()}"
        answer = client.get(PATH, params={"resourceVersion": "99999999"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (504, "1")


@pytest.mark.parametrize(
    ("params", "status"),
    [
        pytest.param({"limit": "many"}, 400, id="a limit that is no number"),
        pytest.param({"continue": "e30"}, 400, id="a token of another kind"),
        pytest.param({"resourceVersion": "x"}, 422, id="a version that is no number"),
        pytest.param({"resourceVersionMatch": "Exact"}, 410, id="exactly no version"),
        pytest.param({"labelSelector": "a in b"}, 400, id="a set without parentheses"),
    ],
)
def test_lists_that_cannot_be(client: httpx.Client, params: dict[str, str], status: int) -> None:
    assert client.get(PATH, params=params).status_code == status


@pytest.mark.parametrize(
    ("padding_bytes", "encoding"),
    [
        pytest.param(10, None, id="small answers as they are"),
        pytest.param(GZIP_ABOVE_BYTES, "gzip", id="large ones compressed"),
    ],
)
def test_compression(
    api: HostedApi, client: httpx.Client, padding_bytes: int, encoding: str | None
) -> None:
    add(api, "a", padding="x" * padding_bytes)
    with client.stream("GET", PATH, headers={"Accept-Encoding": "gzip"}) as response:
        raw = b"".join(response.iter_raw())
        assert response.headers.get("Content-Encoding") == encoding
    text = gzip.decompress(raw) if encoding else raw
    assert b'"name":"a"' in text


@pytest.mark.parametrize(
    ("accept", "kind", "rows"),
    [
        pytest.param("application/json", "PodList", "items", id="objects"),
        pytest.param(
            "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
            "PartialObjectMetadataList",
            "items",
            id="metadata only",
        ),
        pytest.param("application/json;as=Table;v=v1;g=meta.k8s.io", "Table", "rows", id="table"),
        pytest.param("*/*", "PodList", "items", id="anything"),
        pytest.param("text/html, application/json", "PodList", "items", id="the first served"),
    ],
)
def test_forms(pods: HostedApi, client: httpx.Client, accept: str, kind: str, rows: str) -> None:
    body = client.get(PATH, headers={"Accept": accept}).json()
    assert (body["kind"], len(body[rows])) == (kind, 7)


def test_a_form_that_is_not_served(client: httpx.Client) -> None:
    answer = client.get(PATH, headers={"Accept": "application/vnd.kubernetes.protobuf"})
    assert answer.status_code == 406
