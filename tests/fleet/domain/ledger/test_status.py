"""States, replicas, floors, names and traffic of a model."""

from dataclasses import replace

import pytest

from fleet.domain.ledger.codes import StateCode
from fleet.domain.ledger.delta import ModelStatus, State
from fleet.domain.ledger.ledger import Ledger
from fleet.domain.ledger.settings import LedgerSettings
from fleet.domain.records.keys import Mode, Resource
from fleet.domain.records.serving import (
    Container,
    HorizontalAutoscalerRecord,
    RuntimeRecord,
    TrafficTarget,
)
from fleet.domain.records.workload import ContainerState, NamespaceRecord
from tests.fleet.domain.scene import VLLM, Scene, asleep, awake, standing, wake


def said(scene: Scene) -> tuple[State, str]:
    """State and code."""
    status = scene.status()
    return status.state, status.state_code


def test_a_model_that_sleeps_is_cold_though_its_revision_is_ready() -> None:
    assert said(asleep()) == (State.COLD, StateCode.ASLEEP)


def test_a_model_that_wakes_is_starting_and_says_in_which_phase() -> None:
    scene = asleep()
    wake(scene)
    scene.wait(1).scheduled()
    status = scene.status()
    assert (status.state, status.state_code) == (State.STARTING, StateCode.STARTING)
    assert status.state_params == {
        "trigger": "scale-from-zero", "phase": "prepare", "replicas": 1,
    }  # fmt: skip
    assert (status.ready, status.desired) == (0, 1)


def test_a_model_that_serves_is_warm() -> None:
    status = awake().status()
    assert (status.state, status.ready, status.desired) == (State.WARM, 1, 1)


def test_a_terminating_replica_serves_no_more() -> None:
    scene = awake()
    scene.scaler(0)
    scene.deployment(0, ready_replicas=1)
    scene.terminating("pod-0")
    assert said(scene) == (State.COLD, StateCode.ASLEEP)


def test_a_failed_start_beside_a_serving_replica_is_degraded() -> None:
    scene = awake()
    scene.deployment(2)
    scene.replicaset(2)
    scene.pod()
    state = ContainerState(name="kserve-container", waiting_reason="ImagePullBackOff")
    scene.wait(2).pod(containers=(state,))
    status = scene.status()
    assert (status.state, status.state_code) == (State.DEGRADED, StateCode.FAILED_START_BESIDE)
    assert status.state_params["class"] == "image-pull"


def test_all_starts_failed_and_none_serves_is_failing() -> None:
    scene = asleep()
    wake(scene)
    scene.wait(9).crashed(restarts=2)
    status = scene.status()
    assert (status.state, status.state_code) == (State.FAILING, StateCode.START_FAILED)
    assert status.state_params["replica"] == "pod-1"


def test_one_start_failed_and_one_goes_on_is_starting() -> None:
    scene = asleep()
    wake(scene, to=2)
    scene.pod("pod-2")
    scene.wait(9).crashed(restarts=2)
    assert said(scene)[0] is State.STARTING


def test_a_stopped_model_is_stopped_whatever_else() -> None:
    scene = awake()
    scene.model(stopped=True)
    assert said(scene) == (State.STOPPED, StateCode.STOPPED)


def test_no_pod_yet_is_starting() -> None:
    scene = asleep()
    scene.deployment(1)
    scene.scaler(1)
    status = scene.status()
    assert (status.state_code, status.state_params) == (StateCode.NO_REPLICA_YET, {"desired": 1})


def test_a_pod_that_may_not_be_made_is_failing() -> None:
    scene = standing(Mode.STANDARD)
    scene.gone("pod-00")
    refused = scene.is_("ReplicaFailure", "True", "FailedCreate", "exceeded quota")
    scene.replicaset(1, conditions=(refused,))
    status = scene.status()
    assert (status.state, status.state_code) == (State.FAILING, StateCode.REPLICA_REFUSED)
    assert status.state_params == {"reason": "exceeded quota"}


