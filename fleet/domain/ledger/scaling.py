"""Wishes that moved, as scale events with their cause."""

from collections.abc import Iterator

from fleet.domain.coldstart.trigger import BY_HAND, FOLLOWS_S, SLACK_S
from fleet.domain.ledger.codes import Cause
from fleet.domain.ledger.context import autoscaler_of
from fleet.domain.ledger.delta import ScaleEvent, ScaleKind
from fleet.domain.ledger.group import Group, Wished
from fleet.domain.records.common import Moved, What, condition
from fleet.domain.records.keys import Mode
from fleet.domain.records.serving import AutoscalerRecord
from fleet.domain.records.workload import WorkloadRecord


def wishes_of_scaler(old: AutoscalerRecord | None, new: AutoscalerRecord) -> Iterator[Wished]:
    """Of a PodAutoscaler: from one known wish to another; its first decision is no change."""
    active = condition(new.conditions, "Active")
    for move in _fresh(old, new):
        if move.from_ is not None:
            yield Wished(
                uid=f"{new.meta.uid}:{new.meta.resource_version}",
                move=move,
                source="podautoscaler",
                revision=new.revision,
                revision_uid=new.meta.owner_uid,
                reason=active.reason if active is not None else "",
            )


def wishes_of_workload(
    group: Group, old: WorkloadRecord | None, new: WorkloadRecord
) -> Iterator[Wished]:
    """Of a Deployment or LeaderWorkerSet. Knative's own wish is its autoscaler's, where that is
    known: the Deployment only starts the count."""
    if new.kind == "ReplicaSet":
        return
    for move in _fresh(old, new):
        if group.mode is Mode.KNATIVE and move.from_ is not None:
            scaler = autoscaler_of(group, new.revision_uid)
            if scaler is not None and scaler.desired_scale is not None:
                continue
        yield Wished(
            uid=f"{new.meta.uid}:{new.meta.resource_version}",
            move=move,
            source=new.kind.lower(),
            revision=new.revision or new.meta.name,
            revision_uid=new.revision_uid or new.meta.uid,
        )


def _fresh(
    old: AutoscalerRecord | WorkloadRecord | None, new: AutoscalerRecord | WorkloadRecord
) -> Iterator[Moved]:
    """Wishes that moved with the newest record."""
    known = set(old.moves) if old is not None else set()
    for move in new.moves:
        if move.what == What.WISH and move not in known and (move.from_ or 0) != (move.to or 0):
            yield move


def scale_events(group: Group) -> Iterator[ScaleEvent]:
    """All that waited to be said."""
    for wished in group.wishes:
        move = wished.move
        before, after = move.from_ or 0, move.to or 0
        cause, actor = _cause(group, wished)
        yield ScaleEvent(
            uid=wished.uid,
            model=group.key,
            model_uid=group.record.meta.uid if group.record else "",
            revision=wished.revision,
            revision_uid=wished.revision_uid,
            at=move.at,
            from_=before,
            to=after,
            kind=_kind(before, after),
            source=wished.source,
            cause=cause.value,
            actor=actor,
        )
    group.wishes.clear()


def _kind(before: int, after: int) -> ScaleKind:
    if after > before:
        return ScaleKind.UP if before else ScaleKind.FROM_ZERO
    return ScaleKind.DOWN if after else ScaleKind.TO_ZERO


def _cause(group: Group, wished: Wished) -> tuple[Cause, str | None]:
    """First match: new workload, a person's tool, a stop, a pin or an edit just before, else what
    the scaler of this mode acts on."""
    move = wished.move
    if move.from_ is None:
        return Cause.ROLLOUT, None
    if move.by.startswith(BY_HAND):
        return Cause.MANUAL, move.by
    if group.record is not None and group.record.stopped:
        return Cause.MANUAL, None
    pin = _pin(group, wished)
    if pin is not None:
        return Cause.MIN_CHANGE, pin.by or None
    if group.mode is not Mode.KNATIVE and _edited(group, move):
        return Cause.MIN_CHANGE, None
    return _by_scaler(group, wished), None


def _by_scaler(group: Group, wished: Wished) -> Cause:
    rises = (wished.move.to or 0) > (wished.move.from_ or 0)
    if group.mode is Mode.KNATIVE:
        if wished.reason == "TimedOut":
            return Cause.GAVE_UP
        return Cause.DEMAND if rises else Cause.IDLE
    if group.scalers:
        return Cause.DEMAND if rises else Cause.IDLE
    return Cause.UNKNOWN


def _pin(group: Group, wished: Wished) -> Moved | None:
    """A floor of this revision that moved the same way just before."""
    revision = group.revisions.get(wished.revision_uid)
    scaler = autoscaler_of(group, wished.revision_uid)
    moves = (*(revision.moves if revision else ()), *(scaler.moves if scaler else ()))
    up = (wished.move.to or 0) > (wished.move.from_ or 0)
    near = [
        move
        for move in moves
        if move.what == What.FLOOR
        and _just_before(move, wished.move)
        and ((move.to or 0) > (move.from_ or 0)) is up
    ]
    return near[-1] if near else None


def _edited(group: Group, move: Moved) -> bool:
    asked = group.record.moves if group.record is not None else ()
    return any(edit.what == What.ASKED and _just_before(edit, move) for edit in asked)


def _just_before(earlier: Moved, later: Moved) -> bool:
    gap = later.at.timestamp() - earlier.at.timestamp()
    return -SLACK_S <= gap <= FOLLOWS_S
