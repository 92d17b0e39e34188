"""What a webhook is asked before a change is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from simulator.store.json_values import JsonObject
from simulator.store.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionRequest:
    """One question. A hook may edit object in place, or raise Refused.

    object: as it would be stored; for DELETE as it is, read-only.
    old: None for CREATE; read-only. subresource: "status", "scale" or None.
    """

    operation: Literal["CREATE", "UPDATE", "DELETE"]
    resource: Resource
    object: JsonObject
    old: JsonObject | None
    subresource: str | None
    manager: str
    dry_run: bool


AdmissionHook = Callable[[AdmissionRequest], None]