def test_given_up_without_a_pod_is_failing() -> None:
    scene = standing(Mode.STANDARD)
    scene.gone("pod-00")
    late = scene.is_("Progressing", "False", "ProgressDeadlineExceeded", "timed out")
    scene.deployment(1, conditions=(late,))
    assert said(scene) == (State.FAILING, StateCode.PAST_DEADLINE)


def test_a_revision_that_never_came_up_is_not_asleep() -> None:
    scene = Scene()
    scene.model()
    scene.deployment(0)
    failed = scene.is_("Ready", "False", "ProgressDeadlineExceeded")
    scene.revision(conditions=(failed,))
    status = scene.status()
    assert (status.state, status.state_code) == (State.FAILING, StateCode.REVISION_FAILED)


def test_a_sleeping_revision_that_lacked_a_gpu_is_asleep() -> None:
    scene = asleep()
    scene.revision(conditions=(scene.is_("Ready", "False", "Unschedulable"),))
    assert said(scene) == (State.COLD, StateCode.ASLEEP)


def test_at_zero_without_an_activator() -> None:
    scene = standing(Mode.LLM)
    scene.model(generation=2, replicas=0)
    scene.deployment(0)
    scene.gone("pod-00")
    assert said(scene) == (State.COLD, StateCode.AT_ZERO)


def test_nothing_made_yet() -> None:
    scene = Scene()
    scene.model()
    assert said(scene) == (State.STARTING, StateCode.NOT_MADE_YET)


def test_nothing_made_because_it_is_refused() -> None:
    scene = Scene()
    scene.model(conditions=(scene.is_("Ready", "False", "InvalidGPUAllocation", "too many"),))
    status = scene.status()
    assert (status.state, status.state_code) == (State.FAILING, StateCode.NOT_MADE)
    assert status.state_params == {"reason": "InvalidGPUAllocation too many"}


def test_a_ready_false_flash_of_conditions_moves_no_state() -> None:
    scene = awake()
    scene.revision(conditions=(scene.is_("Ready", "False", "ExitCode1"),))
    assert said(scene)[0] is State.WARM


def bounds(scene: Scene) -> tuple[int | None, int | None]:
    """Floor and ceiling."""
    status = scene.status()
    return status.min, status.max


def test_the_floor_of_knative_is_that_of_the_autoscaler_in_traffic() -> None:
    scene = awake()
    scene.scaler(1, min_scale=2, max_scale=5)
    assert bounds(scene) == (2, 5)


def test_a_knative_ceiling_of_zero_is_none() -> None:
    scene = awake()
    scene.scaler(1, min_scale=0, max_scale=0)
    assert bounds(scene) == (0, None)


def test_before_any_revision_the_spec_tells() -> None:
    scene = Scene()
    scene.model(min_replicas=None, max_replicas=4)
    assert bounds(scene) == (1, 4)


def test_a_standard_model_is_bound_by_its_hpa() -> None:
    scene = standing(Mode.STANDARD, min_replicas=0)
    assert bounds(scene) == (0, 0)
    meta = scene.meta("hpa-1", owner_kind="InferenceService", owner_name="llama")
    scene.send(HorizontalAutoscalerRecord(meta=meta, min_replicas=1, max_replicas=4))
    assert bounds(scene) == (1, 4)


def test_an_hpa_of_somebody_else_is_found_by_its_target() -> None:
    scene = standing(Mode.STANDARD)
    meta = scene.meta("hpa-1", owner_kind="ScaledObject", owner_name="so", owner_uid="so-1")
    scene.send(
        HorizontalAutoscalerRecord(
            meta=meta, target_kind="Deployment", target_name="dep-rev-1", min_replicas=2
        )
    )
    assert bounds(scene) == (2, None)


def test_an_llm_has_its_fixed_number_or_its_scaling() -> None:
    scene = standing(Mode.LLM, replicas=2)
    assert bounds(scene) == (2, 2)
    scene.model(generation=2, scaling=True, min_replicas=1, max_replicas=3)
    assert bounds(scene) == (1, 3)


def test_wishes_of_all_revisions_add_up() -> None:
    scene = awake()
    scene.revision("rev-2")
    scene.deployment(1, of="rev-2")
    scene.scaler(None, of="rev-2")
    assert scene.status().desired == 2


