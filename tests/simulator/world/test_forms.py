"""How weights and images come to a replica, and replicas of more than one container or pod."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simulator.store.resources import LEADERWORKERSETS, PODS
from simulator.world.nodes import NodePlan
from simulator.world.profiles import Profile, Runtime
from simulator.world.shapes import condition_status
from simulator.world.truth import Start
from tests.simulator.world.worlds import IMAGES, MODEL, Bench, bench

CAR = "quay.io/models/modelcar-small:1"
KEPT = replace(MODEL, min_replicas=1)
LLM = replace(KEPT, runtime=Runtime.LLMISVC)
WIDE = NodePlan(name="gpu-1", gpus=8, images=IMAGES)


def started(profile: Profile, *, images: tuple[str, ...] = IMAGES) -> tuple[Bench, Start]:
    """A model that is ready on a node with these images, and its first start."""
    knative = None if profile.runtime is Runtime.LLMISVC else (1, 21)
    nodes = (replace(WIDE, images=images),)
    at = bench(knative=knative, nodes=nodes, models=(profile,))
    at.apply(profile)
    at.wait_ready(profile)
    at.run(15)
    return at, at.starts[0]


def seconds(start: Start, first: str, last: str) -> float:
    return (start.marks[last] - start.marks[first]).total_seconds()


@pytest.mark.parametrize(
    ("profile", "images", "mode"),
    [
        pytest.param(KEPT, IMAGES, "cached-image", id="fetched by an init container"),
        pytest.param(KEPT, IMAGES[1:], "cold", id="and the server's image pulled"),
        pytest.param(
            replace(KEPT, storage=f"oci://{CAR}"), IMAGES, "cached-image", id="a modelcar, pulled"
        ),
        pytest.param(
            replace(KEPT, storage=f"oci://{CAR}"),
            (*IMAGES, CAR),
            "cached-both",
            id="a modelcar that the node has",
        ),
        pytest.param(replace(KEPT, local_cache=True), IMAGES, "cached-both", id="a local cache"),
        pytest.param(
            replace(KEPT, storage="", baked=True, runtime=Runtime.CUSTOM),
            IMAGES,
            "cached-both",
            id="baked into an image that is there",
        ),
        pytest.param(
            replace(KEPT, storage="", baked=True, runtime=Runtime.CUSTOM),
            IMAGES[1:],
            "cold",
            id="baked into an image that is pulled",
        ),
        pytest.param(
            replace(KEPT, storage="", runtime=Runtime.CUSTOM),
            IMAGES,
            "cached-image",
            id="downloaded by the server",
        ),
    ],
)
def test_what_was_there_decides_the_start_mode(
    profile: Profile, images: tuple[str, ...], mode: str
) -> None:
    _, start = started(profile, images=images)
    assert (start.start_mode, start.outcome) == (mode, "ready")


def test_the_pull_of_a_modelcar_is_how_its_weights_come() -> None:
    at, start = started(replace(KEPT, storage=f"oci://{CAR}"))
    assert seconds(start, "fetch_started", "fetch_ended") > 30
    (pod,) = at.pods()
    names = [each["name"] for each in pod["spec"]["containers"]]
    assert names == ["kserve-container", "queue-proxy", "modelcar"]
    assert [each["name"] for each in pod["spec"]["initContainers"]] == ["modelcar-init"]


def test_a_local_cache_is_a_claim_by_the_name_of_the_cache() -> None:
    at, _ = started(replace(KEPT, local_cache=True))
    (pod,) = at.pods()
    claims = [each.get("persistentVolumeClaim") for each in pod["spec"]["volumes"]]
    assert {"claimName": "llama-gpu-nodes", "readOnly": True} in claims
    assert "initContainers" not in pod["spec"]


def test_a_decoding_replica_has_a_sidecar_that_stays_and_holds_its_readiness() -> None:
    at, start = started(replace(LLM, prefill=1))
    (pod,) = [each for each in at.pods(LLM) if "prefill" not in each["metadata"]["name"]]
    sidecar, fetch = pod["status"]["initContainerStatuses"]
    assert (sidecar["name"], list(sidecar["state"])) == ("llm-d-routing-sidecar", ["running"])
    assert (fetch["name"], list(fetch["state"])) == ("storage-initializer", ["terminated"])
    assert start.outcome == "ready"
    roles = {each["metadata"]["labels"]["llm-d.ai/role"] for each in at.pods(LLM)}
    assert roles == {"decode", "prefill"}


def group() -> tuple[Bench, Profile]:
    profile = replace(LLM, nodes=2, gpus=2)
    at, start = started(profile)
    assert (start.pod, start.pods) == ("llama-kserve-mn-0", 2)
    return at, profile


def names(at: Bench) -> list[str]:
    return sorted(pod["metadata"]["name"] for pod in at.pods(LLM))


def test_a_group_is_a_leader_and_workers_that_are_ready_as_one() -> None:
    at, _ = group()
    assert names(at) == ["llama-kserve-mn-0", "llama-kserve-mn-0-1"]
    assert len(at.starts) == 1
    found: dict[str, Any] = at.world.store.get(LEADERWORKERSETS, "chat", "llama-kserve-mn") or {}
    assert found["status"]["readyReplicas"] == 1
    assert condition_status(at.isvc(LLM), "Ready") == "True"


def test_a_group_that_loses_a_worker_is_made_anew() -> None:
    at, _ = group()
    before = {pod["metadata"]["uid"] for pod in at.pods(LLM)}
    at.world.cluster.remove(PODS, ("chat", "llama-kserve-mn-0-1"), graceful=True)
    at.run(200)
    assert names(at) == ["llama-kserve-mn-0", "llama-kserve-mn-0-1"]
    assert before.isdisjoint({pod["metadata"]["uid"] for pod in at.pods(LLM)})
    assert [each.trigger for each in at.starts] == ["rollout", "reschedule"]
