"""How a start ends or stands, in made-up but faithful sequences."""

from datetime import timedelta

import pytest

from fleet.domain.coldstart.start import ColdStart, Outcome, Phase
from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import Mode
from fleet.domain.records.workload import ContainerRun, ContainerState
from tests.fleet.domain.scene import Scene, asleep, awake, standing, wake


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


def run_of(scene: Scene, code: int, lasted_s: float) -> ContainerRun:
    """A run that ended now."""
    end = scene.now.replace(microsecond=0)
    return ContainerRun(
        exit_code=code, started_at=end - timedelta(seconds=lasted_s), finished_at=end
    )


def test_a_crash_and_then_success_counts_from_the_first_run() -> None:
    scene = woken()
    scene.scheduled()
    scene.wait(2).running()
    scene.wait(4).crashed(restarts=0, why="OOMKilled", code=137)
    assert failing(scene) == (Outcome.FAILED, "out-of-memory")
    scene.wait(10).running(restarts=1)
    assert failing(scene) == (Outcome.RUNNING, "")
    scene.wait(20).ready(restarts=1)
    start = scene.start()
    assert (start.outcome, start.restarts, start.failure) == (Outcome.READY, 1, None)
    assert dict(laid(start))["load-engine"] == pytest.approx(34, abs=1)


def test_running_again_in_a_crash_loop_is_still_failing() -> None:
    scene = woken()
    scene.scheduled()
    for restarts in range(3):
        scene.wait(2).running(restarts=restarts)
        scene.wait(4).crashed(restarts=restarts)
    scene.wait(40).running(restarts=3)
    assert failing(scene) == (Outcome.FAILED, "crash")


@pytest.mark.parametrize(
    ("text", "class_"),
    [
        ("Container kserve-container failed liveness probe, will be restarted", "liveness-kill"),
        ("Container kserve-container failed startup probe, will be restarted", "startup-kill"),
        ("Stopping container kserve-container", "crash"),
    ],
)
@pytest.mark.parametrize("first", ["event", "status"])
def test_a_probe_that_kills_while_loading_is_told_from_a_crash(
    text: str, class_: str, first: str
) -> None:
    scene = woken()
    scene.scheduled()
    scene.wait(2).running()
    scene.wait(30)
    if first == "event":
        scene.event("Killing", text, container="kserve-container")
    scene.crashed(restarts=1, code=137)
    if first == "status":
        scene.event("Killing", text, container="kserve-container")
        scene.wait(1).crashed(restarts=1, code=137)
    assert failing(scene) == (Outcome.FAILED, class_)


def test_deletion_ends_what_stood_in_the_way() -> None:
    scene = woken()
    state = ContainerState(
        name="kserve-container", waiting_reason="ImagePullBackOff", waiting_message="no such tag"
    )
    scene.scheduled()
    scene.wait(2).pod(containers=(state,))
    scene.wait(60).terminating()
    start = scene.start()
    assert failing(scene) == (Outcome.FAILED, "image-pull")
    assert start.failure is not None
    assert start.failure.reason == "ImagePullBackOff: no such tag"
    assert start.ended_at is not None


def test_exit_codes_after_the_deletion_are_no_failure() -> None:
    scene = woken()
    scene.scheduled()
    scene.wait(2).running()
    scene.wait(5).terminating()
    ended = ContainerState(name="kserve-container", ended=run_of(scene, 143, 5))
    scene.wait(1).pod(containers=(ended,))
    scene.wait(1).gone("pod-1")
    start = scene.start()
    assert (start.outcome, start.failure) == (Outcome.ABORTED, None)
    assert start.ended_in_phase is Phase.LOAD_ENGINE
    assert dict(laid(start))["load-engine"] == pytest.approx(5, abs=1)


