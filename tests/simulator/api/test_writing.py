"""Writes beyond the recordings: creating, replacing, deleting, status, field owners."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from simulator.api.hosted import HostedApi
from simulator.store.resources import DEPLOYMENTS, PODS, REVISIONS

ISVCS = "/apis/serving.kserve.io/v1beta1/namespaces/web/inferenceservices"
PODS_PATH = "/api/v1/namespaces/web/pods"
DEPLOYMENTS_PATH = "/apis/apps/v1/namespaces/web/deployments"
APPLY = {"Content-Type": "application/apply-patch+yaml"}
MERGE = {"Content-Type": "application/merge-patch+json"}


def isvc(name: str = "a", **predictor: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"predictor": predictor}}


def deployment(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    pod = {"spec": {"containers": list(containers)}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {"template": pod} | spec,
    }


def applied(
    client: httpx.Client, body: dict[str, Any], manager: str, **params: str
) -> httpx.Response:
    return client.patch(
        f"{DEPLOYMENTS_PATH}/d",
        params={"fieldManager": manager} | params,
        headers=APPLY,
        content=json.dumps(body),
    )


def containers(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code < 300, answer.text
    found: list[dict[str, Any]] = answer.json()["spec"]["template"]["spec"]["containers"]
    return found


def test_an_object_is_made_found_and_deleted(client: httpx.Client) -> None:
    made = client.post(ISVCS, json=isvc(minReplicas=0))
    assert made.status_code == 201
    uid = made.json()["metadata"]["uid"]
    assert client.get(f"{ISVCS}/a").json()["metadata"]["uid"] == uid
    gone = client.delete(f"{ISVCS}/a").json()
    assert (gone["status"], gone["details"]["uid"]) == ("Success", uid)
    assert client.get(f"{ISVCS}/a").status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param(isvc(minReplicas=-1), 403, id="the webhook says no"),
        pytest.param({"metadata": {}}, 422, id="no name"),
        pytest.param({"kind": "Pod", "metadata": {"name": "a"}}, 400, id="another kind"),
        pytest.param({"metadata": {"name": "a", "namespace": "x"}}, 400, id="another namespace"),
        pytest.param([], 400, id="not an object"),
    ],
)
def test_what_is_not_made(client: httpx.Client, body: Any, status: int) -> None:
    assert client.post(ISVCS, json=body).status_code == status


def test_nothing_is_made_in_a_namespace_that_is_not_there(client: httpx.Client) -> None:
    answer = client.post(ISVCS.replace("/web/", "/nowhere/"), json=isvc())
    assert (answer.status_code, answer.json()["message"]) == (404, 'namespaces "nowhere" not found')


def test_replacing_needs_the_version_that_is_there(client: httpx.Client) -> None:
    made = client.post(ISVCS, json=isvc(minReplicas=0)).json()
    made["spec"]["predictor"]["minReplicas"] = 1
    first = client.put(f"{ISVCS}/a", json=made)
    assert (first.status_code, first.json()["metadata"]["generation"]) == (200, 2)
    assert client.put(f"{ISVCS}/a", json=made).status_code == 409
    del made["metadata"]["resourceVersion"]
    assert client.put(f"{ISVCS}/a", json=made).status_code == 422


def test_status_is_changed_by_its_own_path_alone(client: httpx.Client) -> None:
    client.post(ISVCS, json=isvc(minReplicas=0))
    body = json.dumps({"spec": {"predictor": {"minReplicas": 1}}, "status": {"url": "http://x"}})
    main = client.patch(f"{ISVCS}/a", headers=MERGE, content=body).json()
    assert main["spec"]["predictor"]["minReplicas"] == 1
    assert "status" not in main
    body = body.replace('"minReplicas": 1', '"minReplicas": 2')
    status = client.patch(f"{ISVCS}/a/status", headers=MERGE, content=body).json()
    assert (status["spec"]["predictor"]["minReplicas"], status["status"]["url"]) == (1, "http://x")


def test_a_pod_keeps_its_grace_and_then_only_the_kubelet_removes_it(
    api: HostedApi, client: httpx.Client
) -> None:
    pod = {"metadata": {"namespace": "web", "name": "p"}, "spec": {"nodeName": "n"}}
    api.call(lambda: api.store.create(PODS, pod, manager="test"))
    marked = client.delete(f"{PODS_PATH}/p", params={"gracePeriodSeconds": "7"}).json()
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 7
    assert client.delete(f"{PODS_PATH}/p").json()["metadata"] == marked["metadata"]
    now = json.dumps({"gracePeriodSeconds": 0})
    assert client.request("DELETE", f"{PODS_PATH}/p", content=now).json()["status"] == "Success"


def test_a_pod_without_a_node_goes_at_once(client: httpx.Client) -> None:
    client.post(PODS_PATH, json={"metadata": {"name": "p"}, "spec": {}})
    assert client.delete(f"{PODS_PATH}/p").json()["status"] == "Success"


@pytest.mark.parametrize("preconditions", [{"uid": "other"}, {"resourceVersion": "1"}])
def test_deletions_can_be_guarded(client: httpx.Client, preconditions: dict[str, str]) -> None:
    client.post(ISVCS, json=isvc())
    body = json.dumps({"preconditions": preconditions})
    assert client.request("DELETE", f"{ISVCS}/a", content=body).status_code == 409
    assert client.get(f"{ISVCS}/a").status_code == 200


def test_a_collection_is_deleted_by_selector(client: httpx.Client) -> None:
    for name, team in (("a", "x"), ("b", "y")):
        body = isvc(name) | {"metadata": {"name": name, "labels": {"team": team}}}
        client.post(ISVCS, json=body)
    assert len(client.delete(ISVCS, params={"labelSelector": "team=x"}).json()["items"]) == 1
    assert [i["metadata"]["name"] for i in client.get(ISVCS).json()["items"]] == ["b"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("PUT", ISVCS, 405, id="replacing a collection"),
        pytest.param("PATCH", ISVCS, 405, id="patching a collection"),
        pytest.param("POST", f"{ISVCS}/a", 405, id="creating below a name"),
        pytest.param("DELETE", f"{ISVCS}/a/status", 405, id="deleting a status"),
        pytest.param("GET", f"{ISVCS}/a/scale", 404, id="a subresource that the kind lacks"),
    ],
)
def test_methods_that_a_path_does_not_know(
    client: httpx.Client, method: str, path: str, status: int
) -> None:
    assert client.request(method, path).status_code == status


def test_applied_items_of_a_list_are_merged_by_name(client: httpx.Client) -> None:
    main, side = {"name": "main", "image": "1"}, {"name": "side", "image": "1"}
    assert containers(applied(client, deployment(main), "alice")) == [main]
    assert containers(applied(client, deployment(side), "bob")) == [main, side]
    newer = {"name": "main", "image": "2"}
    assert containers(applied(client, deployment(newer), "alice")) == [newer, side]


def test_what_another_holds_is_taken_by_force_only(client: httpx.Client) -> None:
    applied(client, deployment(replicas=1), "alice")
    refused = applied(client, deployment(replicas=2), "bob")
    assert refused.status_code == 409
    assert refused.json()["message"] == (
        'Apply failed with 1 conflict: conflict with "alice": .spec.replicas'
    )
    assert applied(client, deployment(replicas=2), "bob", force="true").status_code == 200
    again = applied(client, deployment(replicas=3), "alice")
    assert 'conflict with "bob": .spec.replicas' in again.json()["message"]


def test_applying_the_same_again_moves_nothing(client: httpx.Client) -> None:
    first = applied(client, deployment({"name": "main"}, replicas=1), "alice").json()
    second = applied(client, deployment({"name": "main"}, replicas=1), "alice").json()
    assert first == second


def test_a_field_no_longer_applied_goes(client: httpx.Client) -> None:
    applied(client, deployment(replicas=1, paused=True), "alice")
    left = applied(client, deployment(replicas=1), "alice").json()
    assert "paused" not in left["spec"]


def test_scaling_is_told_apart_from_an_edit(api: HostedApi, client: httpx.Client) -> None:
    """The field then belongs to who scaled, through the door "scale"."""
    applied(client, deployment(replicas=1), "alice")
    scale = f"{DEPLOYMENTS_PATH}/d/scale"
    body = json.dumps({"spec": {"replicas": 2}})
    client.patch(scale, params={"fieldManager": "bob"}, headers=MERGE, content=body)
    held = api.call(lambda: api.store.get(DEPLOYMENTS, "web", "d"))
    assert held
    doors = {
        (each["manager"], each.get("subresource")): each["fieldsV1"].get("f:spec", {})
        for each in held["metadata"]["managedFields"]
    }
    assert "f:replicas" in doors["bob", "scale"]
    assert "f:replicas" not in doors["alice", None]


def test_a_revisions_pin_is_checked_against_its_bound(api: HostedApi, client: httpx.Client) -> None:
    bound = {"autoscaling.knative.dev/max-scale": "2"}
    revision = {"metadata": {"namespace": "web", "name": "r", "annotations": bound}, "spec": {}}
    api.call(lambda: api.store.create(REVISIONS, revision, manager="test"))
    path = "/apis/serving.knative.dev/v1/namespaces/web/revisions/r"
    pin = {"metadata": {"annotations": {"autoscaling.knative.dev/min-scale": "3"}}}
    refused = client.patch(path, headers=MERGE, content=json.dumps(pin))
    assert refused.status_code == 400
    assert "max-scale=2 is less than min-scale=3" in refused.json()["message"]
