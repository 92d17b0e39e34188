"""Why a start happened, in made-up clusters that behave as the controllers' sources say."""

from dataclasses import replace

import pytest

from fleet.domain.coldstart.start import Trigger
from fleet.domain.records.keys import Mode, Resource
from fleet.domain.records.workload import WorkloadRecord
from tests.fleet.domain.scene import Scene, asleep, awake, standing, wake


def decided(scene: Scene, uid: str = "pod-1") -> tuple[Trigger, float]:
    """Trigger, and seconds of `decide`."""
    start = scene.start(uid)
    return start.trigger, round(start.phases[0].seconds, 2)


def test_a_request_wakes_from_zero_and_the_deployment_says_so_first() -> None:
    scene = asleep()
    wake(scene)
    assert decided(scene) == (Trigger.SCALE_FROM_ZERO, 0.07)


def test_a_wake_for_two() -> None:
    scene = asleep()
    wake(scene, to=2)
    scene.wait(0.01).pod("pod-2")
    assert decided(scene, "pod-2")[0] is Trigger.SCALE_FROM_ZERO


def test_more_asked_for_before_the_first_is_ready_is_the_same_wake() -> None:
    scene = asleep()
    wake(scene)
    scene.wait(2).deployment(3)
    scene.replicaset(3)
    scene.scaler(3)
    scene.wait(0.05).pod("pod-2")
    assert decided(scene, "pod-2") == (Trigger.SCALE_FROM_ZERO, 0.05)


def test_more_asked_for_once_one_is_ready_is_a_scale_up() -> None:
    scene = awake()
    scene.deployment(2, ready_replicas=1)
    scene.replicaset(2, ready_replicas=1)
    scene.scaler(2)
    scene.wait(0.1).pod()
    assert decided(scene) == (Trigger.SCALE_UP, 0.1)


def test_a_floor_pinned_on_the_revision_is_manual_since_the_pin() -> None:
    scene = asleep()
    scene.revision(min_scale=1)
    scene.wait(0.1)
    wake(scene)
    assert decided(scene) == (Trigger.MANUAL, 0.17)


def test_a_floor_pinned_on_the_autoscaler_is_manual_too() -> None:
    """Knative up to 1.20, where the PodAutoscaler is what takes the pin."""
    scene = asleep()
    scene.scaler(0, min_scale=1)
    scene.wait(0.1)
    scene.deployment(1)
    scene.replicaset(1)
    scene.scaler(1, min_scale=1)
    scene.wait(0.1).pod()
    assert decided(scene) == (Trigger.MANUAL, 0.2)


def test_a_pin_long_before_does_not_explain_a_rise() -> None:
    scene = awake()
    scene.revision(min_scale=1)
    scene.wait(300).deployment(3, ready_replicas=1)
    scene.replicaset(3, ready_replicas=1)
    scene.scaler(3)
    scene.wait(0.1).pod()
    assert decided(scene)[0] is Trigger.SCALE_UP


def test_a_knative_deployment_scaled_though_its_autoscaler_never_asked_is_by_hand() -> None:
    scene = asleep()
    scene.deployment(1)
    scene.replicaset(1)
    scene.wait(0.1).pod()
    assert decided(scene)[0] is Trigger.MANUAL


def test_a_tool_of_a_person_shows_as_field_manager() -> None:
    scene = standing(Mode.STANDARD)
    scene.deployment(2, by="kubectl-scale", ready_replicas=1)
    scene.replicaset(2, ready_replicas=1)
    scene.wait(0.1).pod()
    assert decided(scene)[0] is Trigger.MANUAL


def still_loading() -> Scene:
    """A first rollout in Standard mode, its only replica on its way."""
    scene = Scene(mode=Mode.STANDARD)
    scene.model(min_replicas=1)
    scene.wait(0.1).deployment(1)
    scene.replicaset(1)
    scene.pod()
    return scene