def test_without_deployments_the_autoscaler_tells_the_wish() -> None:
    scene = Scene()
    scene.model()
    scene.revision()
    scene.scaler(3)
    assert scene.status().desired == 3


def test_the_current_revision_is_the_one_with_the_most_traffic() -> None:
    scene = awake()
    scene.revision("rev-2", conditions=(scene.is_("Ready", "True"),))
    split = (
        TrafficTarget(revision="rev-2", percent=10, latest=True),
        TrafficTarget(revision="rev-1", percent=90, tag="prev"),
    )
    scene.model(traffic=split)
    status = scene.status()
    assert (status.current_revision, status.current_revision_uid) == ("rev-1", "rev-1")
    rows = {row.name: row for row in scene.said("revisions")}
    assert (rows["rev-1"].traffic_percent, rows["rev-2"].traffic_percent) == (90, 10)


@pytest.mark.parametrize(
    ("labels", "namespace", "team"),
    [
        pytest.param((("team", "search"),), (("team", "ml"),), "search", id="the model's own"),
        pytest.param((), (("team", "ml"),), "ml", id="else the namespace's"),
        pytest.param((), (), None, id="nobody's"),
    ],
)
def test_team(
    labels: tuple[tuple[str, str], ...],
    namespace: tuple[tuple[str, str], ...],
    team: str | None,
) -> None:
    scene = Scene()
    scene.model(labels=labels)
    scene.send(NamespaceRecord(meta=scene.meta("ns-1", name="chat"), labels=namespace))
    assert scene.status().team == team
    assert scene.status().environment is None


def test_no_label_named_is_no_label_looked_up() -> None:
    scene = Scene(ledger=Ledger("demo", settings=LedgerSettings(team_label="")))
    scene.model(labels=(("", "x"), ("team", "y")))
    assert scene.status().team is None


def test_a_model_that_is_gone_says_so_once_and_its_replicas_end() -> None:
    scene = awake()
    scene.gone("model-llama")
    last: ModelStatus = scene.said("models")[-1]
    assert last.gone_at == scene.now
    scene.wait(1).terminating("pod-0")
    scene.wait(1).gone("pod-0")
    assert scene.said("replicas")[-1].gone_at == scene.now
    assert len([m for m in scene.said("models") if m.gone_at]) == 1


def test_a_name_used_again_is_another_model() -> None:
    scene = awake()
    old = scene.objects["model-llama"]
    scene.send(replace(old, meta=replace(old.meta, uid="model-2", resource_version="999")))
    uids = [(status.uid, status.gone_at is None) for status in scene.said("models")[-2:]]
    assert uids == [("model-llama", False), ("model-2", True)]


def test_an_unstated_mode_with_a_deployment_of_its_own_is_standard() -> None:
    scene = Scene(Mode.STANDARD)
    record = scene.model()
    scene.send(
        replace(record, mode=Mode.KNATIVE, mode_stated=False, meta=scene.meta("model-llama"))
    )
    assert scene.status().mode is Mode.KNATIVE
    scene.deployment(1)
    assert scene.status().mode is Mode.STANDARD


def test_a_runtime_seen_later_changes_the_verdict() -> None:
    scene = Scene()
    triton = Container(name="kserve-container", image="nvcr.io/nvidia/tritonserver:25.01")
    record = scene.model(runtime="mine")
    scene.send(replace(record, containers=(triton,), meta=scene.meta("m2", name="llama")))
    assert scene.said("not_taken")[-1].rule == "no-sign"
    runtime = RuntimeRecord(
        meta=scene.meta("rt-1", name="mine", namespace=""),
        kind="ClusterServingRuntime",
        server_type="vllmserver",
        containers=(Container(name="kserve-container", image=VLLM),),
    )
    scene.send(runtime)
    assert scene.said("not_taken")[-1].gone
    assert scene.said("models")[-1].uid == "m2"
    assert Resource.CLUSTER_SERVING_RUNTIMES in {o.resource for o in scene.said("objects")}
