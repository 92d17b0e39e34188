"""Where the time of a start goes and how it ends, in made-up but faithful sequences."""

from dataclasses import replace
from datetime import timedelta

import pytest

from fleet.domain.coldstart.start import ColdStart, Outcome, Phase, StartMode
from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import Mode, Resource
from fleet.domain.records.serving import Container
from fleet.domain.records.workload import ContainerRun, ContainerState, NodeRecord, PodRecord
from tests.fleet.domain.scene import Scene, asleep, standing, wake

FETCH = "storage-initializer"


def laid(start: ColdStart) -> list[tuple[str, float]]:
    """Phases with whole seconds."""
    return [(span.phase.value, round(span.seconds)) for span in start.phases]


def woken() -> Scene:
    """A wake whose pod was just made."""
    scene = asleep()
    wake(scene)
    return scene


def failing(scene: Scene, uid: str = "pod-1") -> tuple[Outcome, str]:
    """Outcome and class of failure."""
    start = scene.start(uid)
    return start.outcome, start.failure.class_ if start.failure else ""


def test_waiting_for_a_gpu_that_another_pod_holds_is_schedule() -> None:
    scene = woken()
    scene.pod(conditions=(scene.is_("PodScheduled", "False", "Unschedulable", "0/3 nodes"),))
    scene.wait(90).scheduled()
    scene.wait(2).running()
    scene.wait(10).ready()
    assert laid(scene.start())[1] == ("schedule", 90)
    assert scene.start().outcome is Outcome.READY


@pytest.mark.parametrize("reason", ["TriggeredScaleUp", "Nominated"])
def test_waiting_with_a_node_on_its_way_is_provision_node(reason: str) -> None:
    scene = woken()
    scene.event("FailedScheduling", "0/3 nodes", component="default-scheduler")
    scene.wait(5).event(reason, "pod triggered scale-up", component="cluster-autoscaler")
    scene.wait(120).scheduled()
    assert laid(scene.start())[1:3] == [("schedule", 5), ("provision-node", 120)]


def test_a_node_younger_than_its_pod_was_provisioned_though_nobody_said_so() -> None:
    scene = woken()
    scene.pod(conditions=(scene.is_("PodScheduled", "False", "Unschedulable"),))
    scene.wait(60)
    node = NodeRecord(meta=scene.meta("node-9", name="gpu-9", namespace=""), ready=True)
    scene.send(node)
    scene.wait(30).scheduled(node="gpu-9")
    waited = scene.start().phases[1:3]
    assert [(span.phase, round(span.seconds)) for span in waited] == [
        (Phase.SCHEDULE, 0), (Phase.PROVISION_NODE, 90),
    ]  # fmt: skip
    assert waited[1].error_s == pytest.approx(60, abs=2), "on its way since when, nobody said"


def test_no_gpu_stands_in_the_way_after_a_short_while_and_only_without_a_node_coming() -> None:
    scene = woken()
    scene.pod(conditions=(scene.is_("PodScheduled", "False", "Unschedulable", "0/3 nodes"),))
    assert failing(scene.wait(5)) == (Outcome.RUNNING, "")
    assert failing(scene.wait(20)) == (Outcome.FAILED, "unschedulable")
    assert scene.status().state is State.FAILING
    scene.event("TriggeredScaleUp", "one more", component="cluster-autoscaler")
    assert failing(scene) == (Outcome.RUNNING, "")


def fetching(scene: Scene, **state: object) -> None:
    """The storage-initializer's state."""
    fetch = ContainerState(name=FETCH, init=True, **state)  # type: ignore[arg-type]
    scene.pod(weights_from=FETCH, containers=(fetch,))


def run_of(scene: Scene, code: int, lasted_s: float) -> ContainerRun:
    """A run that ended now."""
    end = scene.now.replace(microsecond=0)
    return ContainerRun(
        exit_code=code, started_at=end - timedelta(seconds=lasted_s), finished_at=end
    )


