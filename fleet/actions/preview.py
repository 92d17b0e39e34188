"""Preview: look at the live objects, make the plan, let the cluster try it with a dry run."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fleet.actions.asking import can_ask, route_of
from fleet.actions.look import Look, facts_of
from fleet.actions.problems import MESSAGE_CHARS, said, why_not
from fleet.actions.tools import Tools, cluster_of
from fleet.domain.plans.check import seen_of
from fleet.domain.plans.facts import Facts
from fleet.domain.plans.fields import merge_body
from fleet.domain.plans.params import RaiseMin, read_params
from fleet.domain.plans.plan import Change, Draft, Notice, by_object
from fleet.domain.plans.raise_min import plan_raise_min
from fleet.domain.plans.warm_up import plan_warm_up
from fleet.errors import ClusterRefused, FleetError, Forbidden
from fleet.history import plans
from fleet.models import Cluster, Plan, ServedModel
from fleet.ports import ClusterWriter, Patch


@dataclass(frozen=True, slots=True, kw_only=True)
class Previewed:
    """The body as shown, what to compare later, and why not (None = it may be applied)."""

    body: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, Any] = field(default_factory=dict)
    refusal: Notice | None = None


def preview(plan_id: str, *, tools: Tools) -> bool:
    """Make the plan planned or refused. False when it is somebody else's, or done already."""
    plan = plans.claim_plan(plan_id, worker=tools.worker, now=tools.now())
    if plan is None:
        return False
    found = _previewed(plan, tools)
    settled = plans.settle_plan(
        plan,
        body=found.body,
        seen=found.seen,
        refusal=found.refusal.as_json() if found.refusal else None,
        now=tools.now(),
    )
    if settled:
        tools.announce(plan)
    return settled


def _previewed(plan: Plan, tools: Tools) -> Previewed:
    cluster = cluster_of(plan)
    row = ServedModel.objects.of(plan.key).present().first()
    if cluster is None or row is None:
        return Previewed(refusal=Notice(code="model-gone"))
    try:
        return _looked(plan, row, cluster=cluster, tools=tools)
    except FleetError as error:
        return Previewed(refusal=why_not(error))


def _looked(plan: Plan, row: ServedModel, *, cluster: Cluster, tools: Tools) -> Previewed:
    writer = tools.writer(cluster)
    look = Look(writer=writer)
    facts = facts_of(look, row=row, cluster=cluster, can_ask=can_ask(tools, cluster, row))
    draft = _drafted(plan, facts)
    if isinstance(draft, Notice):
        return Previewed(refusal=draft)
    body = _body(draft)
    if not draft.changes:
        route = route_of(cluster, row)
        body["route"] = {"url": route.url, "path": route.path, "model": route.model}
    refusal = _dry_run(writer, draft.changes, body)
    seen = {"objects": seen_of(draft.changes, look.raws), **facts.seen()}
    return Previewed(body=body, seen=seen, refusal=refusal)


def _drafted(plan: Plan, facts: Facts) -> Draft | Notice:
    wanted = read_params(plan.action, plan.params)
    if isinstance(wanted, RaiseMin):
        return plan_raise_min(wanted, facts)
    return plan_warm_up(wanted, facts)


def _body(draft: Draft) -> dict[str, Any]:
    return {
        "changes": [change.as_json() for change in draft.changes],
        "inverse": [change.as_json() for change in draft.inverse],
        "effects": draft.effects.as_json(),
        "warnings": [notice.as_json() for notice in draft.warnings],
        "way": draft.way,
        "dry_run": {"ok": True, "message": ""},
    }


def _dry_run(
    writer: ClusterWriter, changes: Sequence[Change], body: dict[str, Any]
) -> Notice | None:
    """Run each patch with dryRun=All, which asks every webhook; the answer goes into the body."""
    heard: list[str] = []
    for object_, group in by_object(changes):
        values = [(change.field, change.after) for change in group]
        patch = Patch(object=object_, body=merge_body(values), uid=group[0].uid)
        try:
            heard += writer.patch(patch, dry_run=True).warnings
        except ClusterRefused as error:
            body["dry_run"] = {"ok": False, "message": said(error)}
            code = "forbidden" if isinstance(error, Forbidden) else "dry-run-refused"
            return Notice(code=code, params={"message": said(error), "object": object_})
    body["dry_run"] = {"ok": True, "message": "; ".join(heard)[:MESSAGE_CHARS]}
    return None
