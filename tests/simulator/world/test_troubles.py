"""Starts that do not end well, and what the cluster says of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simulator.store.resources import (
    DEPLOYMENTS,
    INFERENCESERVICES,
    KNATIVE_SERVICES,
    PODAUTOSCALERS,
    PODS,
    REVISIONS,
)
from simulator.world.knative import names
from simulator.world.nodes import NodePlan
from simulator.world.profiles import Runtime, Trouble
from simulator.world.shapes import condition
from tests.simulator.world.worlds import GPU_NODE, IMAGE, IMAGES, MODEL, Bench, bench

ONE_GPU = NodePlan(name="gpu-1", gpus=1, images=IMAGES)


def with_deadline(at: Bench, text: str = "30s") -> None:
    """The next applied model gives up early."""
    at.patch(
        INFERENCESERVICES,
        "llama",
        lambda obj: (
            obj["metadata"].setdefault("annotations", {}).update({names.PROGRESS_DEADLINE: text})
        ),
    )


def test_no_free_gpu_on_a_wake_turns_everything_false_and_comes_back_by_itself() -> None:
    at = bench(nodes=[ONE_GPU])
    at.asleep()
    taker = replace(MODEL, name="taker", min_replicas=1)
    at.apply(taker)
    at.run(60)
    at.seen.clear()
    answers: list[str | None] = []
    at.call(answers)
    at.run(2)
    assert at.seen.texts("FailedScheduling") == [
        "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. no new claims to deallocate, "
        "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
    ]
    assert at.seen.conditions(REVISIONS, "Ready")[-1] == "False Unschedulable"
    assert at.seen.conditions(KNATIVE_SERVICES, "Ready")[-1] == "False RevisionFailed"
    at.world.store.delete(INFERENCESERVICES, "chat", "taker")
    at.run(50)
    assert at.ready_pods() == 1
    assert answers == [at.pods()[0]["metadata"]["uid"]]
    assert at.seen.conditions(INFERENCESERVICES, "Ready")[-1] == "True"


def test_a_rollout_waits_for_the_gpu_of_the_old_revision_which_serves_on() -> None:
    at = bench(nodes=[ONE_GPU])
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    at.patch(
        INFERENCESERVICES,
        "llama",
        lambda obj: obj["spec"]["predictor"]["model"]["args"].append("--max-num-seqs=8"),
    )
    at.run(20)
    assert at.ready_pods() == 1
    assert condition(at.revision(2), "Ready") == {
        "type": "Ready",
        "status": "False",
        "reason": "Unschedulable",
        "message": at.seen.texts("FailedScheduling")[0],
        "lastTransitionTime": condition(at.revision(2), "Ready")["lastTransitionTime"],  # type: ignore[index]
    }
    at.run(700)
    assert at.ready_pods() == 1
    assert at.autoscaler(2)["status"]["desiredScale"] == 0


def test_an_image_that_is_not_there_shows_on_pods_and_events_alone() -> None:
    at = bench()
    at.apply(replace(MODEL, image="docker.io/vllm/vllm-openai:nosuch"))
    at.run(60)
    (pod,) = at.pods()
    waiting = pod["status"]["containerStatuses"][0]["state"]["waiting"]
    assert waiting["reason"] in ("ErrImagePull", "ImagePullBackOff")
    assert "Back-off pulling image" in at.seen.texts("BackOff")[0]
    assert at.seen.conditions(REVISIONS, "Ready")[-1] == "Unknown Deploying"


def test_a_crash_loop_says_so_only_when_the_deadline_has_passed() -> None:
    at = bench()
    at.apply(replace(MODEL, trouble=Trouble.CRASH_LOOP))
    with_deadline(at, "60s")
    at.run(50)
    assert at.seen.conditions(REVISIONS, "Ready")[-1] == "Unknown Deploying"
    at.run(30)
    assert at.seen.conditions(REVISIONS, "Ready")[-1] == "False ExitCode1"
    text = condition(at.revision(2) or at.revision(), "Ready")
    assert text is not None
    assert "CUDA out of memory" in text["message"]
    (status,) = [
        each
        for pod in at.pods()
        for each in pod["status"]["containerStatuses"]
        if each["name"] == "kserve-container"
    ][-1:]
    assert status["restartCount"] >= 1


def test_the_autoscaler_gives_up_a_first_rollout_after_deadline_and_buffer() -> None:
    at = bench()
    at.apply(replace(MODEL, trouble=Trouble.CRASH_LOOP))
    with_deadline(at)
    at.run(150)
    assert at.pods() == []
    said = at.seen.conditions(PODAUTOSCALERS, "Active")
    assert said[-2:] == ["False TimedOut", "False NoTraffic"]


def test_a_revision_given_up_before_its_first_replica_stays_false_at_zero() -> None:
    at = bench()
    at.apply(replace(MODEL, trouble=Trouble.DOWNLOAD_DENIED))
    with_deadline(at)
    at.run(200)
    assert at.pods() == []
    assert at.seen.conditions(REVISIONS, "Ready")[-1] == "False ProgressDeadlineExceeded"


def test_restarts_are_counted_as_repeats_and_back_off_doubles() -> None:
    at = bench()
    at.apply(replace(MODEL, trouble=Trouble.CRASH_LOOP))
    at.run(150)
    waits = {
        each["state"]["waiting"]["message"].partition(" restarting")[0]
        for event in at.seen.of(PODS)
        for each in event.object["status"].get("containerStatuses", ())
        if each["state"].get("waiting", {}).get("reason") == "CrashLoopBackOff"
    }
    assert {"back-off 10s", "back-off 20s"} <= waits


def test_a_liveness_probe_kills_a_model_that_loads() -> None:
    at = bench()
    at.apply(
        replace(
            MODEL,
            runtime=Runtime.CUSTOM,
            trouble=Trouble.LIVENESS_KILL,
            eager=False,
            probe_period_s=10,
        )
    )
    at.run(60)
    assert at.seen.texts("Killing") == [
        "Container kserve-container failed liveness probe, will be restarted"
    ]
    (status, _) = at.pods()[0]["status"]["containerStatuses"]
    assert status["lastState"]["terminated"]["exitCode"] == 130
    assert status["restartCount"] == 1
    uid = at.pods()[0]["metadata"]["uid"]
    log = at.world.kubelet.log(uid, "kserve-container", previous=True)
    assert log is not None
    assert log[-1][1].endswith("KeyboardInterrupt: terminated")
    failed = [text for text in at.seen.texts("Unhealthy") if text.startswith("Liveness")]
    assert "connect: connection refused" in failed[0]


def test_a_denied_download_loops_in_the_init_container() -> None:
    at = bench()
    at.apply(replace(MODEL, trouble=Trouble.DOWNLOAD_DENIED))
    at.run(40)
    (status,) = at.pods()[0]["status"]["initContainerStatuses"]
    ended = status["lastState"].get("terminated") or status["state"].get("terminated")
    assert ended["exitCode"] == 1
    assert "401 Client Error" in ended["message"]
    states = {
        event.object.get("status", {})
        .get("modelStatus", {})
        .get("states", {})
        .get("targetModelState")
        for event in at.seen.of(INFERENCESERVICES)
    }
    assert {"Pending", "Loading", "FailedToLoad"} <= states
    assert "storage-initializer" in at.seen.texts("BackOff")[0]


def test_a_cold_image_is_pulled_and_the_second_pod_waits_for_it() -> None:
    cold = NodePlan(name="gpu-1", gpus=2, images=tuple(each for each in IMAGES if each != IMAGE))
    at = bench(nodes=[cold])
    at.apply(replace(MODEL, min_replicas=2))
    at.run(600)
    pulled = [text for text in at.seen.texts("Pulled") if text.startswith("Successfully")]
    assert len(pulled) == 2
    assert "in 300ms" in pulled[1]


def test_a_missed_deadline_of_a_slow_start_is_told_by_the_deployment() -> None:
    at = bench()
    at.apply(replace(MODEL, weights_gb=60.0))
    with_deadline(at)
    at.run(45)
    found = at.world.store.get(DEPLOYMENTS, "chat", "llama-predictor-00001-deployment")
    assert found is not None
    progressing: dict[str, Any] = condition(found, "Progressing") or {}
    failing = at.seen.conditions(REVISIONS, "Ready")
    assert progressing["reason"] in ("ProgressDeadlineExceeded", "ReplicaSetUpdated")
    assert failing[-1].split()[0] in ("False", "Unknown")


@pytest.mark.parametrize(
    ("gpus", "text"),
    [
        pytest.param(1, "1 No preemption victims found for incoming pod", id="busy"),
        pytest.param(4, "1 Preemption is not helpful for scheduling", id="more than there are"),
    ],
)
def test_the_scheduler_says_whether_preemption_could_help(gpus: int, text: str) -> None:
    at = bench(nodes=[replace(GPU_NODE, gpus=1)])
    at.apply(replace(MODEL, name="first", min_replicas=1))
    at.run(5)
    at.apply(replace(MODEL, gpus=gpus, min_replicas=1))
    at.run(5)
    assert text in at.seen.texts("FailedScheduling")[0]
