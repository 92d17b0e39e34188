"""A batch: all or nothing, harmless when written twice, and never by a follower that lost."""

from dataclasses import replace
from datetime import timedelta

import pytest

from fleet.domain.coldstart.start import Outcome
from fleet.domain.ledger.delta import (
    Delta,
    KeptObject,
    NotTaken,
    RevisionRow,
    ScaleEvent,
    ScaleKind,
    State,
)
from fleet.domain.records.common import Meta
from fleet.domain.records.keys import Resource
from fleet.domain.records.workload import NodeRecord
from fleet.errors import LeaseLost
from fleet.history.batch import Batch, write_batch
from fleet.history.kept import kept
from fleet.history.leases import Lease, claim
from fleet.history.streams import Blind, Position, Stream
from fleet.models import (
    Cluster,
    ColdStart,
    Gap,
    ObservedObject,
    ProbeFailure,
    Replica,
    Revision,
    ServedModel,
    WatchPosition,
)
from fleet.models import NotTaken as NotTakenRow
from fleet.models import ScaleEvent as ScaleEventRow
from tests.fleet.history.samples import KEY, NOW, UID, ago, failure, replica, start, status

PODS = Stream(Resource.PODS, "", "InferenceService")
NODE = KeptObject(
    resource=Resource.NODES,
    uid="node-uid",
    namespace="",
    name="gpu-1",
    record=NodeRecord(
        meta=Meta(uid="node-uid", name="gpu-1", created_at=ago(days=9)),
        ready=True,
        gpus=(("nvidia.com/gpu", 8),),
    ),
)
REVISION = RevisionRow(
    uid="rev-uid",
    model=KEY,
    model_uid=UID,
    name="llama-predictor-00001",
    source="knative",
    number="1",
    image="vllm/vllm-openai:v0.11.0",
    created_at=ago(days=30),
    gone_at=None,
    traffic_percent=100,
    min_scale=0,
    max_scale=3,
    ready=True,
)
SCALED = ScaleEvent(
    uid="pa-uid/77",
    model=KEY,
    model_uid=UID,
    revision="llama-predictor-00001",
    revision_uid="rev-uid",
    at=ago(hours=1),
    from_=0,
    to=1,
    kind=ScaleKind.FROM_ZERO,
    source="podautoscaler",
    cause="demand",
)
WHOLE = Batch(
    delta=Delta(
        objects=(NODE,),
        models=(status(),),
        not_taken=(NotTaken(key=replace(KEY, name="iris"), uid="iris", rule="format", detail="x"),),
        revisions=(REVISION,),
        replicas=(replica(),),
        starts=(start(1),),
        scale_events=(SCALED,),
        probe_failures=(failure(3, first=ago(minutes=9), last=ago(minutes=5)),),
    ),
    positions={PODS: Position(resource_version="77", in_step_at=NOW)},
    cluster={"state": "live", "last_proof_at": NOW},
)
FACTS = (
    ObservedObject,
    ServedModel,
    NotTakenRow,
    Revision,
    Replica,
    ColdStart,
    ScaleEventRow,
    ProbeFailure,
    WatchPosition,
)


def counts() -> list[int]:
    return [model._default_manager.count() for model in FACTS]


def test_a_batch_writes_every_noun_and_says_which_models_changed(lease: Lease) -> None:
    assert write_batch(lease, WHOLE, now=NOW) == (str(KEY),)
    assert counts() == [1] * len(FACTS)
    row = Cluster.objects.get()
    assert (row.state, row.last_proof_at) == ("live", NOW)


def test_the_same_batch_again_changes_nothing(lease: Lease) -> None:
    write_batch(lease, WHOLE, now=NOW)
    ids = ColdStart.objects.values_list("id", flat=True).get()
    write_batch(lease, WHOLE, now=NOW + timedelta(seconds=1))
    assert counts() == [1] * len(FACTS)
    assert ColdStart.objects.get().pk == ids


def test_two_followers_of_one_cluster_the_one_that_lost_writes_nothing(lease: Lease) -> None:
    later = NOW + timedelta(minutes=1)
    assert claim("one", owner="other", now=later) is not None
    with pytest.raises(LeaseLost):
        write_batch(lease, WHOLE, now=later)
    assert counts() == [0] * len(FACTS)