def test_a_download_that_fails_and_then_works_is_one_fetch() -> None:
    scene = woken()
    scene.scheduled()
    scene.wait(2)
    fetching(scene, running_since=scene.now.replace(microsecond=0))
    scene.wait(5)
    failed = run_of(scene, 1, 5)
    fetching(scene, ended=failed)
    assert failing(scene) == (Outcome.FAILED, "fetch-model")
    scene.wait(1)
    fetching(scene, waiting_reason="CrashLoopBackOff", restarts=1, last=failed)
    assert scene.start().phases[-1].phase is Phase.FETCH_MODEL
    scene.wait(10)
    fetching(scene, running_since=scene.now, restarts=1, last=failed)
    assert failing(scene) == (Outcome.RUNNING, "")
    scene.wait(8)
    fetching(scene, ended=run_of(scene, 0, 8), restarts=1, last=failed)
    scene.wait(1).running()
    scene.wait(20).ready()
    start = scene.start()
    assert start.outcome is Outcome.READY
    assert dict(laid(start))["fetch-model"] == pytest.approx(24, abs=1)


def test_a_download_that_loops_keeps_its_model_failing() -> None:
    scene = woken()
    scene.scheduled()
    states = []
    for run in range(4):
        scene.wait(20)
        last = run_of(scene, 1, 5) if run else None
        fetching(scene, running_since=scene.now, restarts=run, last=last)
        states.append(scene.status().state)
        scene.wait(5)
        fetching(scene, ended=run_of(scene, 1, 5), restarts=run, last=last)
        states.append(scene.status().state)
    assert states[3:] == [State.FAILING] * 5


def test_a_passed_probe_of_the_container_before_the_pod_is_ready_is_become_ready() -> None:
    """A decode pod: its routing sidecar gates Ready for ten more seconds."""
    scene = standing(Mode.LLM)
    scene.replicaset(2)
    scene.pod(role="decode")
    scene.scheduled()
    scene.wait(2).running()
    scene.wait(30).pod(
        containers=(ContainerState(name="main", running_since=scene.now, ready=True, started=True),)
    )
    scene.wait(10).ready()
    assert laid(scene.start())[-2:] == [("load-engine", 30), ("become-ready", 10)]
    assert scene.start().role == "decode"


def test_a_probe_never_seen_failing_proves_nothing() -> None:
    scene = woken()
    scene.scheduled()
    scene.wait(2).running(ready=True, started=True)
    scene.wait(10).ready()
    assert laid(scene.start())[-1][0] in {"load-engine", "route"}


def test_ready_and_deleted_in_one_message_after_a_gap_was_ready() -> None:
    scene = woken()
    scene.scheduled()
    scene.wait(2).running()
    ready = scene.wait(20).is_("Ready", "True")
    scene.wait(40).terminating(conditions=(ready,))
    start = scene.start()
    assert start.outcome is Outcome.READY
    assert start.total_s == pytest.approx(22, abs=1.5)


def test_ready_only_after_the_deletion_was_asked_for_is_no_success() -> None:
    scene = woken()
    scene.scheduled()
    scene.wait(2).running()
    scene.wait(5).terminating()
    scene.wait(3).pod(conditions=(scene.is_("Ready", "True"),))
    assert scene.start().outcome is Outcome.ABORTED


def test_an_oci_model_is_fetched_by_pulling_its_image() -> None:
    scene = woken()
    scene.pod(weights_from="modelcar")
    scene.scheduled()
    scene.wait(1).event("Pulling", "Pulling image m", container="modelcar-init")
    scene.wait(40).event("Pulled", "Successfully pulled image m", container="modelcar-init")
    scene.event("Pulling", "Pulling image v", container="kserve-container")
    scene.wait(20).event("Pulled", "Successfully pulled image v", container="kserve-container")
    scene.event("Started", "Container started", container="kserve-container")
    scene.running()
    scene.wait(30).ready()
    assert laid(scene.start())[2:6] == [
        ("prepare", 1), ("fetch-model", 40), ("pull-image", 20), ("load-engine", 30),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("weights", "text", "mode"),
    [
        ("storage-initializer", "Successfully pulled image", StartMode.COLD),
        ("storage-initializer", "already present on machine", StartMode.CACHED_IMAGE),
        ("pvc", "Successfully pulled image", StartMode.CACHED_WEIGHTS),
        ("local-cache", "already present on machine", StartMode.CACHED_BOTH),
        ("baked", "already present on machine", StartMode.CACHED_BOTH),
        ("baked", "Successfully pulled image", StartMode.COLD),
        ("app-download", "already present on machine", StartMode.CACHED_IMAGE),
        ("pvc", "", StartMode.UNKNOWN),
    ],
)
def test_start_modes(weights: str, text: str, mode: StartMode) -> None:
    scene = woken()
    scene.pod(weights_from=weights)
    if text:
        scene.event("Pulled", f"{text} v", container="kserve-container")
    assert scene.start().start_mode is mode


