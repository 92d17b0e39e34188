"""One look at one action: claim it, do the next thing, let it go."""

import logging
from datetime import timedelta

from fleet.actions.apply import apply
from fleet.actions.claimed import renewing
from fleet.actions.follow import check, follow, watch
from fleet.actions.revert import must_revert, revert
from fleet.actions.tools import Tools, cluster_of
from fleet.actions.warm import warm
from fleet.domain.plans.params import ActionName
from fleet.errors import ClusterUnreachable, CredentialsExpired, LeaseLost
from fleet.history.action_text import evidence_of
from fleet.history.actions import Step, claim_action, look_again, release, take_step
from fleet.models import Action, Cluster

logger = logging.getLogger(__name__)

# A worker that was killed is succeeded after this long. Longer than one call to a cluster may take:
# the claim is renewed before each.
CLAIM_S = 45.0
TRY_AGAIN = timedelta(seconds=3)
TRY_UNDO_AGAIN = timedelta(seconds=10)


def advance(action_id: str, *, tools: Tools) -> bool:
    """Do what is due; False when there is nothing for us to do. Harmless when called twice."""
    now = tools.now()
    action = claim_action(action_id, worker=tools.worker, now=now, for_s=CLAIM_S)
    if action is None:
        return False
    try:
        _next(action, tools=tools)
    except LeaseLost as error:
        logger.info("left action=%s because=%s", action_id, error)
    except (ClusterUnreachable, CredentialsExpired) as error:
        _unreachable(action, error, tools=tools)
    finally:
        release(action)
    return True


def _next(action: Action, *, tools: Tools) -> None:
    cluster = cluster_of(action)
    tools = renewing(tools, action, for_s=CLAIM_S)
    if cluster is None:
        _orphaned(action, tools=tools)
    elif must_revert(action, tools=tools):
        revert(action, cluster=cluster, tools=tools)
    elif action.finished_at is not None:
        watch(action, cluster=cluster, tools=tools)
    else:
        _go_on(action, cluster=cluster, tools=tools)


def _go_on(action: Action, *, cluster: Cluster, tools: Tools) -> None:
    if action.action == ActionName.WARM_UP:
        warm(action, cluster=cluster, tools=tools)
    elif action.state in ("queued", "applying"):
        apply(action, cluster=cluster, tools=tools)
        tools.announce(action)
    elif action.state == "ready":
        check(action, cluster=cluster, tools=tools)
    else:
        follow(action, cluster=cluster, tools=tools)


def _orphaned(action: Action, *, tools: Tools) -> None:
    """The cluster was removed from Pilot Light: nothing can be seen or undone there any more."""
    step = Step(
        state="failed" if action.finished_at is None else action.state,
        code="cluster-removed",
        finished=True,
        outcome="failed",
        columns={"result": {"code": "cluster-removed", "params": {}}},
    )
    take_step(action, step, now=tools.now())
    tools.announce(action)


def _unreachable(action: Action, error: Exception, *, tools: Tools) -> None:
    """Said once per spell, tried again for ever: undoing waits for its cluster."""
    undoing = action.state in ("expiring", "reverting")
    due_at = tools.now() + (TRY_UNDO_AGAIN if undoing else TRY_AGAIN)
    last = action.steps.last()
    try:
        if last is not None and evidence_of(last.evidence)[0] == "cluster-unreachable":
            look_again(action, due_at=due_at)
            return
        params = {"message": str(error)[:300]}
        step = Step(state=action.state, code="cluster-unreachable", params=params, due_at=due_at)
        take_step(action, step, now=tools.now())
        tools.announce(action)
    except LeaseLost as lost:
        logger.info("left action=%s because=%s", action.id, lost)
