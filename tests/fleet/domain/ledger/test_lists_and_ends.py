"""Lists, gaps, deletions, replays and memory: what a ledger knows is there, and what has gone."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fleet.domain.coldstart.evidence import Attempt, Evidence, evidence_of, facts_of
from fleet.domain.coldstart.sight import Sight
from fleet.domain.coldstart.start import Outcome
from fleet.domain.ledger.delta import KeptObject
from fleet.domain.ledger.ledger import Ledger
from fleet.domain.ledger.places import is_newer
from fleet.domain.ledger.pods import EARLY_EVENTS_AT_MOST
from fleet.domain.records.change import Change, ChangeType, Listed, OddItem, Record
from fleet.domain.records.keys import Mode, Resource
from fleet.domain.records.serving import RuntimeRecord
from fleet.domain.records.workload import NamespaceRecord, NodeRecord, PodRecord
from tests.fleet.domain.scene import Scene, asleep, awake, resource_of, standing, wake


def listed(scene: Scene, *records: Record, since: float | None = 10.0, **fields: Any) -> None:
    """A list of pods after a gap."""
    began = None if since is None else scene.now - timedelta(seconds=since)
    scene.ledger.apply(
        Listed(
            resource=Resource.PODS,
            records=records,
            received_at=scene.now,
            unseen_since=began,
            **fields,
        )
    )
    scene.settle()


def live(scene: Scene) -> set[str]:
    """Uids of replicas that are not gone."""
    rows = {row.uid: row for row in scene.said("replicas")}
    return {uid for uid, row in rows.items() if row.gone_at is None}


def test_what_a_list_lacks_has_ended_unseen() -> None:
    scene = awake()
    listed(scene)
    assert live(scene) == set()
    assert scene.status().ready == 0


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"namespace": "other"}, id="a list of another namespace"),
        pytest.param({"model_kind": "LLMInferenceService"}, id="narrowed to another kind"),
        pytest.param({"odd": (OddItem(uid="pod-0", name="", problem="x"),)}, id="it was odd"),
        pytest.param({"odd": (OddItem(uid="", name="pod-0", problem="x"),)}, id="or only its name"),
    ],
)
def test_what_a_list_does_not_cover_has_not_ended(fields: dict[str, Any]) -> None:
    scene = awake()
    listed(scene, **fields)
    assert live(scene) == {"pod-0"}


def test_a_deletion_that_was_seen_to_begin_is_no_gap() -> None:
    scene = asleep()
    wake(scene)
    scene.wait(1).scheduled()
    scene.wait(5).terminating()
    scene.wait(20)
    listed(scene)
    assert scene.start().outcome is Outcome.ABORTED


def test_a_replica_that_vanished_unseen_before_it_was_ready_is_partial() -> None:
    scene = asleep()
    wake(scene)
    scene.wait(20)
    listed(scene)
    assert scene.start().outcome is Outcome.PARTIAL
    assert scene.start().total_s is None


def test_objects_that_a_list_lacks_go_too() -> None:
    scene = awake()
    scene.wait(5).lists(Resource.REVISIONS, [], since=3)
    scene.lists(Resource.INFERENCE_SERVICES, [], since=3)
    assert [row.gone_at is not None for row in scene.said("revisions")][-1]
    assert scene.said("models")[-1].gone_at == scene.now


def test_events_of_a_list_are_taken_but_tell_no_clock() -> None:
    scene = asleep()
    wake(scene)
    event = scene.event("Pulled", "already present on machine", container="kserve-container")
    late = replace(event, meta=replace(event.meta, uid="ev-2"), reason="Started")
    scene.wait(500).lists(Resource.EVENTS, [late], since=400)
    evidence = evidence_of(scene.said("replicas")[-1].facts)
    assert evidence.main_event is not None
    assert evidence.lag_high is not None
    assert evidence.lag_high < 1


def test_a_deleted_event_is_only_old() -> None:
    scene = awake()
    event = scene.event("Unhealthy", "Readiness probe failed: x", pod="pod-0")
    before = len(scene.said("probe_failures"))
    scene.send(event, how=ChangeType.DELETED)
    assert len(scene.said("probe_failures")) == before == 1


def test_events_that_come_before_their_pod_are_held_back() -> None:
    scene = asleep()
    scene.deployment(1)
    scene.event("Pulled", "already present on machine", container="kserve-container")
    scene.event("Started", "Container started", container="kserve-container")
    scene.wait(0.1).pod()
    assert scene.start().start_mode.value == "cached-image"


def test_events_of_unknown_pods_do_not_grow_for_ever() -> None:
    ledger, scene = Ledger("demo"), Scene()
    for n in range(EARLY_EVENTS_AT_MOST + 10):
        event = scene.event("Pulled", f"m{n}", pod=f"unknown-{n}")
        change = Change(
            resource=Resource.EVENTS, type=ChangeType.ADDED, record=event, received_at=scene.now
        )
        ledger.apply(change)
    assert ledger._intake.early.held == EARLY_EVENTS_AT_MOST


def test_messages_of_what_is_gone_are_ignored() -> None:
    scene = asleep()
    last = scene.said("replicas")[-1]
    pod = PodRecord(
        meta=scene.meta("pod-0"), model_kind="InferenceService", model="llama",
        component="predictor",
    )  # fmt: skip
    scene.send(pod)
    assert scene.said("replicas")[-1] == last


@pytest.mark.parametrize(
    ("new", "old", "newer"),
    [("10", "9", True), ("9", "10", False), ("9", "9", False), ("a", "b", True), ("a", "a", False)],
)
def test_resource_versions(new: str, old: str, newer: bool) -> None:
    assert is_newer(new, old) is newer


def test_an_older_message_changes_nothing() -> None:
    scene = awake()
    old = scene.objects["dep-rev-1"]
    scene.deployment(3, ready_replicas=1)
    scene.ledger.apply(
        Change(
            resource=Resource.DEPLOYMENTS,
            type=ChangeType.MODIFIED,
            record=old,
            received_at=scene.now,
        )
    )
    scene.deltas.clear()
    assert scene.settle().objects == ()


def test_what_belongs_to_no_model_is_nobodys() -> None:
    scene = Scene()
    scene.send(PodRecord(meta=scene.meta("stray")))
    scene.send(PodRecord(meta=scene.meta("t"), model_kind="InferenceService", model="llama",
                         component="transformer"))  # fmt: skip
    scene.gone("stray")
    assert scene.said("replicas") == []
    assert scene.ledger._intake.places.groups == {}


def test_parts_around_models_are_kept_and_forgotten() -> None:
    scene = Scene()
    around: list[Record] = [
        NodeRecord(meta=scene.meta("n", namespace="")),
        NamespaceRecord(meta=scene.meta("ns", namespace="")),
        RuntimeRecord(meta=scene.meta("rt", namespace=""), kind="ClusterServingRuntime"),
    ]
    for record in around:
        scene.send(record)
        scene.send(replace(record, meta=scene.meta(record.meta.uid)))
    assert len(scene.said("objects")) == 3
    for record in around:
        scene.gone(record.meta.uid)
    ends: list[KeptObject] = scene.said("objects")[3:]
    assert [item.record for item in ends] == [None, None, None]
    intake = scene.ledger._intake
    assert (intake.nodes, intake.namespaces, intake.runtimes) == ({}, {}, {})


def test_replicas_gone_for_long_are_forgotten_and_empty_groups_with_them() -> None:
    scene = standing(Mode.LLM)
    scene.gone("pod-00")
    for uid in ("rs-rev-1-1", "dep-rev-1", "model-llama"):
        scene.gone(uid)
    scene.ledger.settle_running(now=scene.now)
    assert scene.ledger._intake.places.groups
    scene.wait(3600)
    scene.ledger.settle_running(now=scene.now)
    assert scene.ledger._intake.places.groups == {}


def test_a_leader_that_is_forgotten_leads_no_more() -> None:
    scene = Scene(Mode.LLM)
    scene.model(replicas=1)
    scene.pod("leader", group="g/0")
    scene.pod("worker", group="g/0", leader=False)
    scene.gone("worker")
    scene.gone("leader")
    scene.wait(3600)
    scene.ledger.settle_running(now=scene.now)
    assert all(not g.leaders for g in scene.ledger._intake.places.groups.values())


def test_facts_are_plain_json_and_come_back_as_they_were() -> None:
    sight = Sight(1.0, None, 2.5)
    evidence = Evidence(
        uid="u", error=("crash", "x"), ready=sight,
        attempts=[Attempt(sight, 1, ready=sight)],
        members={"w": Evidence(uid="w", scheduled=sight)},
    )  # fmt: skip
    facts = facts_of(evidence)
    assert evidence_of(json.loads(json.dumps(facts))) == evidence
    assert evidence_of({**facts, "of a later version": 1}) == evidence


def test_facts_that_cannot_be_read_are_dropped() -> None:
    scene = awake()
    rows = [replace(row, facts={"version": 0}) for row in scene.said("replicas")]
    ledger = Ledger.restore("demo", objects=scene.said("objects"), replicas=rows)
    assert all(not g.replicas for g in ledger._intake.places.groups.values())


def test_what_was_ready_before_the_first_look_is_ready_since_its_stamp() -> None:
    scene = awake()
    (seen,) = scene.said("replicas")[-1:]
    scene.ledger = Ledger("demo")
    scene.deltas.clear()
    for resource in {resource_of(record) for record in scene.objects.values()}:
        records = [each for each in scene.objects.values() if resource_of(each) is resource]
        scene.lists(resource, records, since=None)
    (found,) = scene.said("replicas")[-1:]
    assert seen.ready_at
    assert found.ready_at
    assert abs(found.ready_at - seen.ready_at) <= timedelta(seconds=1)


def test_a_restored_ledger_says_nothing_by_itself() -> None:
    scene = awake()
    objects = {item.uid: item for item in scene.said("objects")}
    rows = {row.uid: row for row in scene.said("replicas")}
    ledger = Ledger.restore("demo", objects=objects.values(), replicas=rows.values())
    delta = ledger.settle(now=scene.now)
    assert (delta.objects, delta.models, delta.starts, delta.replicas) == ((), (), (), ())


def test_a_restored_ledger_knows_who_is_gone() -> None:
    scene = asleep()
    objects = {item.uid: item for item in scene.said("objects")}
    rows = {row.uid: row for row in scene.said("replicas")}
    ledger = Ledger.restore("demo", objects=objects.values(), replicas=rows.values())
    scene.ledger = ledger
    scene.deltas.clear()
    wake(scene)
    assert scene.start().trigger.value == "scale-from-zero"
    assert {row.uid for row in scene.said("replicas") if row.gone_at is None} == {"pod-1"}


def test_a_model_not_known_yet_is_named_once_it_is() -> None:
    """Pods of a namespace may be listed before its models."""
    scene = Scene()
    scene.deployment(1)
    scene.pod()
    assert scene.said("replicas") == []
    scene.wait(1).model()
    assert scene.said("replicas")[-1].model_uid == "model-llama"
    assert scene.start().model_uid == "model-llama"
