"""What a watch brings, after parsing."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from fleet.domain.records.events import EventRecord
from fleet.domain.records.keys import Resource
from fleet.domain.records.serving import (
    AutoscalerRecord,
    HorizontalAutoscalerRecord,
    ModelRecord,
    RevisionRecord,
    RuntimeRecord,
)
from fleet.domain.records.workload import NamespaceRecord, NodeRecord, PodRecord, WorkloadRecord

Record = (
    ModelRecord
    | RuntimeRecord
    | RevisionRecord
    | AutoscalerRecord
    | HorizontalAutoscalerRecord
    | WorkloadRecord
    | PodRecord
    | NodeRecord
    | NamespaceRecord
    | EventRecord
)


class ChangeType(StrEnum):
    """ADDED, MODIFIED, DELETED as a watch says."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One object seen at `received_at` (our clock). On DELETED the record is the last state."""

    resource: Resource
    type: ChangeType
    record: Record
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OddItem:
    """An object of a list that could not be read: it is there, though nothing is known of it.
    uid: "" if not even that."""

    uid: str
    name: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A whole list of one resource, taken at `received_at`; None in `unseen_since` = first look,
    else a gap began then.

    What we knew and the list lacks has ended, unseen, between `unseen_since` and `received_at`.
    namespace: "" for all namespaces. model_kind: the list was narrowed to what belongs to this kind
    of model: only records of that model_kind can be missing from it; "" = not narrowed.
    odd: objects that are there but could not be read: they have not ended.
    """

    resource: Resource
    records: tuple[Record, ...]
    received_at: datetime
    resource_version: str = ""
    namespace: str = ""
    unseen_since: datetime | None = None
    model_kind: str = ""
    odd: tuple[OddItem, ...] = ()
