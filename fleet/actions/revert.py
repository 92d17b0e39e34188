"""Undo: write the old values back, absence included, wherever our own value still stands."""

from dataclasses import dataclass, field

from fleet.actions.apply import written_so_far
from fleet.actions.tools import Tools
from fleet.actions.writing import write
from fleet.domain.plans.plan import Change, Notice
from fleet.history.actions import REVERTIBLE, Step, take_step
from fleet.models import Action, Cluster
from fleet.ports import ClusterWriter

# Codes that say: somebody else's value stands there now, it is not ours to take away.
NOT_OURS = frozenset({"value-changed", "another-object", "being-deleted", "object-gone"})


@dataclass(slots=True)
class Undone:
    """Objects that hold their old value again, those that are others' now, and what failed."""

    back: list[str] = field(default_factory=list)
    left: list[Notice] = field(default_factory=list)
    problem: Notice | None = None


def must_revert(action: Action, *, tools: Tools) -> bool:
    """Asked for, or expired."""
    if action.state not in REVERTIBLE or not action.inverse:
        return False
    return bool(action.revert_asked_by) or _expired(action, tools)


def _expired(action: Action, tools: Tools) -> bool:
    return action.expires_at is not None and action.expires_at <= tools.now()


def revert(action: Action, *, cluster: Cluster, tools: Tools) -> None:
    """Announce it, write, record. Repeating it is harmless; an unreachable cluster is tried again
    until it answers."""
    _announce(action, tools=tools)
    if cluster.read_only:
        undone = Undone(problem=Notice(code="cluster-read-only"))
    else:
        undone = _undo(tools.writer(cluster), action)
    take_step(action, _outcome(action, undone), now=tools.now())
    tools.announce(action)


def _announce(action: Action, *, tools: Tools) -> None:
    now = tools.now()
    by_hand = bool(action.revert_asked_by)
    if action.state not in ("expiring", "reverting") and not by_hand:
        take_step(action, Step(state="expiring", code="expired", due_at=now), now=now)
    if action.state != "reverting":
        params = {"by": action.revert_asked_by} if by_hand else {}
        take_step(
            action, Step(state="reverting", code="undoing", params=params, due_at=now), now=now
        )
        tools.announce(action)


def _undo(writer: ClusterWriter, action: Action) -> Undone:
    undone = Undone()
    for kept in action.inverse:
        change = Change.from_json(kept)
        problem = _undo_one(writer, change)
        if problem is None:
            undone.back.append(change.object)
        elif problem.code in NOT_OURS:
            undone.left.append(problem)
        else:
            undone.problem = problem
            break
    return undone


def _undo_one(writer: ClusterWriter, change: Change) -> Notice | None:
    return write(writer, [change], owners=None).problem


def _outcome(action: Action, undone: Undone) -> Step:
    """reverted if anything is back; superseded if all of it is others' now; failed otherwise."""
    if undone.problem is not None:
        state, code, params = "failed", undone.problem.code, undone.problem.params
    elif undone.back or not undone.left:
        state, code, params = "reverted", "undone", {"objects": undone.back}
    else:
        state, code, params = "superseded", undone.left[0].code, undone.left[0].params
    result = {"code": code, "params": params}
    return Step(
        state=state,
        code=code,
        params=params,
        finished=True,
        outcome=state,
        columns={
            "result": result,
            "before": [change.as_json() for change in written_so_far(action)],
            "after": [] if state == "reverted" else action.after,
            "expires_at": None if state != "failed" else action.expires_at,
            "revert_asked_by": "" if state == "failed" else action.revert_asked_by,
        },
    )
