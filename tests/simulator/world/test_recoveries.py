"""What goes wrong and comes right again: crashes, lost pods, stops, nodes that come and go."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simulator.store.resources import DEPLOYMENTS, INFERENCESERVICES, NODES, PODS, REVISIONS
from simulator.world import manifests
from simulator.world.accidents import Accidents
from simulator.world.nodepools import Pool
from simulator.world.nodes import NodePlan
from simulator.world.profiles import Runtime, Trouble
from tests.simulator.world.worlds import GPU_NODE, MODEL, bench, min_scale


def test_earlier_crashes_flash_at_the_moment_of_readiness_and_are_taken_back() -> None:
    at = bench()
    at.asleep(replace(MODEL, trouble=Trouble.CRASH_ONCE))
    at.call([])
    at.run(80)
    assert at.ready_pods() == 1
    assert at.seen.conditions(REVISIONS, "Ready") == ["True", "False ExitCode1", "True"]


def test_a_deleted_pod_is_made_again_and_its_start_is_a_reschedule() -> None:
    at = bench()
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    at.run(20)
    (pod,) = at.pods()
    at.world.store.delete(PODS, "chat", pod["metadata"]["name"], now_gone=False)
    at.run(60)
    assert at.ready_pods() == 1
    assert at.starts[-1].trigger == "reschedule"


def test_stopping_removes_every_child_and_resuming_begins_at_the_first_revision_again() -> None:
    at = bench()
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    before = at.revision()["metadata"]["uid"]
    at.patch(INFERENCESERVICES, "llama", lambda obj: _stop(obj, "true"))
    at.run(10)
    assert at.pods() == []
    assert at.revision() == {}
    assert at.seen.conditions(INFERENCESERVICES, "Stopped")[-1] == "True"
    at.patch(INFERENCESERVICES, "llama", lambda obj: _stop(obj, None))
    at.run(60)
    assert at.ready_pods() == 1
    assert at.revision()["metadata"]["uid"] != before


def _stop(obj: dict[str, Any], value: str | None) -> None:
    annotations = obj["metadata"].setdefault("annotations", {})
    annotations.pop("serving.kserve.io/stop", None)
    if value is not None:
        annotations["serving.kserve.io/stop"] = value


def test_a_model_whose_runtime_is_unknown_says_so() -> None:
    at = bench(kserve="v0.16.0")
    at.apply(MODEL)
    at.run(5)
    status = at.isvc()["status"]
    assert status["modelStatus"]["transitionStatus"] == "InvalidSpec"
    assert status["modelStatus"]["lastFailureInfo"]["reason"] == "RuntimeNotRecognized"


def test_a_serving_container_out_of_memory_is_restarted_in_place() -> None:
    at = bench()
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    at.run(20)
    (state,) = at.world.kubelet.pods.values()
    Accidents(at.world.kubelet).kill_for_memory(state, at.pods()[0])
    at.run(1)
    assert at.ready_pods() == 0
    at.run(40)
    (status, _) = at.pods()[0]["status"]["containerStatuses"]
    assert status["lastState"]["terminated"]["reason"] == "OOMKilled"
    assert at.ready_pods() == 1
    at.run(15)
    said = [(each.attempt, each.trigger, each.start_mode, each.outcome) for each in at.starts]
    assert said == [
        (0, "rollout", "cached-image", "ready"),
        (1, "restart", "cached-both", "ready"),
    ]


def test_a_stalled_server_misses_probes_goes_unready_and_comes_back_without_a_restart() -> None:
    at = bench(knative=None)
    llm = replace(MODEL, runtime=Runtime.LLMISVC, min_replicas=1)
    at.apply(llm)
    at.wait_ready(llm)
    at.run(20)
    (state,) = at.world.kubelet.pods.values()
    Accidents(at.world.kubelet).stall(state, at.pods(llm)[0], 5.0)
    at.run(3)
    assert at.ready_pods(llm) == 0
    at.run(4)
    assert at.ready_pods(llm) == 1
    assert "context deadline exceeded" in at.seen.texts("Unhealthy")[-1]
    (status,) = at.pods(llm)[0]["status"]["containerStatuses"]
    assert status["restartCount"] == 0


def test_a_pool_without_nodes_gets_one_that_has_no_image_and_loses_it_when_idle() -> None:
    pool = Pool(NodePlan(name="l40s", gpus=1, pool="l40s"))
    at = bench(pools={"l40s": pool})
    model = replace(MODEL, pool="l40s")
    at.apply(model)
    at.run(60)
    assert at.seen.texts("TriggeredScaleUp") == [
        "pod triggered scale-up: [{l40s-pool 0->1 (max: 1)}]"
    ]
    at.wait_ready(model)
    pulled = [text for text in at.seen.texts("Pulled") if "vllm-openai" in text]
    assert pulled[0].startswith("Successfully pulled image")
    assert len(at.world.store.list(NODES)) == 2
    at.run(1000)
    assert len(at.world.store.list(NODES)) == 1


def test_pods_leave_a_cordoned_node_and_the_scheduler_avoids_it() -> None:
    at = bench(nodes=[GPU_NODE, replace(GPU_NODE, name="gpu-2")])
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    node = at.pods()[0]["spec"]["nodeName"]
    at.world.nodes.cordon(node, unschedulable=True)
    at.world.store.delete(PODS, "chat", at.pods()[0]["metadata"]["name"], now_gone=False)
    at.run(40)
    assert at.ready_pods() == 1
    assert at.pods()[0]["spec"]["nodeName"] != node


def test_a_lost_autoscaler_pod_leaves_sleeping_models_in_the_dead_zone() -> None:
    at = bench()
    for deployment in manifests.control_planes(at.world.plan.settings):
        at.world.store.create(DEPLOYMENTS, deployment, manager="helm")
    at.asleep()
    (pod,) = [
        each
        for each in at.world.store.list(PODS, "knative-serving")
        if each["metadata"]["name"].startswith("autoscaler-")
    ]
    at.world.store.delete(PODS, "knative-serving", pod["metadata"]["name"], now_gone=False)
    at.run(10)
    at.patch(REVISIONS, "llama-predictor-00001", min_scale(1))
    at.run(60)
    assert at.pods() == []


@pytest.mark.parametrize(
    "predictor",
    [
        pytest.param({}, id="an empty predictor"),
        pytest.param({"minReplicas": 1, "containers": []}, id="no container"),
    ],
)
def test_a_model_that_runs_nothing_says_so(predictor: dict[str, Any]) -> None:
    at = bench()
    wanted = {"metadata": {"name": "llama", "namespace": "chat"}, "spec": {"predictor": predictor}}
    at.world.store.create(INFERENCESERVICES, wanted, manager="kubectl")
    at.run(5)
    status = at.isvc()["status"]
    assert status["modelStatus"]["lastFailureInfo"]["reason"] == "InvalidPredictorSpec"
