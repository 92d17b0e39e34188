"""What a look finds: served versions, rights, versions of the controllers, what is missing and what
that costs."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fleet.adapters.kubernetes.client import Access
from fleet.adapters.kubernetes.costs import COSTS
from fleet.adapters.kubernetes.discovery import served_versions
from fleet.adapters.kubernetes.reader import KubernetesReader
from fleet.adapters.kubernetes.resources import PLACES, path_of
from fleet.domain.records.keys import Resource
from fleet.ports import ClusterFacts
from simulator.access.manifests import bound_account, documents
from simulator.access.rules import Identity
from simulator.api.hosted import IDENTITIES, HostedApi
from simulator.store.resources import ALL
from tests.hosted.fixtures import Read
from tests.hosted.loading import DEPLOYMENTS, load

ROLES = Path(__file__).parents[4] / "deploy" / "rbac"


@contextmanager
def hosted_with(folder: Path, identity: Identity, **more: Any) -> Iterator[KubernetesReader]:
    """A reader that holds this identity."""
    with HostedApi(identities={**IDENTITIES, "us": identity}, **more) as api:
        load(api, "loading")
        kubeconfig = api.kubeconfig(folder / "us", users=("us",))
        access = Access(context="hosted", kubeconfig=str(kubeconfig))
        reader = KubernetesReader(access, clock=lambda: datetime.now(UTC))
        yield reader
        reader.close()


def account(*manifests: str, extra: str = "") -> Identity:
    """The service account of reader.yaml with what these files of deploy/rbac grant."""
    objects = documents([*((ROLES / name).read_text() for name in manifests), extra])
    return bound_account(objects, namespace="pilot-light", name="pilot-light-reader")


def missing(facts: ClusterFacts) -> dict[str, str]:
    return dict(facts.missing)


def test_the_reader_role_alone_reads_everything_and_the_rest_is_missing_with_its_cost(
    tmp_path: Path,
) -> None:
    with hosted_with(tmp_path, account("reader.yaml")) as reader:
        facts = reader.look()
        assert all(served.allowed for served in facts.served)
        for served in facts.served:
            assert reader.list(served.resource).odd == ()
        assert missing(facts) == {
            "pods/log": "engine phases",
            "pods/proxy": "metrics of pods where there is no Prometheus",
        }


@pytest.mark.parametrize(
    ("more", "still_missing"),
    [
        pytest.param("logs.yaml", {"pods/proxy"}, id="with logs"),
        pytest.param("metrics-by-proxy.yaml", {"pods/log"}, id="with metrics by proxy"),
    ],
)
def test_an_optional_role_fills_its_gap(tmp_path: Path, more: str, still_missing: set[str]) -> None:
    with hosted_with(tmp_path, account("reader.yaml", more)) as reader:
        assert set(missing(reader.look())) == still_missing


ONE_NAMESPACE = """
kind: Role
metadata: {name: here, namespace: web}
rules:
- {apiGroups: ["*"], resources: ["*"], verbs: [get, list, watch]}
---
kind: RoleBinding
metadata: {name: here, namespace: web}
roleRef: {kind: Role, name: here}
subjects: [{kind: ServiceAccount, name: pilot-light-reader, namespace: pilot-light}]
"""


def test_rights_in_one_namespace_are_enough_for_a_cluster_narrowed_to_it(tmp_path: Path) -> None:
    with hosted_with(tmp_path, account(extra=ONE_NAMESPACE)) as reader:
        narrowed = reader.look(namespaces=["web"])
        readable = {served.resource for served in narrowed.served if served.allowed}
        assert Resource.PODS in readable
        assert Resource.NODES not in readable
        assert missing(narrowed)["nodes"] == COSTS[Resource.NODES]
        assert not any(served.allowed for served in reader.look().served)


def test_an_older_server_tells_the_same_without_aggregation(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = read("hosted-admin")._client
    aggregated = served_versions(client)
    monkeypatch.setattr("fleet.adapters.kubernetes.discovery.AGGREGATED", "application/json")
    assert served_versions(client) == aggregated
    assert aggregated[Resource.LLM_INFERENCE_SERVICES] == "v1alpha2"
    assert aggregated[Resource.PODS] == "v1"


def test_a_cluster_without_knative_lacks_a_feature_not_a_right(tmp_path: Path) -> None:
    plain = [r for r in ALL if "knative" not in r.group]
    with hosted_with(tmp_path, account("reader.yaml"), resources=plain) as reader:
        served = {s.resource for s in reader.look().served}
    assert Resource.REVISIONS not in served
    assert Resource.INFERENCE_SERVICES in served


def controller(name: str, namespace: str, image: str, **labels: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"template": {"spec": {"containers": [{"name": "manager", "image": image}]}}},
    }


KNATIVE_LABEL = {"app.kubernetes.io/version": "1.21.3"}


@pytest.mark.parametrize(
    ("controllers", "kserve", "knative"),
    [
        pytest.param([], None, None, id="nothing tells"),
        pytest.param(
            [
                controller("kserve-controller-manager", "kserve", "kserve/controller:v0.20.0"),
                controller("controller", "knative-serving", "x@sha256:aa", **KNATIVE_LABEL),
            ],
            "0.20.0",
            "1.21.3",
            id="image tag and label",
        ),
        pytest.param(
            [
                controller("llmisvc-controller-manager", "elsewhere", "r:5000/llmisvc:v0.19.1"),
                controller("controller", "knative-serving", "r:5000/ctl:v1.20.2@sha256:aa"),
            ],
            "0.19.1",
            "1.20.2",
            id="another namespace, a registry with a port, a digest",
        ),
    ],
)
def test_versions_of_the_controllers(
    api: HostedApi,
    read: Read,
    controllers: list[dict[str, Any]],
    kserve: str | None,
    knative: str | None,
) -> None:
    for made in controllers:
        api.call(lambda made=made: api.store.create(DEPLOYMENTS, made, manager="t"))  # type: ignore[misc]
    facts = read("hosted-admin").look()
    assert (facts.kubernetes, facts.kserve, facts.knative) == ("1.36.2", kserve, knative)


def test_every_resource_has_a_place_and_a_cost() -> None:
    assert set(PLACES) == set(COSTS) == set(Resource)


@pytest.mark.parametrize(
    ("resource", "namespace", "path"),
    [
        pytest.param(Resource.PODS, "", "/api/v1/pods", id="core, everywhere"),
        pytest.param(Resource.PODS, "a", "/api/v1/namespaces/a/pods", id="core, one namespace"),
        pytest.param(Resource.NODES, "a", "/api/v1/nodes", id="nodes have no namespace"),
        pytest.param(
            Resource.REVISIONS,
            "a",
            "/apis/serving.knative.dev/v1/namespaces/a/revisions",
            id="a group",
        ),
    ],
)
def test_paths(resource: Resource, namespace: str, path: str) -> None:
    place = PLACES[resource]
    assert path_of(place, version=place.versions[0], namespace=namespace) == path
