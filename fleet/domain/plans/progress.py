"""An action on its way: what was seen -> what is next. The clock is an argument, as seconds since
the cluster accepted the change, counted only while it was watched."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# A Knative autoscaler that restarted has no metrics of a sleeping Revision, and ignores a new floor
# until a request comes. Source: knative/serving pkg/reconciler/autoscaling/kpa/scaler.go.
DEAD_ZONE_S = 10.0
# What no controller acted on by then is "accepted, not effective".
NOT_EFFECTIVE_S = 60.0
# A start that fails may still turn; one that stands in its way this long is told as the reason.
FAILING_S = 60.0
# Waiting for a place on a node is no error of the model: a node may be on its way.
PATIENT_CLASSES = frozenset({"unschedulable"})
GIVE_UP_S = 900.0
# How long somebody else's hand is watched for.
REVERSAL_S = 600.0
# A controller takes a PodAutoscaler's annotation back within moments, if it does.
READ_BACK_S = 5.0


class Next(StrEnum):
    """What to do: wait, say something once, ask the model once, or go to the next state."""

    WAIT = "wait"
    NOTE = "note"
    ASK = "ask"
    SCALING = "scaling"
    READY = "ready"
    DONE = "done"
    FAILED = "failed"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """The change's object and its children as last observed.

    floor: the floor in force there, None = not seen. wished, ready: the least of all revisions
    concerned. new_revision: name of the revision that took the traffic over, "" = none.
    failing: class and reason of a start that fails now, None = none.
    """

    floor: int | None = None
    wished: int = 0
    ready: int = 0
    new_revision: str = ""
    failing: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """since_s: watched seconds since accepted. failing_s: since the first failure was told, None =
    none was. asked: the one request of the dead zone was sent. may_ask: one would be held and
    wake the model."""

    since_s: float
    failing_s: float | None = None
    asked: bool = False
    may_ask: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What is next, and the evidence for it."""

    next: Next
    code: str = ""
    params: dict[str, Any] = field(default_factory=dict)


WAIT = Move(next=Next.WAIT)
Rule = Callable[[int, Sight, Waited], Move | None]


def _taken_over(least: int, sight: Sight, waited: Waited) -> Move | None:
    if not sight.new_revision:
        return None
    params = {"revision": sight.new_revision}
    return Move(next=Next.SUPERSEDED, code="revision-replaced", params=params)


def _lowered(least: int, sight: Sight, waited: Waited) -> Move | None:
    """A floor of 0 starts nothing, and a check request would only wake the model again."""
    if least == 0 and sight.floor == 0:
        return Move(next=Next.DONE, code="floor-lowered", params={"min": 0})
    return None


def _effective(least: int, sight: Sight, waited: Waited) -> Move | None:
    if sight.floor is not None and sight.floor >= least and sight.wished >= least > 0:
        params = {"min": least, "wished": sight.wished}
        return Move(next=Next.SCALING, code="floor-in-force", params=params)
    return None


def _dead_zone(least: int, sight: Sight, waited: Waited) -> Move | None:
    if waited.asked or not waited.may_ask or waited.since_s < DEAD_ZONE_S:
        return None
    if sight.wished >= least:
        return None
    return Move(next=Next.ASK, code="dead-zone", params={"after_s": round(waited.since_s)})


def _not_effective(least: int, sight: Sight, waited: Waited) -> Move | None:
    if waited.since_s < NOT_EFFECTIVE_S:
        return None
    params = {"min": least, "floor": sight.floor, "wished": sight.wished}
    return Move(next=Next.FAILED, code="accepted-not-effective", params=params)


def _taken_back(least: int, sight: Sight, waited: Waited) -> Move | None:
    if sight.floor is None or sight.floor >= least:
        return None
    return Move(next=Next.SUPERSEDED, code="floor-taken-back", params={"floor": sight.floor})


def _ready(least: int, sight: Sight, waited: Waited) -> Move | None:
    if sight.ready < least:
        return None
    return Move(next=Next.READY, code="replicas-ready", params={"ready": sight.ready})


def _failing(least: int, sight: Sight, waited: Waited) -> Move | None:
    if sight.failing is None:
        return None
    class_, reason = sight.failing
    params = {"class": class_, "reason": reason}
    if waited.failing_s is None:
        return Move(next=Next.NOTE, code="start-failing", params=params)
    if class_ in PATIENT_CLASSES or waited.failing_s < FAILING_S:
        return None
    return Move(next=Next.FAILED, code="start-failed", params=params)


def _gave_up(least: int, sight: Sight, waited: Waited) -> Move | None:
    if waited.since_s < GIVE_UP_S:
        return None
    params = {"ready": sight.ready, "min": least, "after_s": round(waited.since_s)}
    return Move(next=Next.FAILED, code="not-ready-in-time", params=params)


ACCEPTED: tuple[Rule, ...] = (_taken_over, _lowered, _effective, _dead_zone, _not_effective)
SCALING: tuple[Rule, ...] = (_taken_over, _taken_back, _ready, _failing, _gave_up)
WATCHED: tuple[Rule, ...] = (_taken_over, _taken_back)


def _first(rules: tuple[Rule, ...], least: int, sight: Sight, waited: Waited) -> Move:
    found = (rule(least, sight, waited) for rule in rules)
    return next((move for move in found if move is not None), WAIT)


def after_accepted(least: int, sight: Sight, waited: Waited) -> Move:
    """The change stands in the cluster; does anything act on it?"""
    return _first(ACCEPTED, least, sight, waited)


def after_scaling(least: int, sight: Sight, waited: Waited) -> Move:
    """Replicas are on their way; are there `least` of them ready?"""
    return _first(SCALING, least, sight, waited)


def after_served(least: int, sight: Sight, waited: Waited) -> Move:
    """It serves; does anybody take it back?"""
    return _first(WATCHED, least, sight, waited)
