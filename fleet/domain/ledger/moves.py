"""What moved between two looks at an object, kept with its record."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from fleet.domain.records.common import Moved, What
from fleet.domain.records.serving import AutoscalerRecord, ModelRecord, RevisionRecord
from fleet.domain.records.workload import WorkloadRecord

MOVES_AT_MOST = 16

Moving = TypeVar("Moving", ModelRecord, RevisionRecord, AutoscalerRecord, WorkloadRecord)


def with_moves(old: Moving | None, new: Moving, *, at: datetime, seen: bool, born: bool) -> Moving:
    """The new record with the old one's moves and what moved since.

    seen: a watch brought it, as it happened. born: an object not known before is new, not only
    unknown to us (the first list of all shows objects of any age).
    """
    if old is None and not born:
        return new
    found = tuple(_moves(old, new, at=at, seen=seen))
    kept = (old.moves if old is not None else ()) + found
    return replace(new, moves=_bounded(kept))


def _bounded(moves: tuple[Moved, ...]) -> tuple[Moved, ...]:
    """The newest; the first time of being ready is kept for good."""
    if len(moves) <= MOVES_AT_MOST:
        return moves
    ready = tuple(move for move in moves if move.what == What.READY)[:1]
    rest = tuple(move for move in moves if move.what != What.READY)
    return ready + rest[-(MOVES_AT_MOST - 1) :]


def _moves(old: Moving | None, new: Moving, *, at: datetime, seen: bool) -> Iterator[Moved]:
    by = new.meta.changed_by
    if not seen and isinstance(old, WorkloadRecord) and isinstance(new, WorkloadRecord):
        yield from _through_zero(old, new, at=at)
    for what, before, after in _pairs(old, new):
        yield Moved(what=what, from_=before, to=after, at=at, seen=seen, by=by)


def _through_zero(old: WorkloadRecord, new: WorkloadRecord, *, at: datetime) -> Iterator[Moved]:
    """One replica before a gap and after it, and two edits in between: it went away and came back.
    Nothing else than the number is edited in a ReplicaSet, nor in a Knative Deployment."""
    counted = new.kind == "ReplicaSet" or bool(new.revision)
    edits = new.meta.generation - old.meta.generation
    if counted and edits >= 2 and old.replicas == new.replicas == 1:
        yield Moved(what=What.WISH, from_=1, to=0, at=at, seen=False)
        yield Moved(what=What.WISH, from_=0, to=1, at=at, seen=False)


def _pairs(old: Moving | None, new: Moving) -> Iterator[tuple[What, int | None, int | None]]:
    if isinstance(new, WorkloadRecord):
        yield from _workload(old if isinstance(old, WorkloadRecord) else None, new)
    elif isinstance(new, AutoscalerRecord):
        yield from _autoscaler(old if isinstance(old, AutoscalerRecord) else None, new)
    elif isinstance(new, RevisionRecord):
        if not isinstance(old, RevisionRecord):
            yield What.BORN, None, None
        elif (old.min_scale or 0) != (new.min_scale or 0):
            yield What.FLOOR, old.min_scale or 0, new.min_scale or 0
    else:
        yield from _model(old if isinstance(old, ModelRecord) else None, new)


def _workload(
    old: WorkloadRecord | None, new: WorkloadRecord
) -> Iterator[tuple[What, int | None, int | None]]:
    before = old.replicas if old is not None else None
    if new.replicas is not None and (old is None or before != new.replicas):
        yield What.WISH, before, new.replicas
    was_up = old is not None and any(move.what == What.READY for move in old.moves)
    if new.ready_replicas > 0 and not was_up:
        yield What.READY, 0, new.ready_replicas


def _autoscaler(
    old: AutoscalerRecord | None, new: AutoscalerRecord
) -> Iterator[tuple[What, int | None, int | None]]:
    before = old.desired_scale if old is not None else None
    if new.desired_scale is not None and before != new.desired_scale:
        yield What.WISH, before, new.desired_scale
    if old is not None and (old.min_scale or 0) != (new.min_scale or 0):
        yield What.FLOOR, old.min_scale or 0, new.min_scale or 0


def _model(
    old: ModelRecord | None, new: ModelRecord
) -> Iterator[tuple[What, int | None, int | None]]:
    """An edit moves the generation; stopping, resuming and labels do not."""
    if old is None:
        yield What.ASKED, None, new.meta.generation
        return
    before = (old.meta.generation, old.stopped, old.fingerprint)
    if before != (new.meta.generation, new.stopped, new.fingerprint):
        yield What.ASKED, old.meta.generation, new.meta.generation
