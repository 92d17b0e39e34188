"""Smaller doors: protobuf reviews, OpenAPI, older versions, streaming pods, mistakes of callers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from simulator.api.hosted import HostedApi
from simulator.api.protobuf import MAGIC, review_spec
from simulator.api.sources import PodAnswer, PodRequest
from simulator.store.resources import LLMINFERENCESERVICES, PODS
from tests.simulator.api.exchanges import client_of


def field(number: int, content: bytes) -> bytes:
    """A length-delimited protobuf field; short contents only."""
    return bytes([number << 3 | 2, len(content)]) + content


def review(spec: bytes) -> bytes:
    """The envelope kubectl sends: magic, type, object with its spec in field 2."""
    return MAGIC + field(1, field(1, b"v1")) + field(2, field(1, b"") + field(2, spec))


@pytest.mark.parametrize(
    ("plural", "data", "spec"),
    [
        pytest.param(
            "selfsubjectaccessreviews",
            review(field(1, field(1, b"web") + field(2, b"get") + field(5, b"pods"))),
            {"resourceAttributes": {"namespace": "web", "verb": "get", "resource": "pods"}},
            id="may I on a resource",
        ),
        pytest.param(
            "selfsubjectaccessreviews",
            review(field(2, field(1, b"/version") + field(2, b"get"))),
            {"nonResourceAttributes": {"path": "/version", "verb": "get"}},
            id="may I on a path",
        ),
        pytest.param(
            "selfsubjectrulesreviews", review(field(1, b"web")), {"namespace": "web"}, id="what may"
        ),
        pytest.param("selfsubjectreviews", review(b""), {}, id="who am I"),
    ],
)
def test_reviews_in_protobuf(plural: str, data: bytes, spec: dict[str, object]) -> None:
    assert review_spec(data, plural) == spec


@pytest.mark.parametrize("data", [b"{}", MAGIC + b"\x12\x7f", MAGIC + b"\x0b", MAGIC + b"\xff"])
def test_what_is_no_protobuf_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"envelope|cut short|wire type"):
        review_spec(data, "selfsubjectaccessreviews")


def test_other_bodies_in_protobuf_are_not_taken(client: httpx.Client) -> None:
    answer = client.post("/api/v1/namespaces/web/pods", content=MAGIC)
    assert (answer.status_code, answer.json()["reason"]) == (415, "UnsupportedMediaType")


def test_openapi_names_the_parameters_that_kubectl_looks_for(client: httpx.Client) -> None:
    places = client.get("/openapi/v3").json()["paths"]
    where = places["apis/serving.kserve.io/v1beta1"]["serverRelativeURL"]
    paths = client.get(where).json()["paths"]
    path = "/apis/serving.kserve.io/v1beta1/namespaces/{namespace}/inferenceservices/{name}"
    names = {each["name"] for each in paths[path]["patch"]["parameters"]}
    assert {"dryRun", "fieldValidation"} <= names
    kinds = client.get("/openapi/v2").json()["definitions"]
    assert "simulated.serving.kserve.io.v1beta1.InferenceService" in kinds
    assert client.get("/openapi/v3/apis/nope/v1").status_code == 404


def test_an_older_version_shows_the_same_object(api: HostedApi, client: httpx.Client) -> None:
    body = {"metadata": {"namespace": "web", "name": "a"}, "spec": {"replicas": 1}}
    api.call(lambda: api.store.create(LLMINFERENCESERVICES, body, manager="test"))
    path = "/apis/serving.kserve.io/{}/namespaces/web/llminferenceservices/a"
    new, old = (client.get(path.format(version)).json() for version in ("v1alpha2", "v1alpha1"))
    assert old == new | {"apiVersion": "serving.kserve.io/v1alpha1"}


class StreamingPod:
    """A pod that answers in pieces, and echoes the path it was asked for."""

    async def request(self, request: PodRequest) -> PodAnswer:
        async def pieces() -> AsyncIterator[bytes]:
            for piece in (b"data: 1\n\n", request.path.encode()):
                yield piece
                await asyncio.sleep(0)

        assert "Authorization" not in request.headers
        return PodAnswer(status=200, body=pieces(), content_type="text/event-stream")


@pytest.fixture
def streaming() -> Iterator[httpx.Client]:
    with HostedApi(pods=StreamingPod()) as api, client_of(api) as client:
        pod = {"metadata": {"namespace": "web", "name": "p"}, "spec": {"containers": []}}
        api.call(lambda: api.store.create(PODS, pod, manager="test"))
        client.headers["Authorization"] = f"Bearer {api.token()}"
        yield client


def test_a_pod_may_stream_and_gets_the_path_as_it_came(streaming: httpx.Client) -> None:
    path = "/api/v1/namespaces/web/pods/http:p:8080/proxy/v1/x%2Fy?a=b%20c"
    answer = streaming.get(path)
    assert answer.headers["Content-Type"] == "text/event-stream"
    assert answer.text == "data: 1\n\n/v1/x%2Fy?a=b%20c"


def test_a_mistake_on_the_loop_reaches_the_caller(api: HostedApi) -> None:
    with pytest.raises(ZeroDivisionError):
        api.call(lambda: 1 // 0)


def test_a_token_taken_away_is_nobodys(api: HostedApi, client: httpx.Client) -> None:
    assert client.get("/version").status_code == 200
    api.call(api.tokens.holders.clear)
    assert client.get("/version").status_code == 401


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/healthz", "ok"),
        ("/livez", "ok"),
        ("/readyz?verbose", "[+]ping ok\n[+]etcd ok\nreadyz check passed\n"),
    ],
)
def test_health(client: httpx.Client, path: str, text: str) -> None:
    assert client.get(path).text == text
