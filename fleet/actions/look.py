"""The live look just before a plan is made, and again just before it is applied."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fleet.actions import rows
from fleet.domain.plans import objects, reading
from fleet.domain.plans.facts import Autoscaler, Facts, ModelNow, TrafficRevision
from fleet.domain.records.keys import Mode, ModelKey, Resource
from fleet.domain.records.workload import WorkloadRecord
from fleet.errors import Forbidden, NotThere
from fleet.models import Cluster, ServedModel
from fleet.ports import ClusterWriter

Raw = Mapping[str, Any]


@dataclass(slots=True)
class Look:
    """Objects as read, by name; each is read once."""

    writer: ClusterWriter
    raws: dict[str, Raw] = field(default_factory=dict)

    def read(self, object_: str) -> Raw:
        """Raises fleet.errors."""
        if object_ not in self.raws:
            self.raws[object_] = self.writer.read(object_)
        return self.raws[object_]

    def maybe(self, object_: str) -> Raw | None:
        """None where the object is missing or may not be read."""
        try:
            return self.read(object_)
        except (NotThere, Forbidden):
            return None


def model_now(look: Look, *, key: ModelKey, mode: Mode, api_version: str) -> ModelNow:
    """The model's own object, live."""
    object_ = reading.model_object(key, api_version=api_version)
    return reading.read_model(look.read(object_), object_=object_, mode=mode)


def revisions_now(look: Look, *, model: ModelNow, namespace: str) -> tuple[TrafficRevision, ...]:
    """The Revisions in traffic with their PodAutoscalers, live."""
    return tuple(
        _revision(look, namespace=namespace, name=name, percent=percent)
        for name, percent in model.traffic
    )


def _revision(look: Look, *, namespace: str, name: str, percent: int) -> TrafficRevision:
    object_ = objects.knative_revision(namespace, name)
    raw = look.read(object_)
    revision = reading.read_revision(raw, object_=object_, percent=percent)
    pa = _autoscaler(look, objects.pod_autoscaler(namespace, name))
    if pa is None or not pa.deployment:
        return replace(revision, autoscaler=pa)
    deployment = look.maybe(objects.deployment(namespace, pa.deployment))
    repeats = None if deployment is None else reading.template_repeats(deployment, raw)
    return replace(revision, autoscaler=pa, template_repeats=repeats)


def _autoscaler(look: Look, object_: str) -> Autoscaler | None:
    raw = look.maybe(object_)
    return None if raw is None else reading.read_autoscaler(raw, object_=object_)


def facts_of(look: Look, *, row: ServedModel, cluster: Cluster, can_ask: bool) -> Facts:
    """Everything a plan is made from: the live objects, and what history knows of the rest."""
    record = rows.model_record(cluster, row.key)
    mode = Mode(row.mode)
    api_version = record.api_version if record else ""
    model = model_now(look, key=row.key, mode=mode, api_version=api_version)
    found: tuple[TrafficRevision, ...] = ()
    if mode is Mode.KNATIVE:
        found = revisions_now(look, model=model, namespace=row.namespace)
        found = tuple(_with_kept_evidence(cluster, revision) for revision in found)
        model = _with_merged_pod(look, model, found)
    nodes = rows.nodes(cluster)
    if not model.gpus:
        # What a runtime asks for stands in no object that we read.
        model = replace(model, gpus=rows.gpus_of_replicas(row.key, nodes or ()))
    return Facts(
        read_only=cluster.read_only,
        knative=cluster.knative,
        model=model,
        revisions=found,
        desired=row.desired,
        ready=row.ready,
        nodes=nodes,
        gpu_pods=rows.gpu_pods(cluster, nodes or ()),
        home_nodes=rows.home_nodes(row.key),
        ready_starts_s=rows.ready_starts_s(row.key),
        has_address=bool(row.url),
        can_ask=can_ask,
    )


def _with_kept_evidence(cluster: Cluster, revision: TrafficRevision) -> TrafficRevision:
    """The actor may lack the right to read Deployments; the follower saw them."""
    if revision.template_repeats is not None or revision.min_scale is None:
        return revision
    namespace = objects.ObjectName.parse(revision.object).namespace
    found = rows.records(cluster, Resource.DEPLOYMENTS, WorkloadRecord, namespace=namespace)
    repeats = {d.template_autoscaling for d in found if d.revision == revision.name}
    return replace(revision, template_repeats=repeats.pop() if len(repeats) == 1 else None)


def _with_merged_pod(
    look: Look, model: ModelNow, revisions: tuple[TrafficRevision, ...]
) -> ModelNow:
    """A Revision holds the pod as merged from runtime and model; the InferenceService does not."""
    if not revisions:
        return model
    template = reading.pod_template(look.read(revisions[0].object))
    return replace(
        model,
        gpus=reading.gpus_of(template) or model.gpus,
        placement=reading.placement_of(template),
    )
