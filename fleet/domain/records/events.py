"""Kubernetes Events, of either API, in one shape."""

from dataclasses import dataclass
from datetime import datetime

from fleet.domain.records.common import Meta


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """One Event as last seen. A repeat moves `count` and `last_at` of the same uid; `first_at`
    may belong to an earlier start.

    count: at least 1; series count where the scheduler wrote one. container: from
    involvedObject.fieldPath
    (`spec.containers{x}` -> "x"), "" if it names none. message: bounded, hostile text.
    """

    meta: Meta
    reason: str
    message: str = ""
    type: str = ""
    component: str = ""
    object_kind: str = ""
    object_name: str = ""
    object_uid: str = ""
    container: str = ""
    count: int = 1
    first_at: datetime | None = None
    last_at: datetime | None = None
