"""The entry: which resource is read by which shape, and what a wrong shape is called."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from fleet.adapters.kubernetes.parse import pod, serving, workload
from fleet.adapters.kubernetes.parse import serving_shapes as serving_of
from fleet.adapters.kubernetes.parse import shapes as of
from fleet.adapters.kubernetes.parse.deep import decode
from fleet.domain.records.change import Listed, OddItem, Record
from fleet.domain.records.keys import Resource
from fleet.errors import UnexpectedShape

_PROBLEM_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """How one resource is read."""

    kind: str
    decoder: msgspec.json.Decoder[Any]
    record: Callable[[Any], Record]


def _reading(kind: str, shape: type[Any], record: Callable[[Any], Record]) -> Reading:
    return Reading(kind, msgspec.json.Decoder(shape), record)


def _workload(kind: str) -> Reading:
    return _reading(
        kind, serving_of.RawWorkload, lambda raw: workload.workload_record(raw, kind=kind)
    )


def _runtime(kind: str) -> Reading:
    return _reading(kind, serving_of.RawRuntime, lambda raw: serving.runtime_record(raw, kind=kind))


READINGS: dict[Resource, Reading] = {
    Resource.INFERENCE_SERVICES: _reading(
        "InferenceService", serving_of.RawModel, serving.model_record
    ),
    Resource.LLM_INFERENCE_SERVICES: _reading(
        "LLMInferenceService", serving_of.RawLlm, serving.llm_record
    ),
    Resource.SERVING_RUNTIMES: _runtime("ServingRuntime"),
    Resource.CLUSTER_SERVING_RUNTIMES: _runtime("ClusterServingRuntime"),
    Resource.REVISIONS: _reading("Revision", serving_of.RawRevision, serving.revision_record),
    Resource.POD_AUTOSCALERS: _reading(
        "PodAutoscaler", serving_of.RawAutoscaler, serving.autoscaler_record
    ),
    Resource.DEPLOYMENTS: _workload("Deployment"),
    Resource.REPLICA_SETS: _workload("ReplicaSet"),
    Resource.LEADER_WORKER_SETS: _workload("LeaderWorkerSet"),
    Resource.HORIZONTAL_POD_AUTOSCALERS: _reading(
        "HorizontalPodAutoscaler", serving_of.RawHpa, serving.hpa_record
    ),
    Resource.PODS: _reading("Pod", of.RawPod, pod.pod_record),
    Resource.EVENTS: _reading("Event", of.RawEvent, workload.event_record),
    Resource.NODES: _reading("Node", of.RawNode, workload.node_record),
    Resource.NAMESPACES: _reading("Namespace", of.RawNamespace, workload.namespace_record),
}


class _Name(msgspec.Struct):
    """Of an object that could not be read."""

    name: str = "?"
    uid: str = ""


class _Named(msgspec.Struct):
    metadata: _Name = msgspec.field(default_factory=_Name)


class _ListMeta(msgspec.Struct):
    resourceVersion: str = ""  # noqa: N815 - the API's own name


class _RawList(msgspec.Struct):
    metadata: _ListMeta = msgspec.field(default_factory=_ListMeta)
    items: list[msgspec.Raw] | None = None


_named = msgspec.json.Decoder(_Named)
_list = msgspec.json.Decoder(_RawList)


def parse_object(resource: Resource, raw: bytes | msgspec.Raw) -> Record:
    """One object as the API returns it. Raises UnexpectedShape, which names the object."""
    reading = READINGS[resource]
    try:
        return reading.record(decode(reading.decoder, raw))
    except (msgspec.MsgspecError, OverflowError) as error:
        problem = str(error)[:_PROBLEM_LENGTH]
        raise UnexpectedShape(reading.kind, named(raw).name, problem) from error


def parse_list(
    resource: Resource,
    raw: bytes | msgspec.Raw,
    *,
    received_at: datetime,
    unseen_since: datetime | None = None,
) -> Listed:
    """A whole list in one piece. Items that cannot be read are named, not lost silently; a body
    that is no list at all raises UnexpectedShape."""
    try:
        body = decode(_list, raw)
    except msgspec.MsgspecError as error:
        problem = str(error)[:_PROBLEM_LENGTH]
        raise UnexpectedShape(f"{READINGS[resource].kind}List", "", problem) from error
    records: list[Record] = []
    odd: list[OddItem] = []
    for item in body.items or ():
        try:
            records.append(parse_object(resource, item))
        except UnexpectedShape as error:
            odd.append(OddItem(uid=named(item).uid, name=error.name, problem=str(error)))
    return Listed(
        resource=resource,
        records=tuple(records),
        received_at=received_at,
        resource_version=body.metadata.resourceVersion,
        unseen_since=unseen_since,
        odd=tuple(odd),
    )


def named(raw: bytes | msgspec.Raw) -> _Name:
    """Name and uid of an object that could not be read, as far as they can."""
    try:
        found = decode(_named, raw).metadata
    except msgspec.MsgspecError:
        return _Name()
    return _Name(found.name[:_PROBLEM_LENGTH], found.uid[:_PROBLEM_LENGTH])
