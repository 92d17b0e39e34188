"""Odd corners: what should not happen, and does no harm if it does."""

from dataclasses import replace

import pytest

from fleet.domain.ledger import intake, pods
from fleet.domain.ledger.delta import KeptObject
from fleet.domain.ledger.ledger import Ledger
from fleet.domain.records.keys import Mode, Resource
from fleet.domain.records.serving import RuntimeRecord, TrafficTarget
from fleet.domain.records.workload import PodRecord, WorkloadRecord
from tests.fleet.domain.scene import Scene, asleep, awake, standing, wake


def test_a_pod_that_its_leader_worker_set_made_itself() -> None:
    scene = Scene(Mode.LLM)
    scene.model(replicas=1)
    scene.send(
        WorkloadRecord(
            meta=scene.meta("lws", owner_kind="LLMInferenceService", owner_name="llama"),
            kind="LeaderWorkerSet",
            replicas=1,
        )
    )
    pod = scene._new_pod("leader", "x", 1, {"group": "lws/0"})
    scene.send(replace(pod, meta=replace(pod.meta, owner_kind="LeaderWorkerSet", owner_uid="lws")))
    start = scene.start("leader")
    assert (start.revision, start.revision_uid) == ("lws", "lws")
    rows = {row.uid: row.source for row in scene.said("revisions")}
    assert rows == {"lws": "leaderworkerset"}


def test_what_is_gone_is_remembered_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "GONE_AT_MOST", 2)
    scene = standing(Mode.STANDARD, replicas=3)
    for n in range(3):
        scene.gone(f"pod-0{n}")
    assert list(scene.ledger._intake.gone) == ["pod-01", "pod-02"]


def test_a_list_reaches_pods_that_only_workers_were_seen_of() -> None:
    scene = Scene(Mode.LLM)
    scene.model(replicas=1)
    scene.pod("worker", group="g/0", leader=False)
    scene.lists(Resource.PODS, [], since=5)
    assert "worker" in scene.ledger._intake.gone


def test_kept_objects_of_no_model_are_not_restored() -> None:
    scene = Scene()
    stray = WorkloadRecord(meta=scene.meta("d"), kind="Deployment")
    around = RuntimeRecord(meta=scene.meta("r", namespace=""), kind="ClusterServingRuntime")
    kept = [
        KeptObject(
            resource=Resource.DEPLOYMENTS, uid="d", namespace="chat", name="d", record=stray
        ),
        KeptObject(
            resource=Resource.CLUSTER_SERVING_RUNTIMES, uid="r", namespace="", name="r",
            record=around,
        ),
        KeptObject(resource=Resource.NODES, uid="n", namespace="", name="n", record=None),
    ]  # fmt: skip
    ledger = Ledger.restore("demo", objects=kept, replicas=[])
    assert ledger._intake.places.groups == {}
    assert list(ledger._intake.runtimes) == [("", "r")]


def test_a_pod_without_labels_is_found_by_its_owner() -> None:
    scene = awake()
    pod = scene._new_pod("pod-9", "rev-1", 1, {"model_kind": "", "model": ""})
    scene.send(pod)
    assert scene.said("replicas")[-1].uid == "pod-9"


def test_events_of_one_replica_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pods, "EVENTS_A_REPLICA_AT_MOST", 2)
    scene = awake()
    for n in range(4):
        scene.event("Unhealthy", f"Readiness probe failed: {n}", pod="pod-0")
    assert len(scene.said("probe_failures")) == 2


def test_workers_that_wait_for_their_leader_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pods, "MEMBERS_WAITING_AT_MOST", 2)
    scene = Scene(Mode.LLM)
    scene.model(replicas=1)
    for n in range(4):
        scene.pod(f"w{n}", group="g/0", leader=False)
    scene.pod("leader", group="g/0")
    assert set(scene.said("replicas")[-1].facts["members"]) == {"w0", "w1"}


def test_a_deleted_pod_is_folded_with_its_last_state_even_if_it_was_ready_only_there() -> None:
    scene = asleep()
    wake(scene)
    old = scene.objects["pod-1"]
    assert isinstance(old, PodRecord)
    scene.wait(1).objects["pod-1"] = replace(old, node="gpu-3")
    scene.gone("pod-1")
    assert scene.said("replicas")[-1].node == "gpu-3"


def test_a_route_that_is_not_open_and_a_target_without_share_route_nothing() -> None:
    scene = awake()
    closed = (scene.is_("IngressReady", "True"), scene.is_("PredictorRouteReady", "Unknown"))
    traffic = (TrafficTarget(revision="rev-1", percent=100),)
    scene.model(traffic=traffic, conditions=closed)
    (group,) = scene.ledger._intake.places.groups.values()
    assert group.routed == {}
    tagged = (TrafficTarget(revision="rev-1", percent=None, tag="prev"),)
    scene.model(traffic=tagged, conditions=(scene.is_("IngressReady", "True"),))
    assert group.routed == {}


def test_a_replica_that_was_forgotten_is_not_looked_for() -> None:
    scene = awake()
    (group,) = scene.ledger._intake.places.groups.values()
    group.active.add("never-seen")
    scene.model(labels=(("team", "x"),))
    assert "never-seen" not in group.active


def test_objects_whose_place_was_lost_end_without_harm() -> None:
    scene = awake()
    scene.ledger._intake.places.by_uid.clear()
    scene.lists(Resource.PODS, [], since=5)
    scene.lists(Resource.REVISIONS, [], since=5)
    known = scene.ledger._intake.known
    assert (known[Resource.PODS], known[Resource.REVISIONS]) == ({}, {})
