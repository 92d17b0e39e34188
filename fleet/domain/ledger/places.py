"""Where a record belongs: which model's group, and which of its parts."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fleet.domain.ledger.group import Group
from fleet.domain.records.change import Record
from fleet.domain.records.keys import ModelKey, ModelKind
from fleet.domain.records.serving import (
    AutoscalerRecord,
    HorizontalAutoscalerRecord,
    ModelRecord,
    RevisionRecord,
)
from fleet.domain.records.workload import PodRecord, WorkloadRecord

# Parts of a model that serve it; transformers, explainers, routers and schedulers do not.
_SERVING = frozenset({"", "predictor", "workload"})
_KINDS = frozenset(ModelKind)
_CHILDREN = (RevisionRecord, AutoscalerRecord, WorkloadRecord, HorizontalAutoscalerRecord)


class Place(NamedTuple):
    """Name of a model within its cluster."""

    kind: str
    namespace: str
    name: str


@dataclass(slots=True)
class Places:
    """Groups by name, and the group of every known uid."""

    cluster: str
    groups: dict[Place, Group] = field(default_factory=dict)
    by_uid: dict[str, Place] = field(default_factory=dict)
    targets: dict[tuple[str, str, str], Place] = field(default_factory=dict)

    def group(self, place: Place) -> Group:
        """The group of that name, made if it is not there."""
        found = self.groups.get(place)
        if found is None:
            found = Group(ModelKey(self.cluster, *place))
            self.groups[place] = found
        return found

    def of(self, record: Record) -> Place | None:
        """By labels, else by owner; None for what belongs to no model, or to no serving part."""
        namespace = record.meta.namespace
        if isinstance(record, ModelRecord):
            return Place(str(record.kind), namespace, record.meta.name)
        if not isinstance(record, (*_CHILDREN, PodRecord)) or not _serves(record):
            return None
        kind, name = _labelled(record)
        if name:
            return Place(kind, namespace, name)
        if record.meta.owner_kind in _KINDS:
            return Place(record.meta.owner_kind, namespace, record.meta.owner_name)
        if isinstance(record, HorizontalAutoscalerRecord):
            return self.targets.get((namespace, record.target_kind, record.target_name))
        return self.by_uid.get(record.meta.owner_uid)

    def remember(self, place: Place, record: Record) -> None:
        """So that children, deletions and autoscalers find the group."""
        self.by_uid[record.meta.uid] = place
        if isinstance(record, WorkloadRecord):
            self.targets[record.meta.namespace, record.kind, record.meta.name] = place

    def forget(self, record_uid: str, record: Record | None) -> None:
        """The object is gone."""
        self.by_uid.pop(record_uid, None)
        if isinstance(record, WorkloadRecord):
            self.targets.pop((record.meta.namespace, record.kind, record.meta.name), None)


def _serves(record: Record) -> bool:
    return getattr(record, "component", "") in _SERVING


def _labelled(record: Record) -> tuple[str, str]:
    if isinstance(record, PodRecord | WorkloadRecord):
        return record.model_kind, record.model
    if isinstance(record, RevisionRecord | AutoscalerRecord):
        return ModelKind.INFERENCE_SERVICE, record.model
    return "", ""


def place_of(group: Group) -> Place:
    """A group's own name."""
    return Place(group.key.kind, group.key.namespace, group.key.name)


def part_of(group: Group, record: Record) -> dict[str, Any]:
    """The dictionary of the group that holds records of this type; empty for models and pods."""
    parts: dict[type, dict[str, Any]] = {
        RevisionRecord: group.revisions,
        AutoscalerRecord: group.autoscalers,
        WorkloadRecord: group.workloads,
        HorizontalAutoscalerRecord: group.scalers,
    }
    return parts.get(type(record), {})


def is_newer(new: str, old: str) -> bool:
    """Whether a resourceVersion comes after another: numbers are compared, anything else only for
    being different. Source: kubernetes KEP-5504, comparable resource versions."""
    if new.isdigit() and old.isdigit():
        return int(new) > int(old)
    return new != old
