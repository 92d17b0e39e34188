"""A plan as a value: the changes, what they would bring about, and what to know before."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

MIN_SCALE = "autoscaling.knative.dev/min-scale"
MAX_SCALE = "autoscaling.knative.dev/max-scale"


class PlanState(StrEnum):
    """previewing: not yet looked at by the worker."""

    PREVIEWING = "previewing"
    PLANNED = "planned"
    REFUSED = "refused"
    EXPIRED = "expired"
    APPLIED = "applied"


class When(StrEnum):
    """at-once; after-ready: once the changes before it came true; if-undone: only if the cluster
    itself took the one before it back."""

    AT_ONCE = "at-once"
    AFTER_READY = "after-ready"
    IF_UNDONE = "if-undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One field of one object. before, after: None = the field is absent. uid: of the object."""

    object: str
    uid: str
    field: str
    before: int | str | None
    after: int | str | None
    when: When = When.AT_ONCE

    def inverse(self) -> Self:
        return replace(self, before=self.after, after=self.before, when=When.AT_ONCE)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Self:
        return cls(**{**kept, "when": When(kept.get("when", When.AT_ONCE))})


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A warning or a refusal: a code with the figures of its sentence."""

    code: str
    params: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {"code": self.code, "params": self.params}


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What comes of it. pods: pods that start. gpus: what these need, by resource name. free: GPUs
    free now, by resource name, None = not known. capacity: fits-now, no-free-gpu, unknown.
    eta_p50_s: median of this model's own comparable starts, None = too few."""

    new_revision: bool = False
    rollout: bool = False
    pods: int = 0
    gpus: dict[str, int] = field(default_factory=dict)
    free: dict[str, int] | None = None
    capacity: str = "unknown"
    eta_p50_s: float | None = None
    cost_per_hour: float | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What will be done, before the cluster's own dry run."""

    changes: tuple[Change, ...] = ()
    effects: Effects = field(default_factory=Effects)
    warnings: tuple[Notice, ...] = ()
    way: str = ""

    @property
    def inverse(self) -> tuple[Change, ...]:
        """Undoing goes backwards, last change first."""
        return tuple(change.inverse() for change in reversed(self.changes))


def by_object(changes: Sequence[Change]) -> list[tuple[str, list[Change]]]:
    """Changes of one object go in one patch; objects in the order of their first change."""
    groups: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.object, change.when), []).append(change)
    return [(object_, group) for (object_, _), group in groups.items()]


def due_now(changes: Sequence[Change], when: When) -> list[Change]:
    return [change for change in changes if change.when == when]
