"""Parts that many records share."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One status condition. `status` is True, False or Unknown as text; `changed_at` moves with
    the status only, not with the reason."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    changed_at: datetime | None = None


class What(StrEnum):
    """What moved, in `Moved`."""

    WISH = "wish"  # replicas asked for
    FLOOR = "floor"  # a pinned minimum, as an annotation
    ASKED = "asked"  # the model's own spec (its generation), stop mark or metadata
    READY = "ready"  # ready replicas, up to the first one ever
    BORN = "born"  # a revision was made


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A number of an object moved, as our own watch saw it; kept with it, so it outlives us.

    from_: None = the object is new. at: when the message came (our clock). seen: False if a list
    showed it, so that it happened at some time before. by: field manager, "" where nothing tells.
    """

    what: str
    from_: int | None
    to: int | None
    at: datetime
    seen: bool = True
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """Identity of an object. Times are the API server's whole seconds, cut.

    deleted_at: when deletion was asked for (deletionTimestamp less its grace period), None while it
    was not. managers: names only, bounded. changed_by: manager of the newest write that was not of
    the status, "" where unknown.
    """

    uid: str
    name: str
    namespace: str = ""
    resource_version: str = ""
    generation: int = 0
    created_at: datetime
    deleted_at: datetime | None = None
    owner_kind: str = ""
    owner_name: str = ""
    owner_uid: str = ""
    managers: tuple[str, ...] = ()
    changed_by: str = ""


def condition(conditions: tuple[Condition, ...], type_: str) -> Condition | None:
    """The condition of that type, or None."""
    return next((c for c in conditions if c.type == type_), None)