def test_an_image_pulled_without_an_init_container_splits_prepare_from_pull() -> None:
    scene = woken()
    scene.pod(weights_from="pvc")
    scene.scheduled()
    scene.wait(3).event("Pulling", "Pulling image v", container="kserve-container")
    scene.wait(60).event("Pulled", "Successfully pulled", container="kserve-container")
    scene.running()
    assert laid(scene.start())[2:4] == [("prepare", 3), ("pull-image", 60)]


def test_what_was_missed_between_known_moments_is_unexplained() -> None:
    """First met after two restarts: the first run's start is known to nobody."""
    scene = Scene()
    scene.model()
    scene.deployment(1)
    pod = scene._new_pod("pod-1", "rev-1", 1, {"node": "gpu-1"})
    scene.lists(Resource.PODS, [pod], since=None)
    scene.wait(30)
    run = run_of(scene, 1, 3)
    again = ContainerState(name="kserve-container", restarts=2, running_since=scene.now, last=run)
    scene.pod(containers=(again,))
    scene.wait(20).ready()
    start = scene.start()
    assert start.unexplained_s == pytest.approx(50, abs=1.5)
    assert [span.phase.value for span in start.phases][-1] == "unexplained"


def test_stamps_that_contradict_the_watch_are_clamped_and_said_to_be() -> None:
    """No Event tells that the node is two minutes ahead."""
    scene = woken()
    scene.scheduled()
    ahead = scene.wait(2).now.replace(microsecond=0) + timedelta(seconds=120)
    scene.running(running_since=ahead)
    scene.wait(10).ready()
    start = scene.start()
    assert start.clamped
    assert dict(laid(start))["load-engine"] == 10


def test_a_leader_worker_group_starts_as_one() -> None:
    scene = Scene(Mode.LLM)
    scene.model(replicas=1)
    scene.pod("worker-early", group="llama-mn/0", leader=False)
    scene.pod("leader", group="llama-mn/0")
    scene.pod("worker-late", group="llama-mn/0", leader=False)
    scene.wait(1).scheduled("leader")
    scene.scheduled("worker-early")
    scene.wait(30).scheduled("worker-late", node="gpu-2")
    scene.wait(2).running("leader")
    scene.wait(40).ready("leader")
    assert scene.start("leader").outcome is Outcome.RUNNING
    assert (scene.status().state, scene.status().ready) == (State.STARTING, 0)
    ready = (scene.is_("Ready", "True"),)
    scene.pod("worker-early", conditions=ready)
    scene.wait(5)
    scene.pod("worker-late", conditions=(scene.is_("Ready", "True"),))
    start = scene.start("leader")
    assert start.outcome is Outcome.READY
    assert dict(laid(start))["schedule"] == 31
    assert laid(start)[-2:] == [("load-engine", 40), ("become-ready", 5)]
    assert {uid for uid, _ in scene.all_starts()} == {"leader"}


def test_the_models_container_is_found_by_name_sign_or_exclusion() -> None:
    scene = woken()
    others = (Container(name="queue-proxy"), Container(name="server", gpus=2))
    record = scene._new_pod("pod-7", "rev-1", 1, {"declared": others})
    assert isinstance(record, PodRecord)
    scene.send(replace(record, meta=scene.meta("pod-7")))
    scene.wait(1).event("Pulled", "already present on machine", pod="pod-7", container="server")
    assert scene.start("pod-7").start_mode is StartMode.CACHED_IMAGE
