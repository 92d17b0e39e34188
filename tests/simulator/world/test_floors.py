"""Raising the floor: which object acts in which version, and what the wrong one does."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from simulator.store.resources import (
    HPAS,
    INFERENCESERVICES,
    LLMINFERENCESERVICES,
    PODAUTOSCALERS,
    REVISIONS,
    Resource,
)
from simulator.world.knative import names
from simulator.world.profiles import Runtime
from simulator.world.shapes import condition_status
from tests.simulator.world.worlds import MODEL, bench, min_scale

REVISION = "llama-predictor-00001"
STANDARD = replace(MODEL, min_replicas=1, autoscaler="none")
LLM = replace(MODEL, runtime=Runtime.LLMISVC, min_replicas=0)


@pytest.mark.parametrize(
    ("knative", "resource", "pods", "kept"),
    [
        pytest.param((1, 21), REVISIONS, 1, "1", id="1.21: the Revision pins in place"),
        pytest.param((1, 21), PODAUTOSCALERS, 0, "0", id="1.21: the PodAutoscaler is put back"),
        pytest.param((1, 20), PODAUTOSCALERS, 1, "1", id="1.20: the PodAutoscaler pins in place"),
        pytest.param((1, 20), REVISIONS, 0, "0", id="1.20: the Revision never reaches it"),
    ],
)
def test_a_pin_on_a_sleeping_model(
    knative: tuple[int, int], resource: Resource, pods: int, kept: str
) -> None:
    at = bench(knative=knative)
    at.asleep()
    at.patch(resource, REVISION, min_scale(1))
    at.run(120)
    assert len(at.pods()) == pods
    assert at.autoscaler()["metadata"]["annotations"][names.MIN_SCALE] == kept
    assert at.revision(2) == {}


@pytest.mark.parametrize(
    ("knative", "rolled"),
    [
        pytest.param((1, 21), False, id="1.21: pods stay"),
        pytest.param((1, 20), True, id="1.20: pods roll for nothing"),
    ],
)
def test_a_revision_patch_on_a_serving_model(knative: tuple[int, int], *, rolled: bool) -> None:
    at = bench(knative=knative)
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    before = {pod["metadata"]["uid"] for pod in at.pods()}
    at.patch(REVISIONS, REVISION, min_scale(1))
    at.patch(REVISIONS, REVISION, _max_scale)
    at.run(180)
    after = {pod["metadata"]["uid"] for pod in at.pods()}
    assert (before != after) is rolled
    assert len(after) == 1


def _max_scale(obj: dict[str, Any]) -> None:
    obj["metadata"]["annotations"][names.MAX_SCALE] = "3"


def test_active_says_queued_while_a_raised_floor_is_not_met() -> None:
    at = bench()
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    at.run(10)
    at.seen.clear()
    at.patch(REVISIONS, REVISION, min_scale(2))
    at.run(120)
    assert at.seen.conditions(PODAUTOSCALERS, "Active") == ["True", "Unknown Queued", "True"]
    assert at.seen.conditions(REVISIONS, "Ready") == ["True"]
    assert at.ready_pods() == 2


def test_unpinned_it_goes_back_to_zero() -> None:
    at = bench()
    at.asleep()
    at.patch(REVISIONS, REVISION, min_scale(1))
    at.run(120)
    at.patch(REVISIONS, REVISION, min_scale(0))
    at.run(100)
    assert at.pods() == []


def test_in_the_dead_zone_after_an_autoscaler_restart_a_pin_does_nothing_until_a_call_comes() -> (
    None
):
    at = bench()
    at.asleep()
    assert at.world.autoscaler is not None
    at.world.autoscaler.restart()
    at.patch(REVISIONS, REVISION, min_scale(1))
    at.run(120)
    assert at.pods() == []
    assert at.autoscaler()["status"]["desiredScale"] == 0
    at.call([])
    at.run(60)
    assert at.ready_pods() == 1


def test_min_replicas_of_a_knative_model_makes_a_new_revision_that_takes_over() -> None:
    at = bench()
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    at.patch(INFERENCESERVICES, "llama", lambda obj: _set(obj, "minReplicas", 2, "maxReplicas", 2))
    at.run(2)
    assert at.revision(2)["metadata"]["annotations"][names.MIN_SCALE] == "2"
    assert len(at.pods()) == 3
    traffic = at.isvc()["status"]["components"]["predictor"]["traffic"]
    assert [each["revisionName"] for each in traffic] == [REVISION]


def test_the_old_revision_is_let_go_once_the_new_one_serves() -> None:
    at = bench()
    at.apply(MODEL)
    at.wait_ready()
    at.patch(INFERENCESERVICES, "llama", lambda obj: _set(obj, "minReplicas", 1))
    at.run(200)
    component = at.isvc()["status"]["components"]["predictor"]
    assert component["latestRolledoutRevision"] == "llama-predictor-00002"
    assert component["previousRolledoutRevision"] == REVISION
    assert at.revision()["metadata"]["labels"][names.ROUTING_STATE] == "reserve"
    assert at.autoscaler()["spec"]["reachability"] == "Unreachable"
    assert [pod["metadata"]["labels"][names.REVISION] for pod in at.pods()] == [
        "llama-predictor-00002"
    ]


def test_a_standard_model_scales_without_a_rollout() -> None:
    at = bench(knative=None)
    at.apply(STANDARD)
    at.wait_ready(STANDARD)
    before = at.pods(STANDARD)
    at.patch(INFERENCESERVICES, "llama", lambda obj: _set(obj, "minReplicas", 2))
    at.run(90)
    assert at.ready_pods(STANDARD) == 2
    assert before[0]["metadata"]["uid"] in [pod["metadata"]["uid"] for pod in at.pods(STANDARD)]


def test_an_hpa_does_not_go_below_one_and_says_nothing() -> None:
    at = bench(knative=None)
    hpa_model = replace(MODEL, min_replicas=1, max_replicas=2)
    at.apply(hpa_model)
    at.wait_ready(hpa_model)
    at.patch(INFERENCESERVICES, "llama", lambda obj: _set(obj, "minReplicas", 0))
    at.run(60)
    hpa = at.world.store.get(HPAS, "chat", "llama-predictor")
    assert hpa is not None
    assert hpa["spec"]["minReplicas"] == 1
    assert at.ready_pods() == 1


def test_an_hpa_lifts_a_deployment_to_a_raised_floor() -> None:
    at = bench(knative=None)
    hpa_model = replace(MODEL, min_replicas=1, max_replicas=2)
    at.apply(hpa_model)
    at.wait_ready(hpa_model)
    at.patch(INFERENCESERVICES, "llama", lambda obj: _set(obj, "minReplicas", 2))
    at.run(60)
    assert at.ready_pods() == 2
    assert (
        "Current number of replicas below Spec.MinReplicas" in at.seen.texts("SuccessfulRescale")[0]
    )


def test_an_llm_service_scales_without_a_rollout() -> None:
    at = bench(knative=None)
    at.apply(LLM)
    at.run(10)
    assert condition_status(at.isvc(LLM), "Ready") == "True"
    at.patch(LLMINFERENCESERVICES, "llama", lambda obj: obj["spec"].update(replicas=1))
    at.run(3)
    assert condition_status(at.isvc(LLM), "Ready") == "False"
    at.run(90)
    assert at.isvc(LLM)["status"]["workloads"]["primary"]["readyReplicas"] == 1
    at.patch(LLMINFERENCESERVICES, "llama", lambda obj: obj["spec"].update(replicas=0))
    at.run(30)
    assert at.pods(LLM) == []
    assert at.seen.texts("ScalingReplicaSet") == [
        text for text in at.seen.texts("ScalingReplicaSet") if "llama-kserve-" in text
    ]


def test_old_revisions_are_cleaned_up_but_for_the_last_twenty() -> None:
    at = bench()
    at.apply(MODEL)
    at.wait_ready()
    for number in range(24):
        at.patch(INFERENCESERVICES, "llama", partial(_retarget, number))
        at.run(2)
    kept = [each["metadata"]["name"] for each in at.world.store.list(REVISIONS, "chat")]
    assert REVISION in kept
    assert len(kept) == 21
    assert kept[-1] == "llama-predictor-00025"


def _retarget(number: int, obj: dict[str, Any]) -> None:
    _set(obj, "scaleTarget", 100 + number)


def _set(obj: dict[str, Any], *pairs: Any) -> None:
    for field, value in zip(pairs[::2], pairs[1::2], strict=True):
        obj["spec"]["predictor"][field] = value