def test_a_person_who_scales_before_the_first_replica_is_up_is_still_a_person() -> None:
    scene = still_loading()
    scene.wait(46).deployment(2, by="kubectl")
    scene.replicaset(2)
    scene.wait(0.1).pod("pod-2")
    assert decided(scene, "pod-2") == (Trigger.MANUAL, 0.1)


def test_more_asked_for_during_a_first_rollout_is_wanted_since_it_was_asked_for() -> None:
    scene = still_loading()
    scene.wait(46).deployment(2)
    scene.replicaset(2)
    scene.wait(0.1).pod("pod-2")
    assert decided(scene, "pod-2") == (Trigger.ROLLOUT, 0.1)


def test_an_edit_of_replicas_is_told_by_the_numbers_and_counts_from_the_edit() -> None:
    scene = standing(Mode.LLM)
    scene.model(generation=2, replicas=2)
    scene.wait(0.1).deployment(2, ready_replicas=1)
    scene.replicaset(2, ready_replicas=1)
    scene.wait(0.05).pod()
    assert decided(scene) == (Trigger.SCALE_UP, 0.15)


def test_an_hpa_follows_a_raised_minimum_within_its_sync_period() -> None:
    scene = standing(Mode.STANDARD)
    scene.model(generation=2, min_replicas=2)
    scene.wait(15).deployment(2, ready_replicas=1)
    scene.replicaset(2, ready_replicas=1)
    scene.wait(0.05).pod()
    assert decided(scene) == (Trigger.SCALE_UP, 15.05)


def test_an_hpa_scales_up_under_load() -> None:
    scene = standing(Mode.STANDARD)
    scene.deployment(2, by="kube-controller-manager", ready_replicas=1)
    scene.replicaset(2, ready_replicas=1)
    scene.wait(0.05).pod()
    assert decided(scene) == (Trigger.SCALE_UP, 0.05)


def test_a_durable_raise_of_the_minimum_makes_a_new_revision_in_knative() -> None:
    scene = awake()
    scene.model(generation=2, min_replicas=1)
    scene.wait(0.3).revision("rev-2", min_scale=1)
    scene.wait(0.2).deployment(1, of="rev-2")
    scene.replicaset(1, of="rev-2")
    scene.wait(0.05).pod(of="rev-2")
    assert decided(scene) == (Trigger.ROLLOUT, 0.55)


def test_a_first_rollout_with_a_floor_of_two_is_one_rollout() -> None:
    """The Deployment is made with one replica; the autoscaler raises it before any is ready."""
    scene = Scene()
    scene.model(min_replicas=2)
    scene.wait(0.3).revision(min_scale=2)
    scene.wait(0.3).deployment(1)
    scene.replicaset(1)
    scene.pod()
    scene.wait(0.2).scaler(2, min_scale=2)
    scene.deployment(2)
    scene.replicaset(2)
    scene.wait(0.05).pod("pod-2")
    assert decided(scene, "pod-2") == (Trigger.ROLLOUT, 0.85)


def test_a_revision_made_without_an_edit_counts_from_its_own_birth() -> None:
    """A runtime was edited: no generation of the model moves."""
    scene = awake()
    scene.revision("rev-2")
    scene.wait(1.5).deployment(1, of="rev-2")
    scene.replicaset(1, of="rev-2")
    scene.wait(0.05).pod(of="rev-2")
    assert decided(scene) == (Trigger.ROLLOUT, 1.55)


def test_a_rolling_update_of_a_standing_deployment_is_a_rollout() -> None:
    scene = standing(Mode.STANDARD, replicas=2)
    scene.model(generation=2)
    scene.wait(0.5).deployment(2, ready_replicas=2)
    scene.replicaset(1, n=2)
    scene.wait(0.05).pod(n=2)
    assert decided(scene) == (Trigger.ROLLOUT, 0.55)


def test_the_second_pod_of_a_rolling_update_counts_from_its_own_wish() -> None:
    scene = standing(Mode.STANDARD, replicas=2)
    scene.model(generation=2)
    scene.wait(0.5).replicaset(1, n=2)
    scene.pod(n=2)
    scene.wait(40).replicaset(2, n=2, ready_replicas=1)
    scene.wait(0.05).pod("pod-2", n=2)
    assert decided(scene, "pod-2") == (Trigger.ROLLOUT, 0.05)


