"""What the followers left of a cluster, as the facts that plans and progress need."""

from collections.abc import Iterable
from typing import TypeVar

from fleet.domain.plans.capacity import GpuPod, Node
from fleet.domain.records.change import Record
from fleet.domain.records.keys import ModelKey, ModelKind, Resource
from fleet.domain.records.serving import ModelRecord, RuntimeRecord
from fleet.domain.records.workload import NodeRecord
from fleet.history.kept import as_record
from fleet.models import Cluster, ColdStart, ObservedObject, Replica

R = TypeVar("R", bound=Record)
# Newest starts looked at for "how long does it take", and replicas for "where did it run".
STARTS_LOOKED_AT = 50
REPLICAS_LOOKED_AT = 200


def records(
    cluster: Cluster, resource: Resource, type_: type[R], *, namespace: str = "", name: str = ""
) -> list[R]:
    """The newest records of one resource; namespace, name: narrow them when given."""
    rows = ObservedObject.objects.filter(cluster=cluster, resource=resource)
    if namespace:
        rows = rows.filter(namespace=namespace)
    if name:
        rows = rows.filter(name=name)
    read = (as_record(resource, text) for text in rows.values_list("record", flat=True))
    return [record for record in read if isinstance(record, type_)]


def model_record(cluster: Cluster, key: ModelKey) -> ModelRecord | None:
    """The model's own object as last observed."""
    llm = key.kind == ModelKind.LLM_INFERENCE_SERVICE
    resource = Resource.LLM_INFERENCE_SERVICES if llm else Resource.INFERENCE_SERVICES
    found = records(cluster, resource, ModelRecord, namespace=key.namespace, name=key.name)
    return found[0] if found else None


def nodes(cluster: Cluster) -> tuple[Node, ...] | None:
    """All nodes; None where none was ever read (the right is missing)."""
    found = records(cluster, Resource.NODES, NodeRecord)
    if not found:
        return None
    return tuple(
        Node(
            name=node.meta.name,
            usable=node.ready and not node.unschedulable,
            gpus=dict(node.gpus),
            labels=dict(node.labels),
            taints=node.taints,
        )
        for node in found
    )


def gpu_pods(cluster: Cluster, nodes: Iterable[Node]) -> tuple[GpuPod, ...]:
    """GPUs held by models' replicas; what else runs on the nodes is not watched, and not known.

    A replica does not keep which resource its GPUs are of: its node's own is taken.
    """
    resources = {node.name: next(iter(node.gpus), "") for node in nodes}
    held = Replica.objects.filter(cluster=cluster.name, gpus__gt=0).living().exclude(node="")
    return tuple(
        GpuPod(node=node, resource=resources.get(node, ""), gpus=gpus)
        for node, gpus in held.values_list("node", "gpus")
    )


def gpus_of_replicas(key: ModelKey, nodes: Iterable[Node]) -> dict[str, int]:
    """GPUs of this model's newest replica that was placed; {} where none is known."""
    newest = Replica.objects.of(key).filter(gpus__gt=0).exclude(node="").order_by("-created_at")
    found = newest.first()
    if found is None:
        return {}
    held = next((node for node in nodes if node.name == found.node), None)
    resource = next(iter(held.gpus), "") if held else ""
    return {resource: found.gpus} if resource else {}


def home_nodes(key: ModelKey) -> frozenset[str]:
    """Nodes where this model's replicas were placed."""
    rows = Replica.objects.of(key).exclude(node="").order_by("-created_at")
    return frozenset(rows.values_list("node", flat=True)[:REPLICAS_LOOKED_AT])


def ready_starts_s(key: ModelKey) -> tuple[float, ...]:
    """Lengths of the newest ready starts, all of the start mode of the newest one."""
    rows = ColdStart.objects.of(key).ready().exclude(total_s=None).newest_first()
    newest = list(rows.values_list("start_mode", "total_s")[:STARTS_LOOKED_AT])
    return tuple(total for mode, total in newest if mode == newest[0][0] and total is not None)


def runs_huggingface(cluster: Cluster, record: ModelRecord | None, runtime: str) -> bool:
    """Whether KServe's Hugging Face server serves the model: its OpenAI path is another."""
    if "huggingface" in runtime:
        return True
    if record is not None and _huggingface(c.engine for c in record.containers):
        return True
    namespaced = records(cluster, Resource.SERVING_RUNTIMES, RuntimeRecord, name=runtime)
    shared = records(cluster, Resource.CLUSTER_SERVING_RUNTIMES, RuntimeRecord, name=runtime)
    return any(_huggingface(c.engine for c in r.containers) for r in (*namespaced, *shared))


def _huggingface(engines: Iterable[str]) -> bool:
    return "huggingfaceserver" in set(engines)
