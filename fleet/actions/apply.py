"""Apply: write the plan's next changes, only if all is still as planned."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from fleet.actions import rows
from fleet.actions.look import Look, model_now
from fleet.actions.problems import why_not
from fleet.actions.tools import Tools
from fleet.actions.writing import Written, write
from fleet.domain.plans.check import traffic_differs
from fleet.domain.plans.plan import Change, Notice, When, due_now
from fleet.domain.records.keys import Mode
from fleet.errors import ClusterRefused, ClusterUnreachable, CredentialsExpired
from fleet.history.actions import Step, take_step
from fleet.models import Action, Cluster
from fleet.ports import ClusterWriter

# A cluster that cannot be reached this long after the click: the moment has passed.
UNREACHABLE_FOR = timedelta(minutes=2)


def planned(action: Action) -> list[Change]:
    """All changes of the action's plan."""
    return [Change.from_json(kept) for kept in action.plan.body.get("changes", [])]


def written_so_far(action: Action) -> list[Change]:
    """Changes that the cluster has taken."""
    return [Change.from_json(kept) for kept in action.after]


def still_to_write(action: Action) -> list[Change]:
    """What comes next: at once, then what waits for the first to come true."""
    when = When.AFTER_READY if action.after else When.AT_ONCE
    done = written_so_far(action)
    return [change for change in due_now(planned(action), when) if change not in done]


def apply(action: Action, *, cluster: Cluster, tools: Tools) -> None:
    """Write what comes next and record it. A killed worker's successor does the same again."""
    if action.state == "queued":
        take_step(
            action, Step(state="applying", code="writing", due_at=tools.now()), now=tools.now()
        )
    writer = tools.writer(cluster)
    changes = still_to_write(action)
    try:
        written = _checked_write(action, changes, cluster=cluster, writer=writer)
    except CredentialsExpired:
        raise
    except ClusterRefused as error:
        written = Written(problem=why_not(error))
    except ClusterUnreachable as error:
        if tools.now() - action.created_at < UNREACHABLE_FOR:
            raise
        # A patch may have arrived though its answer did not: undoing must stay possible.
        written = Written(changes=changes, problem=why_not(error))
    take_step(action, _outcome(action, written, now=tools.now()), now=tools.now())


def _checked_write(
    action: Action, changes: Sequence[Change], *, cluster: Cluster, writer: ClusterWriter
) -> Written:
    if cluster.read_only:
        return Written(problem=Notice(code="cluster-read-only"))
    moved = _traffic_moved(action, cluster=cluster, writer=writer)
    if moved:
        return Written(problem=moved)
    return write(writer, changes, owners=action.plan.seen.get("objects", {}))


def _traffic_moved(action: Action, *, cluster: Cluster, writer: ClusterWriter) -> Notice | None:
    """Only a Knative model has traffic; the pin belongs on the revisions that get it."""
    seen = action.plan.seen.get("traffic", [])
    if not seen:
        return None
    record = rows.model_record(cluster, action.key)
    model = model_now(
        Look(writer=writer),
        key=action.key,
        mode=Mode.KNATIVE,
        api_version=record.api_version if record else "",
    )
    return traffic_differs(seen, model.traffic)


def _outcome(action: Action, written: Written, *, now: datetime) -> Step:
    """accepted; refused if nothing was written; failed, but undoable, if only part of it was."""
    columns = _columns(action, written.changes, now=now)
    params: dict[str, Any] = {"objects": [change.object for change in written.changes]}
    if written.problem is None:
        if written.warnings:
            params["warnings"] = "; ".join(written.warnings)[:300]
        return Step(
            state="accepted",
            code="written",
            params=params,
            due_at=now,
            outcome="accepted",
            columns=columns,
        )
    state = "failed" if action.after or written.changes else "refused"
    return Step(
        state=state,
        code=written.problem.code,
        params=written.problem.params,
        finished=True,
        due_at=columns.get("expires_at", action.expires_at) if state == "failed" else None,
        outcome=state,
        columns={**columns, "result": written.problem.as_json()},
    )


def _columns(action: Action, changes: Sequence[Change], *, now: datetime) -> dict[str, Any]:
    """What the audit tells and the undo needs; the expiry counts from the first write."""
    if not changes:
        return {}
    after = [*action.after, *(change.as_json() for change in changes)]
    before = [{**change, "after": change["before"]} for change in after]
    columns: dict[str, Any] = {
        "after": after,
        "before": before,
        "inverse": [Change.from_json(kept).inverse().as_json() for kept in reversed(after)],
    }
    expires_in_s = action.plan.params.get("expires_in_s")
    if expires_in_s and action.expires_at is None:
        columns["expires_at"] = now + timedelta(seconds=expires_in_s)
    return columns


def record_fallback(action: Action, written: Written, *, now: datetime) -> Step:
    """The cluster took the PodAutoscaler's floor back, so the Revision got it."""
    params = {"objects": [change.object for change in written.changes]}
    return Step(
        state="accepted",
        code="written-to-revision",
        params=params,
        due_at=now,
        outcome="accepted",
        columns=_columns(action, written.changes, now=now),
    )
