"""Classes of what is wrong with a pod, and the odd corners of folding it."""

import pytest

from fleet.domain.coldstart.evidence import ATTEMPTS_AT_MOST, MEMBERS_AT_MOST
from fleet.domain.coldstart.fold_pod import first_start, main_container
from fleet.domain.coldstart.start import Outcome
from fleet.domain.coldstart.trouble import trouble_of
from fleet.domain.ledger.moves import MOVES_AT_MOST
from fleet.domain.records.common import What
from fleet.domain.records.keys import Mode
from fleet.domain.records.serving import Container
from fleet.domain.records.workload import ContainerRun, ContainerState, WorkloadRecord
from tests.fleet.domain.scene import START, Scene, asleep, awake, wake

FAILED = ContainerRun(exit_code=3, reason="Error", message="no space left")


@pytest.mark.parametrize(
    ("state", "class_", "reason"),
    [
        pytest.param(
            ContainerState(name="main", waiting_reason="CreateContainerConfigError",
                           waiting_message="secret not found"),
            "container-config", "CreateContainerConfigError: secret not found",
            id="its settings are wrong",
        ),
        pytest.param(
            ContainerState(name="main", waiting_reason="InvalidImageName"),
            "image-pull", "InvalidImageName", id="its image has no valid name",
        ),
        pytest.param(
            ContainerState(name="main", waiting_reason="CrashLoopBackOff",
                           waiting_message="back-off 10s"),
            "crash", "CrashLoopBackOff: back-off 10s", id="backing off, the run before unknown",
        ),
        pytest.param(
            ContainerState(name="main", ended=FAILED),
            "crash", "Error (exit code 3): no space left", id="ended with an error",
        ),
        pytest.param(
            ContainerState(name="storage-initializer", init=True, ended=FAILED),
            "fetch-model", "Error (exit code 3): no space left", id="the download failed",
        ),
        pytest.param(
            ContainerState(name="sidecar", ended=ContainerRun(exit_code=137, reason="OOMKilled")),
            "out-of-memory", "OOMKilled (exit code 137)", id="killed for its memory",
        ),
        pytest.param(ContainerState(name="main", ended=ContainerRun(exit_code=0)), None, "",
                     id="ended well"),
        pytest.param(ContainerState(name="main", waiting_reason="PodInitializing"), None, "",
                     id="only waiting for its turn"),
        pytest.param(ContainerState(name="main", waiting_reason="Meditating"), None, "",
                     id="a reason that nobody knows"),
    ],
)  # fmt: skip
def test_classes(state: ContainerState, class_: str | None, reason: str) -> None:
    pod = Scene()._new_pod("p", "r", 1, {"containers": (state,)})
    found = trouble_of(pod, main="main", known=None)
    assert found == ((class_, reason) if class_ else None)


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        ((Container(name="queue-proxy"), Container(name="kserve-container")), "kserve-container"),
        ((Container(name="a"), Container(name="server", engine="vllm-serve")), "server"),
        ((Container(name="istio-proxy"), Container(name="mine")), "mine"),
        ((Container(name="queue-proxy"),), "queue-proxy"),
        ((), ""),
    ],
)
def test_the_models_container(declared: tuple[Container, ...], name: str) -> None:
    pod = Scene()._new_pod("p", "r", 1, {"declared": declared})
    assert main_container(pod) == name


def test_the_first_run_is_known_as_long_as_the_status_keeps_it() -> None:
    run = ContainerRun(exit_code=1, started_at=START)
    once = ContainerState(name="m", restarts=1, last=run)
    assert first_start(once) == START.timestamp()
    assert first_start(ContainerState(name="m", restarts=2, last=run)) is None
    assert first_start(ContainerState(name="m")) is None


def test_attempts_and_members_are_bounded() -> None:
    scene = awake()
    for n in range(1, ATTEMPTS_AT_MOST + 5):
        scene.wait(30).crashed("pod-0", restarts=n)
        scene.wait(1).running("pod-0", restarts=n)
        scene.wait(1).ready("pod-0", restarts=n)
    assert max(attempt for _, attempt in scene.all_starts()) == ATTEMPTS_AT_MOST
    group = Scene(Mode.LLM)
    group.model(replicas=1)
    group.pod("leader", group="g/0")
    for n in range(MEMBERS_AT_MOST + 5):
        group.pod(f"w{n}", group="g/0", leader=False)
    assert len(group.said("replicas")[-1].facts["members"]) == MEMBERS_AT_MOST


def test_a_probe_that_passed_counts_anew_when_the_container_ends() -> None:
    scene = asleep()
    wake(scene)
    scene.scheduled()
    scene.running()
    up = ContainerState(name="kserve-container", running_since=scene.now, ready=True, started=True)
    scene.wait(9).pod(containers=(up,))
    scene.wait(1).crashed(restarts=1)
    scene.wait(9).running(restarts=1)
    scene.wait(20).ready(restarts=1)
    assert [span.phase.value for span in scene.start().phases][-2:] == ["prepare", "load-engine"]


def test_a_ready_pod_whose_container_status_is_missing_stays_ready() -> None:
    scene = awake()
    scene.pod("pod-0", containers=())
    assert scene.start("pod-0").outcome is Outcome.READY


def test_a_preempted_pods_event_comes_before_its_end() -> None:
    scene = asleep()
    wake(scene)
    scene.event("Preempted", "Preempted by pod x", component="default-scheduler")
    scene.wait(1).terminating()
    assert scene.start().outcome is Outcome.ABORTED


def test_an_evicted_pods_event_is_enough() -> None:
    scene = asleep()
    wake(scene)
    scene.event("Evicted", "The node was low on resource: memory.")
    scene.wait(1).terminating()
    failure = scene.start().failure
    assert failure is not None
    assert failure.class_ == "evicted"


def test_moves_are_bounded_and_the_first_ready_is_kept() -> None:
    scene = awake()
    for n in range(2, 40):
        scene.deployment(n, ready_replicas=1)
    kept = scene.ledger._intake.places.groups
    (group,) = kept.values()
    deployment = group.workloads["dep-rev-1"]
    assert isinstance(deployment, WorkloadRecord)
    assert len(deployment.moves) == MOVES_AT_MOST
    assert deployment.moves[0].what == What.READY
    assert deployment.moves[-1].to == 39


def test_a_deadline_that_only_the_revision_tells() -> None:
    scene = Scene()
    scene.model()
    scene.revision()
    scene.pod()
    late = scene.wait(30).is_("ResourcesAvailable", "False", "ProgressDeadlineExceeded")
    scene.revision(conditions=(late,))
    failure = scene.start().failure
    assert failure is not None
    assert failure.class_ == "deadline"
    scene.wait(60).terminating()
    assert scene.start().outcome is Outcome.FAILED


def test_an_unschedulable_pod_scaled_away_failed() -> None:
    scene = asleep()
    wake(scene)
    scene.event("FailedScheduling", "0/3 nodes are available", component="default-scheduler")
    scene.wait(60).terminating()
    failure = scene.start().failure
    assert failure is not None
    assert (failure.class_, failure.reason) == ("unschedulable", "0/3 nodes are available")
