"""A cluster that holds what the recorded exchanges speak of."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from simulator.api.hosted import HostedApi
from simulator.api.sources import LogLines, PodAnswer, PodRequest
from simulator.store.resources import (
    DEPLOYMENTS,
    EVENTS,
    INFERENCESERVICES,
    KNATIVE_SERVICES,
    LLMINFERENCESERVICES,
    NAMESPACES,
    PODS,
    REVISIONS,
    Resource,
)
from tests.simulator.api.exchanges import exchange

# The recorded requests use resourceVersions of their own server; these bounds fit them.
OLDEST_VERSION = 15_300
NEWEST_VERSION = 19_000
MARK = "example.com/mark"
TOUCHED_POD = "demo-predictor-00001-deployment-b7cb7984b-dm8d9"
LOGGED_POD = "logs-predictor-00001-deployment-756c544549-2cpgn"
FIRST_LINE_AT = datetime(2026, 11, 30, 9, 28, 42, 730446, tzinfo=UTC)
BETWEEN_LINES = timedelta(seconds=3)


def recorded_objects() -> Iterator[tuple[Resource, dict[str, Any]]]:
    """Every object that the exchanges need, as it was before the first change."""
    for name in ("get-isvc", "list-isvc"):
        yield from _items(INFERENCESERVICES, name)
    yield from _items(REVISIONS, "get-revision")
    yield from _items(LLMINFERENCESERVICES, "list-llmisvc")
    yield from _items(DEPLOYMENTS, "list-deployments-items-kind")
    deployment = exchange("patch-strategic-deployment").body
    del deployment["metadata"]["labels"]["a"]
    yield DEPLOYMENTS, deployment
    for name in ("list-page-1", "list-page-2"):
        yield from _items(PODS, name)
    yield from ((PODS, line["object"]) for line in exchange("watch-list").lines[:-1])
    yield from _items(PODS, "list-rv-0")
    for name in ("events-by-object", "events-by-reason", "events-scheduler"):
        yield from _items(EVENTS, name)
    yield KNATIVE_SERVICES, _made_up_service()
    loading = exchange("get-isvc").body
    yield INFERENCESERVICES, loading | {"metadata": loading["metadata"] | {"name": "loading"}}


def _items(resource: Resource, name: str) -> Iterator[tuple[Resource, dict[str, Any]]]:
    body = exchange(name).body
    yield from ((resource, item) for item in body.get("items", [body]))


def _made_up_service() -> dict[str, Any]:
    """The Knative Service behind the recorded Revision; its own JSON was not recorded."""
    return {
        "metadata": {"namespace": "web", "name": "demo-predictor", "uid": "made-up"},
        "spec": {"template": {"metadata": {}, "spec": {"containers": [{"image": "made-up"}]}}},
    }


def _fillers() -> Iterator[dict[str, Any]]:
    """Pods behind the recorded ones in order, enough that compressing and paging pay."""
    pod = exchange("list-page-1").body["items"][0]
    for number in range(20):
        metadata = pod["metadata"] | {
            "namespace": "zz",
            "name": f"filler-{number:02d}",
            "uid": f"made-up-{number}",
        }
        yield pod | {"metadata": metadata}


def fill(api: HostedApi, *, marked: bool = False) -> None:
    """Put everything in; marked: with the label that one watch selects by. On the loop."""
    store = api.store
    store.resource_version = OLDEST_VERSION
    store.compact()
    objects = [*recorded_objects(), *((PODS, pod) for pod in _fillers())]
    for resource, obj in objects:
        namespace = obj["metadata"]["namespace"]
        if store.get(NAMESPACES, None, namespace) is None:
            store.create(NAMESPACES, {"metadata": {"name": namespace}}, manager="test")
        store.adopt(resource, obj)
    if marked:
        touch(api, value="yes")
    store.resource_version = NEWEST_VERSION


def touch(api: HostedApi, *, value: str | None) -> None:
    """Set or take away (None) the label that one watch selects by."""

    def edit(pod: dict[str, Any]) -> None:
        pod["metadata"]["labels"] = pod["metadata"]["labels"] | {MARK: value}
        if value is None:
            del pod["metadata"]["labels"][MARK]

    api.store.change(PODS, "web", TOUCHED_POD, edit, manager="test")


class RecordedLogs:
    """The one recorded log, a line every three seconds."""

    def lines(self, pod_uid: str, container: str, previous: bool) -> LogLines | None:
        if previous or container != "kserve-container":
            return None
        texts = exchange("log-all").body.splitlines()
        return [(FIRST_LINE_AT + BETWEEN_LINES * n, text) for n, text in enumerate(texts)]


class RecordedPods:
    """Pods that answer what the recorded ones did."""

    ANSWERS = ("proxy-404", "proxy-loading", "proxy-metrics", "proxy-models")

    async def request(self, request: PodRequest) -> PodAnswer:
        asked = f"{request.pod['metadata']['name']}:{request.port}/proxy{request.path}"
        for name in self.ANSWERS:
            recorded = exchange(name)
            if recorded.request["path"].endswith(asked):
                return PodAnswer(
                    status=recorded.response["status"],
                    body=_bytes(recorded.body),
                    content_type=recorded.response["headers"]["Content-Type"],
                )
        raise ConnectionRefusedError


def _bytes(body: Any) -> bytes:
    return body.encode() if isinstance(body, str) else repr(body).replace("'", '"').encode()
