"""What a real API server answered, asked again of the simulated one.

The recordings are of Kubernetes 1.36 with Knative Serving and KServe (fixtures/README.md).
"""

from __future__ import annotations

import httpx
import pytest

from simulator.api.hosted import HostedApi
from tests.simulator.api.exchanges import (
    Exchange,
    ask,
    by_manager,
    exchange,
    header_differences,
    names,
    shape_differences,
    value_differences,
)

RECORDED = 158
# Recorded, but not asked again here, and why.
NOT_REPLAYED = {
    "accept-protobuf-custom-resource": "the body of its 406 is protobuf; no client here asks so",
    "log-kubelet-refused": "needs a node that refuses; simulated kubelets always answer",
    "log-no-kubelet": "needs a node without an address; simulated kubelets always answer",
    "log-waiting-container": "the same; here a waiting container is the kubelet's 400",
    "readyz-verbose": "names the inner checks of the real server",
    "watch-bookmark": "lasts 70 s; test_watch.py holds the times of bookmarks",
    "watch-events-no-bookmarks": "lasts 70 s; test_watch.py holds it in a shorter watch",
}
# Each changes what the next one finds: asked in this order, in one test.
CHAIN = (
    "patch-revision-minscale",
    "patch-revision-noop",
    "patch-revision-back",
    "apply-same-value",
    "apply-conflict",
    "apply-release-shared",
    "apply-force-dryrun",
    "apply-force",
    "apply-release",
    "apply-force-back",
)
SCALE_CHAIN = ("scale-get", "scale-patch-dryrun", "scale-patch", "scale-patch-back")
# Documents of a whole server: test_discovery.py compares what both serve.
DISCOVERY = tuple(name for name in names() if name.startswith("discovery-"))
WATCHES = tuple(name for name in names() if exchange(name).response.get("body_lines") is not None)
# Between the recordings controllers and the recorder itself had changed these.
TOUCHED = ".metadata.annotations.example.com/touch is new"
BY_CONTROLLERS = ".status."
# Where the bodies may differ, by name.
FREE_PATHS = {
    "version": {".gitCommit", ".gitVersion"},
    "version-viewer": {".gitCommit", ".gitVersion"},
    "whoami": {".status.userInfo.uid is missing", ".status.userInfo.extra is missing"},
    "create-isvc-dryrun": {".metadata.creationTimestamp", ".metadata.uid"},
    "list-gzip-small": {f".items[0]{TOUCHED}"},
    "list-labelselector": {f".items[0]{TOUCHED}"},
    "list-rv-exact": {f".items[0]{TOUCHED}"},
    "list-table-pods": {f".rows[0].object{TOUCHED}"},
    "patch-annotation-remove": {BY_CONTROLLERS},
    "patch-jsonpatch-ok": {BY_CONTROLLERS},
} | dict.fromkeys(CHAIN, {BY_CONTROLLERS})
FREE_HEADERS = {
    "webhook-ksvc-metadata-annotation": {"Warning"},
}
SHAPE_ONLY = {"rules-review", "access-review-allowed", "access-review-denied"} | {
    "access-review-missing-group",
    "access-review-scale",
    "whoami",
}
ALONE = [name for name in names() if name not in {*CHAIN, *SCALE_CHAIN, *DISCOVERY, *WATCHES}]


def test_every_recording_is_asked_again_or_named() -> None:
    assert not NOT_REPLAYED.keys() & set(names())
    assert len(names()) + len(NOT_REPLAYED) == RECORDED


@pytest.mark.parametrize("name", ALONE)
def test_alone(name: str, recorded: HostedApi, recorded_client: httpx.Client) -> None:
    check(exchange(name), recorded, recorded_client)


@pytest.mark.parametrize("chain", [CHAIN, SCALE_CHAIN], ids=["owners of a field", "scale"])
def test_one_after_the_other(
    chain: tuple[str, ...], recorded: HostedApi, recorded_client: httpx.Client
) -> None:
    for name in chain:
        check(exchange(name), recorded, recorded_client)


def check(recording: Exchange, api: HostedApi, client: httpx.Client) -> None:
    """Status, headers and body are as recorded."""
    answer = ask(api, client, recording)
    assert answer.status == recording.response["status"], answer.text
    free = FREE_HEADERS.get(recording.name, set())
    assert [
        each for each in header_differences(recording, answer) if each.split(":")[0] not in free
    ] == []
    expected, got = recording.body, answer.body
    assert type(got) is type(expected)
    if is_list(expected) or recording.name in SHAPE_ONLY:
        differences = shape_differences(expected, got)
    elif isinstance(expected, dict) and "metadata" in expected:
        differences = value_differences(by_manager(expected), by_manager(got))
    else:
        differences = value_differences(expected, got)
    allowed = FREE_PATHS.get(recording.name, set())
    assert [each for each in differences if not each.startswith(tuple(allowed) or "never")] == []


def is_list(body: object) -> bool:
    return isinstance(body, dict) and ("items" in body or "rows" in body)
