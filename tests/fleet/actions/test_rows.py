"""What the followers left, as the facts of a plan."""

from datetime import timedelta
from typing import Any

import pytest

from fleet.actions import rows
from fleet.domain.plans.capacity import GpuPod, Node
from fleet.domain.records.common import Meta
from fleet.domain.records.keys import Resource
from fleet.domain.records.serving import Container, ModelRecord, RuntimeRecord
from fleet.domain.records.workload import NodeRecord
from fleet.history.kept import as_text
from fleet.models import Cluster, ObservedObject, Replica
from tests.factories import NOW, make_cluster, make_model, make_start

pytestmark = pytest.mark.django_db


def meta(name: str) -> Meta:
    return Meta(uid=f"uid-{name}", name=name, created_at=NOW)


def observed(cluster: Cluster, resource: Resource, record: Any) -> None:
    ObservedObject.objects.create(
        cluster=cluster,
        resource=resource,
        uid=record.meta.uid,
        name=record.meta.name,
        record=as_text(record),
    )


def replica(name: str, **fields: Any) -> Replica:
    given = {
        "cluster": "demo-a",
        "kind": "InferenceService",
        "namespace": "chat",
        "name": "pilot",
        "model_uid": "m",
        "uid": name,
        "replica": name,
        "facts": "{}",
        "created_at": NOW,
        "node": "a",
        "gpus": 2,
    }
    return Replica.objects.create(**{**given, **fields})


def test_nodes_that_may_not_be_read_are_not_known() -> None:
    assert rows.nodes(make_cluster()) is None


def test_nodes_with_what_narrows_placement() -> None:
    cluster = make_cluster()
    record = NodeRecord(
        meta=meta("a"),
        ready=True,
        gpus=(("x/gpu", 4),),
        labels=(("pool", "h100"),),
        taints=(("reserved", "pilot", "NoSchedule"),),
    )
    observed(cluster, Resource.NODES, record)
    observed(cluster, Resource.NODES, NodeRecord(meta=meta("b"), ready=True, unschedulable=True))
    found = rows.nodes(cluster)
    assert found is not None
    assert found[0] == Node(
        name="a",
        usable=True,
        gpus={"x/gpu": 4},
        labels={"pool": "h100"},
        taints=(("reserved", "pilot", "NoSchedule"),),
    )
    assert found[1].usable is False


def test_living_replicas_hold_their_gpus() -> None:
    cluster = make_cluster()
    replica("runs")
    replica("gone", gone_at=NOW)
    replica("waits for a node", node="")
    replica("of another cluster", cluster="demo-b")
    nodes = (Node(name="a", usable=True, gpus={"x/gpu": 4}),)
    assert rows.gpu_pods(cluster, nodes) == (GpuPod(node="a", resource="x/gpu", gpus=2),)


def test_what_its_runtime_asks_for_is_seen_on_its_replicas() -> None:
    model = make_model("pilot")
    nodes = (Node(name="a", usable=True, gpus={"x/gpu": 4}),)
    assert rows.gpus_of_replicas(model.key, nodes) == {}
    replica("runs")
    assert rows.gpus_of_replicas(model.key, nodes) == {"x/gpu": 2}
    assert rows.gpus_of_replicas(model.key, ()) == {}


def test_where_it_ran_before() -> None:
    model = make_model("pilot")
    replica("old", gone_at=NOW, node="b")
    assert rows.home_nodes(model.key) == {"b"}


def test_lengths_of_comparable_starts_only() -> None:
    """Starts with a cached image are not averaged with cold ones."""
    model = make_model("pilot")
    for number, (mode, total) in enumerate(
        [("cached-image", 30.0), ("cold", 200.0), ("cached-image", 40.0)]
    ):
        make_start(
            model,
            started_at=NOW - timedelta(minutes=number),
            start_mode=mode,
            total_s=total,
        )
    assert rows.ready_starts_s(model.key) == (30.0, 40.0)
    assert rows.ready_starts_s(make_model("new").key) == ()


@pytest.mark.parametrize(
    ("runtime", "engine", "expected"),
    [
        pytest.param("kserve-huggingfaceserver", "", True, id="by the runtime's name"),
        pytest.param("ours", "huggingfaceserver", True, id="by what the runtime starts"),
        pytest.param("ours", "vllm-module", False, id="plain vLLM"),
    ],
)
def test_which_server_it_is(runtime: str, engine: str, expected: bool) -> None:
    cluster = make_cluster()
    containers = (Container(name="kserve-container", engine=engine),)
    observed(
        cluster,
        Resource.CLUSTER_SERVING_RUNTIMES,
        RuntimeRecord(meta=meta(runtime), kind="ClusterServingRuntime", containers=containers),
    )
    record: ModelRecord | None = None
    assert rows.runs_huggingface(cluster, record, runtime) is expected
