"""Discovery: what is served here is described as a real server describes it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from simulator.api.hosted import HostedApi
from simulator.store.resources import BUILT_INS, KSERVE_KINDS
from tests.simulator.api.exchanges import Answer, ask, client_of, exchange, header_differences

# Subresources that need a real kubelet or controller, and categories of other programs.
UNSERVED_SUBRESOURCES = frozenset(
    {"attach", "binding", "ephemeralcontainers", "eviction", "exec", "portforward", "resize"}
    | {"finalize", "token", "approval", "proxy"}
)


def answer(name: str, api: HostedApi, client: httpx.Client) -> Answer:
    recording = exchange(name)
    found = ask(api, client, recording)
    assert found.status == recording.response["status"]
    free = ("Content-Type: 'application/json'",)
    assert [each for each in header_differences(recording, found) if each not in free] == []
    return found


def described(body: dict[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """(group, version, plural) -> description, of an aggregated document."""
    return {
        (group.get("metadata", {}).get("name", ""), version["version"], each["resource"]): each
        for group in body["items"]
        for version in group["versions"]
        for each in version["resources"]
    }


@pytest.mark.parametrize("name", ["discovery-api-aggregated", "discovery-apis-aggregated"])
def test_aggregated(name: str, recorded: HostedApi, recorded_client: httpx.Client) -> None:
    body = answer(name, recorded, recorded_client).body
    real, ours = described(exchange(name).body), described(body)
    both = ours.keys() & real.keys()
    assert len(both) > 8
    for key in both:
        for mark in ("responseKind", "scope", "singularResource", "verbs", "shortNames"):
            assert ours[key].get(mark) == real[key].get(mark), (key, mark)
        assert subresources(ours[key]) == subresources(real[key]), key


def subresources(described: dict[str, Any]) -> dict[str, Any]:
    return {
        each["subresource"]: (each["responseKind"], each["verbs"])
        for each in described.get("subresources", [])
        if each["subresource"] not in UNSERVED_SUBRESOURCES
    }


@pytest.mark.parametrize("name", ["discovery-group-knative-v1", "discovery-group-kserve-v1beta1"])
def test_one_group_version(name: str, recorded: HostedApi, recorded_client: httpx.Client) -> None:
    body = answer(name, recorded, recorded_client).body
    kept = ("name", "singularName", "namespaced", "kind", "verbs", "shortNames", "categories")
    wanted = {each["name"]: each for each in exchange(name).body["resources"]}
    found = {each["name"]: each for each in body["resources"]}
    assert found.keys() == wanted.keys()
    for plural, each in found.items():
        assert each == {key: wanted[plural][key] for key in kept if key in wanted[plural]}


def test_a_group_that_is_not_installed_is_a_text(
    recorded: HostedApi, recorded_client: httpx.Client
) -> None:
    assert answer("discovery-group-missing", recorded, recorded_client).text == (
        "404 page not found\n"
    )


def test_legacy_lists(recorded: HostedApi, recorded_client: httpx.Client) -> None:
    core = answer("discovery-api-plain", recorded, recorded_client).body
    assert (core["kind"], core["versions"]) == ("APIVersions", ["v1"])
    groups = answer("discovery-apis-plain", recorded, recorded_client).body["groups"]
    real = {each["name"]: each for each in exchange("discovery-apis-plain").body["groups"]}
    ours = {each["name"]: each for each in groups}
    same = ("serving.kserve.io", "serving.knative.dev", "apps", "autoscaling", "events.k8s.io")
    for name in same:
        versions = {each["version"] for each in ours[name]["versions"]}
        assert versions <= {each["version"] for each in real[name]["versions"]}
        assert ours[name]["preferredVersion"] == real[name]["preferredVersion"]


def test_a_cluster_without_knative_does_not_serve_it() -> None:
    with HostedApi(resources=(*BUILT_INS, *KSERVE_KINDS)) as api, client_of(api) as client:
        client.headers["Authorization"] = f"Bearer {api.token()}"
        missing = client.get("/apis/serving.knative.dev/v1/revisions")
        assert (missing.status_code, missing.text) == (404, "404 page not found\n")
        names = [group["name"] for group in client.get("/apis").json()["groups"]]
        assert "serving.knative.dev" not in names


def test_an_unchanged_document_is_not_sent_again(
    recorded: HostedApi, recorded_client: httpx.Client
) -> None:
    first = answer("discovery-apis-aggregated", recorded, recorded_client)
    headers = exchange("discovery-apis-aggregated").request["headers"] | {
        "Authorization": f"Bearer {recorded.token()}",
        "If-None-Match": first.headers["ETag"],
    }
    assert recorded_client.get("/apis", headers=headers).status_code == 304