@pytest.mark.parametrize(
    ("reason", "outcome", "class_"),
    [
        ("PreemptionByScheduler", Outcome.ABORTED, ""),
        ("EvictionByEvictionAPI", Outcome.ABORTED, ""),
        ("DeletionByTaintManager", Outcome.FAILED, "node-lost"),
        ("DeletionByPodGC", Outcome.FAILED, "node-lost"),
        ("TerminationByKubelet", Outcome.FAILED, "evicted"),
    ],
)
def test_who_took_a_starting_pod_away(reason: str, outcome: Outcome, class_: str) -> None:
    scene = woken()
    scene.scheduled()
    scene.wait(2).running()
    scene.wait(9).terminating(conditions=(scene.is_("DisruptionTarget", "True", reason),))
    assert failing(scene) == (outcome, class_)


def test_a_deadline_fails_a_rollout_that_still_loads_until_it_is_ready() -> None:
    scene = Scene()
    scene.model()
    scene.revision()
    scene.deployment(1)
    scene.replicaset(1)
    scene.pod()
    scene.wait(1).scheduled()
    scene.wait(2).running()
    late = scene.wait(600).is_("Progressing", "False", "ProgressDeadlineExceeded")
    scene.deployment(1, conditions=(late,))
    assert failing(scene) == (Outcome.FAILED, "deadline")
    scene.wait(30).ready()
    assert failing(scene) == (Outcome.READY, "")


def test_a_deadline_of_an_earlier_rollout_does_not_touch_a_later_wake() -> None:
    scene = asleep()
    late = scene.is_("Progressing", "False", "ProgressDeadlineExceeded")
    scene.deployment(0, conditions=(late,))
    scene.wait(600).deployment(1, conditions=(late,))
    scene.replicaset(1)
    scene.scaler(1)
    scene.pod()
    scene.wait(1).scheduled()
    assert failing(scene) == (Outcome.RUNNING, "")


def test_a_deadline_of_a_newer_replicaset_does_not_touch_older_pods() -> None:
    scene = standing(Mode.STANDARD)
    scene.replicaset(2, ready_replicas=1)
    scene.pod()
    scene.replicaset(1, n=2, revision_number="2")
    late = scene.wait(9).is_("Progressing", "False", "ProgressDeadlineExceeded")
    scene.deployment(1, revision_number="2", conditions=(late,))
    assert failing(scene) == (Outcome.RUNNING, "")


def test_old_kubelets_name_the_killed_container_only_in_the_text() -> None:
    scene = woken()
    scene.running()
    text = "Container kserve-container failed liveness probe, will be restarted"
    scene.event("Killing", text)
    scene.crashed(restarts=0, code=143)
    assert failing(scene)[1] == "liveness-kill"


def test_a_container_restarted_again_and_again_in_place() -> None:
    scene = awake()
    for n in range(1, 4):
        scene.wait(100).crashed("pod-0", restarts=n)
        scene.wait(5).running("pod-0", restarts=n)
        scene.wait(20).ready("pod-0", restarts=n)
    attempts = {attempt: s for (uid, attempt), s in scene.all_starts().items() if uid == "pod-0"}
    assert {n: s.outcome for n, s in attempts.items()} == dict.fromkeys(range(4), Outcome.READY)


def test_a_restart_in_place_that_does_not_come_up_is_a_failed_attempt() -> None:
    scene = awake()
    scene.crashed("pod-0", restarts=1)
    again = scene.start("pod-0", 1)
    assert (again.outcome, again.failure is not None) == (Outcome.FAILED, True)
    assert scene.status().state is State.FAILING
    scene.wait(5).running("pod-0", restarts=1)
    assert scene.start("pod-0", 1).outcome is Outcome.RUNNING
    assert scene.status().state is State.STARTING


def test_a_restart_in_place_is_aborted_when_the_pod_goes_while_it_loads() -> None:
    """What ended the run before is no error of this attempt."""
    scene = awake()
    scene.crashed("pod-0", restarts=1)
    scene.wait(5).running("pod-0", restarts=1)
    scene.wait(5).terminating("pod-0")
    again = scene.start("pod-0", 1)
    assert (again.outcome, again.failure) == (Outcome.ABORTED, None)


def test_a_restart_in_place_has_failed_when_the_pod_goes_while_it_is_down() -> None:
    scene = awake()
    scene.crashed("pod-0", restarts=1)
    scene.wait(5).terminating("pod-0")
    assert scene.start("pod-0", 1).outcome is Outcome.FAILED