def test_a_follower_that_dies_within_a_batch_leaves_nothing_of_it(
    lease: Lease, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fleet.history.batch._write_fleet", killed)
    with pytest.raises(KeyboardInterrupt):
        write_batch(lease, WHOLE, now=NOW)
    assert counts() == [0] * len(FACTS)
    assert Cluster.objects.get().state == "connecting"


def test_the_next_follower_starts_from_what_the_last_one_left(lease: Lease) -> None:
    write_batch(lease, WHOLE, now=NOW)
    left = kept(lease.cluster_id, "one", now=NOW)
    assert left.objects == (NODE,)
    assert left.replicas == (replica(),)
    assert left.positions == WHOLE.positions


@pytest.mark.parametrize(
    ("gone_minutes", "handed_on"),
    [
        pytest.param(5, True, id="gone a while ago: late Events may still come"),
        pytest.param(20, False, id="gone for long"),
    ],
)
def test_replicas_that_are_gone(lease: Lease, gone_minutes: int, handed_on: bool) -> None:
    gone = replica(gone_at=ago(minutes=gone_minutes))
    write_batch(lease, Batch(delta=Delta(replicas=(gone,))), now=NOW)
    assert bool(kept(lease.cluster_id, "one", now=NOW).replicas) == handed_on


def test_a_record_that_no_longer_reads_makes_its_resource_be_listed_again(lease: Lease) -> None:
    positions = {PODS: Position(resource_version="77", in_step_at=NOW)}
    write_batch(lease, Batch(positions=positions), now=NOW)
    ObservedObject.objects.create(
        cluster_id=lease.cluster_id, resource="pods", uid="u", name="p", record='{"old": 1}'
    )
    left = kept(lease.cluster_id, "one", now=NOW)
    assert (left.objects, left.positions) == ((), {})


def test_an_object_that_is_gone_has_no_row(lease: Lease) -> None:
    write_batch(lease, WHOLE, now=NOW)
    write_batch(lease, Batch(delta=Delta(objects=(replace(NODE, record=None),))), now=NOW)
    assert not ObservedObject.objects.exists()


def test_a_service_that_is_taken_now_leaves_the_list_of_those_that_are_not(lease: Lease) -> None:
    write_batch(lease, WHOLE, now=NOW)
    taken = replace(WHOLE.delta.not_taken[0], gone=True)
    write_batch(lease, Batch(delta=Delta(not_taken=(taken,))), now=NOW)
    assert not NotTakenRow.objects.exists()


def test_a_gap_is_kept_as_a_gap(lease: Lease) -> None:
    blind = Blind(stream=PODS, since=ago(minutes=2), until=NOW, why="listed-again")
    write_batch(lease, Batch(gaps=[blind]), now=NOW)
    gap = Gap.objects.get()
    assert (gap.resource, gap.since, gap.until) == ("pods/InferenceService", blind.since, NOW)


def test_hostile_text_is_cut_to_its_column_and_can_be_kept_by_any_database(lease: Lease) -> None:
    hostile = "\0\ud800<script>" + "x" * 5000
    delta = Delta(
        models=(replace(status(), url=hostile, state_params={"why": hostile}),),
        probe_failures=(replace(failure(2**40, first=ago(hours=2), last=NOW), message=hostile),),
    )
    write_batch(lease, Batch(delta=delta), now=NOW)
    row, kept_failure = ServedModel.objects.get(), ProbeFailure.objects.get()
    assert len(row.url) == 1000
    assert "\0" not in row.url + row.state_params["why"]
    assert (len(kept_failure.message), kept_failure.count) == (1024, 2**31 - 1)


def test_a_start_that_ends_is_the_same_row(lease: Lease) -> None:
    running = start(1, Outcome.RUNNING)
    write_batch(lease, Batch(delta=Delta(starts=(running,))), now=NOW)
    ColdStart.objects.update(requests_lost={"activator": 4})
    write_batch(lease, Batch(delta=Delta(starts=(start(1),))), now=NOW)
    row = ColdStart.objects.get()
    assert (row.outcome, row.total_s, row.requests_lost) == ("ready", 60.0, {"activator": 4})


def test_a_model_that_is_made_again_is_another_model(lease: Lease) -> None:
    gone = replace(status(), gone_at=NOW)
    write_batch(lease, Batch(delta=Delta(models=(gone,))), now=NOW)
    write_batch(lease, Batch(delta=Delta(models=(status(State.COLD, uid="second"),))), now=NOW)
    assert ServedModel.objects.count() == 2
    assert ServedModel.objects.present().of(KEY).get().model_uid == "second"