def test_a_template_changed_under_knative_rolls_the_same_revision() -> None:
    """Knative up to 1.20 after a patch of the Revision; any version after a queue-proxy upgrade."""
    scene = awake()
    scene.deployment(1, ready_replicas=1, observed_generation=2)
    scene.replicaset(1, n=2)
    scene.wait(0.05).pod(n=2)
    assert decided(scene)[0] is Trigger.ROLLOUT


def test_resuming_a_stopped_model_is_a_rollout_since_the_mark_was_taken_off() -> None:
    scene = awake()
    scene.model(stopped=True, fingerprint="with the mark")
    scene.gone("dep-rev-1")
    scene.gone("pod-0")
    scene.wait(60).model(stopped=False, fingerprint="without")
    scene.wait(0.4).revision("rev-new")
    scene.wait(0.4).deployment(1, of="rev-new")
    scene.replicaset(1, of="rev-new")
    scene.wait(0.1).pod(of="rev-new")
    assert decided(scene) == (Trigger.ROLLOUT, 0.9)


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda scene: scene.terminating("pod-0"), id="deleted, evicted or preempted"),
        pytest.param(
            lambda scene: scene.pod("pod-0", phase="Failed", reason="Evicted"), id="failed for good"
        ),
        pytest.param(lambda scene: scene.gone("pod-0"), id="gone at once with its node"),
    ],
)
def test_a_lost_replica_is_replaced_since_it_was_lost(end: object) -> None:
    scene = awake()
    assert callable(end)
    end(scene)
    scene.wait(0.06).pod()
    assert decided(scene) == (Trigger.RESCHEDULE, 0.06)


def test_a_replica_scaled_away_is_not_replaced_by_the_next_wake() -> None:
    scene = awake()
    scene.scaler(0)
    scene.deployment(0)
    scene.replicaset(0)
    scene.terminating("pod-0")
    scene.wait(5)
    wake(scene)
    assert decided(scene)[0] is Trigger.SCALE_FROM_ZERO


def test_a_replica_scaled_away_leaves_no_gap_to_fill() -> None:
    scene = standing(Mode.STANDARD, replicas=2)
    scene.deployment(1, ready_replicas=2)
    scene.replicaset(1, ready_replicas=2)
    scene.terminating("pod-00")
    scene.wait(30).deployment(2, ready_replicas=1)
    scene.replicaset(2, ready_replicas=1)
    scene.wait(0.1).pod()
    assert decided(scene)[0] is Trigger.SCALE_UP


def test_a_container_that_ends_in_a_ready_pod_is_a_restart_in_place() -> None:
    scene = awake()
    scene.crashed("pod-0", restarts=1, code=137, why="OOMKilled")
    scene.wait(10).running("pod-0", restarts=1)
    scene.wait(30).ready("pod-0", restarts=1)
    again = scene.start("pod-0", 1)
    assert again.trigger is Trigger.RESTART
    assert again.total_s == pytest.approx(40, abs=1.5)
    assert [span.phase.value for span in again.phases] == ["prepare", "load-engine"]
    assert scene.start("pod-0", 0).outcome.value == "ready"


def test_a_wake_in_a_gap_is_known_by_its_numbers_and_counts_from_the_birth() -> None:
    scene = asleep()
    scene.wait(30)
    for uid, resource in (
        ("dep-rev-1", Resource.DEPLOYMENTS),
        ("rs-rev-1-1", Resource.REPLICA_SETS),
    ):
        old = scene.objects[uid]
        assert isinstance(old, WorkloadRecord)
        scene.lists(resource, [replace(old, meta=scene.meta(uid), replicas=1)], since=20)
    pod = scene._new_pod("pod-1", "rev-1", 1, {})
    scene.lists(Resource.PODS, [pod], since=20)
    assert decided(scene) == (Trigger.SCALE_FROM_ZERO, 0.0)


