"""Parts that many records share."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One status condition. `status` is True, False or Unknown as text; `changed_at` moves with
    the status only, not with the reason."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    changed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """Identity of an object. Times are the API server's whole seconds, cut. `deleted_at` is when
    deletion was asked for
    (deletionTimestamp less its grace period), None while it was not."""

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


def condition(conditions: tuple[Condition, ...], type_: str) -> Condition | None:
    """The condition of that type, or None."""
    return next((c for c in conditions if c.type == type_), None)
