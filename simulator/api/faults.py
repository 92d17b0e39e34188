"""Bad days on order: what the API server does instead of answering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class FaultKind(StrEnum):
    """DOWN: connections are closed without an answer. SLOW: answers come late.

    ERROR: 500. THROTTLE: 429 with Retry-After. EXPIRED: every watch and every resumed list is
    too old (410). CUT: a watch ends without warning after a while.
    """

    DOWN = "down"
    SLOW = "slow"
    ERROR = "error"
    THROTTLE = "throttle"
    EXPIRED = "expired"
    CUT = "cut"


@dataclass(slots=True, kw_only=True)
class Fault:
    """One order. Empty verb or resource: every one. times None: until cleared.

    verb: get, list, watch, patch, ... resource: a plural. seconds: how late (SLOW), how long
    until a watch is cut (CUT), or Retry-After (THROTTLE).
    """

    kind: FaultKind
    verb: str = ""
    resource: str = ""
    seconds: float = 1.0
    times: int | None = None

    def concerns(self, verb: str, resource: str) -> bool:
        return self.verb in ("", verb) and self.resource in ("", resource)


@dataclass(slots=True)
class Faults:
    """The orders in force."""

    orders: list[Fault] = field(default_factory=list)

    def add(
        self,
        kind: FaultKind | str,
        *,
        verb: str = "",
        resource: str = "",
        seconds: float = 1.0,
        times: int | None = None,
    ) -> Fault:
        fault = Fault(
            kind=FaultKind(kind), verb=verb, resource=resource, seconds=seconds, times=times
        )
        self.orders.append(fault)
        return fault

    def clear(self) -> None:
        self.orders.clear()

    def take(self, kind: FaultKind, *, verb: str, resource: str) -> Fault | None:
        """The first order of this kind that concerns the request; counts as one use."""
        for fault in self.orders:
            if fault.kind is kind and fault.concerns(verb, resource):
                if fault.times is not None:
                    fault.times -= 1
                    if fault.times <= 0:
                        self.orders.remove(fault)
                return fault
        return None


def fault_from(order: Mapping[str, Any]) -> Fault:
    """An order as it comes over HTTP. ValueError or TypeError when it cannot be read."""
    times = order.get("times")
    return Fault(
        kind=FaultKind(str(order.get("kind"))),
        verb=str(order.get("verb", "")),
        resource=str(order.get("resource", "")),
        seconds=float(order.get("seconds", 1.0)),
        times=None if times is None else int(times),
    )