def test_nothing_around_a_pod_leaves_its_trigger_unknown() -> None:
    scene = Scene()
    scene.model()
    scene.pod()
    assert scene.start().trigger is Trigger.UNKNOWN


def test_a_pod_born_with_its_deployment_is_a_rollout_even_if_nobody_watched() -> None:
    scene = Scene()
    scene.model()
    workload = WorkloadRecord(
        meta=scene.meta("dep-rev-1"), kind="Deployment", revision="rev-1", revision_uid="rev-1",
        model_kind="InferenceService", model="llama", replicas=1,
    )  # fmt: skip
    scene.lists(Resource.DEPLOYMENTS, [workload], since=None)
    scene.wait(1).pod()
    assert scene.start().trigger is Trigger.ROLLOUT


def test_a_gang_member_without_replicaset_is_found_by_role() -> None:
    scene = Scene(Mode.LLM)
    scene.model(replicas=0)
    scene.deployment(0)
    scene.wait(60).deployment(1)
    scene.wait(0.1).pod()
    assert decided(scene) == (Trigger.SCALE_FROM_ZERO, 0.1)


@pytest.mark.parametrize("late_s", [0.5, 3.0, 9.0])
def test_a_wake_is_known_though_the_wish_comes_long_after_its_pod(late_s: float) -> None:
    """A follower that is short of time reads one watch well before another."""
    scene = asleep()
    scene.pod()
    scene.wait(late_s).replicaset(1)
    scene.deployment(1)
    scene.scaler(1)
    assert decided(scene) == (Trigger.SCALE_FROM_ZERO, 0.0)


def test_a_second_replica_is_not_explained_by_the_wish_for_the_first() -> None:
    scene = asleep()
    wake(scene)
    scene.wait(1).scheduled()
    scene.wait(2).running()
    scene.wait(20).ready()
    scene.wait(300).pod("pod-2")
    scene.wait(3).deployment(2, ready_replicas=1)
    scene.replicaset(2, ready_replicas=1)
    scene.scaler(2)
    assert decided(scene, "pod-2") == (Trigger.SCALE_UP, 0.0)


def test_a_first_rollout_is_known_though_its_workload_comes_after_its_pod() -> None:
    scene = Scene()
    scene.model(min_replicas=1)
    scene.wait(0.3).pod()
    scene.wait(4).replicaset(1)
    scene.deployment(1)
    scene.revision(min_scale=1)
    assert decided(scene)[0] is Trigger.ROLLOUT


def test_an_autoscaler_heard_late_has_asked_all_the_same() -> None:
    scene = asleep()
    scene.deployment(1)
    scene.replicaset(1)
    scene.wait(0.1).pod()
    scene.wait(7).scaler(1)
    assert decided(scene) == (Trigger.SCALE_FROM_ZERO, 0.1)


def test_a_rise_that_came_after_a_replica_is_not_its_reason_when_an_earlier_one_was() -> None:
    scene = asleep()
    wake(scene)
    scene.wait(2).deployment(3)
    scene.replicaset(3)
    scene.scaler(3)
    assert decided(scene) == (Trigger.SCALE_FROM_ZERO, 0.07)


def test_a_replica_lost_and_replaced_in_a_gap_is_rescheduled() -> None:
    scene = awake()
    scene.wait(30)
    pod = scene._new_pod("pod-1", "rev-1", 1, {})
    scene.wait(20).lists(Resource.PODS, [pod], since=40)
    assert decided(scene) == (Trigger.RESCHEDULE, 0.0)


def test_a_replica_met_after_a_long_gap_under_the_same_wish_stands_in_for_a_lost_one() -> None:
    scene = awake()
    scene.wait(7200)
    scene.lists(Resource.PODS, [], since=7000)
    scene.ledger.settle_running(now=scene.wait(1000).now)
    pod = scene._new_pod("pod-1", "rev-1", 1, {})
    scene.wait(30).lists(Resource.PODS, [pod], since=60)
    assert decided(scene) == (Trigger.RESCHEDULE, 0.0)
