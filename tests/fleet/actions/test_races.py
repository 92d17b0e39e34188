"""What happens in between: two people, two workers, a worker that dies, an object that changes."""

from datetime import timedelta
from typing import Any

import pytest

from fleet.actions.advance import advance
from fleet.actions.apply import apply
from fleet.actions.preview import preview
from fleet.actions.requests import request_apply, request_plan, request_revert
from fleet.domain.records.keys import ModelKey
from fleet.errors import BadInput, ClusterUnreachable, LeaseLost
from fleet.history.actions import Step, claim_action, due_actions, release, take_step
from fleet.history.plans import expire_plans, unclaimed_plans
from fleet.models import Action, AuditEntry, Plan
from fleet.ports import Patch, PatchResult
from tests.fleet.actions.conftest import GROUPS, PINNED, Bed, codes
from tests.hosted.loading import resource


class Killed(BaseException):
    """The worker's process is gone: nothing after this runs."""


class DiesAfterPatch:
    """A writer whose process is killed right after the cluster took the patch."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer

    def read(self, object_: str) -> Any:
        return self.writer.read(object_)

    def patch(self, patch: Patch, *, dry_run: bool) -> PatchResult:
        self.writer.patch(patch, dry_run=dry_run)
        raise Killed


def test_a_plan_is_applied_once(asleep: Bed) -> None:
    plan = asleep.plan(min=1)
    first = request_apply(plan.id, idempotency_key="a", by="olga", now=asleep.now)
    again = request_apply(plan.id, idempotency_key="a", by="olga", now=asleep.now)
    other = request_apply(plan.id, idempotency_key="b", by="otto", now=asleep.now)
    assert first.id == again.id == other.id
    assert Action.objects.count() == 1
    assert AuditEntry.objects.filter(outcome="asked").count() == 1


def test_two_operators_with_two_plans(asleep: Bed) -> None:
    """Both saw floor 0. The second finds what it wanted there already, or something else."""
    one, same, other = asleep.plan(min=1), asleep.plan(min=1), asleep.plan(min=2)
    asleep.apply(one)
    assert asleep.apply(same).state == "accepted"
    refused = asleep.apply(other)
    assert (refused.state, codes(refused)[-1][1]) == ("refused", "value-changed")
    assert asleep.floor("revisions", PINNED) == "1"
    assert AuditEntry.objects.filter(action=refused.id, outcome="refused").exists()


def test_one_action_is_advanced_by_one_worker(asleep: Bed) -> None:
    action = request_apply(asleep.plan(min=1).id, idempotency_key="k", by="olga", now=asleep.now)
    assert claim_action(action.id, worker="other", now=asleep.now, for_s=20) is not None
    assert advance(action.id, tools=asleep.tools()) is False
    assert asleep.floor("revisions", PINNED) == "0"


def test_a_worker_killed_between_patch_and_record_is_succeeded(asleep: Bed) -> None:
    action = request_apply(asleep.plan(min=1).id, idempotency_key="k", by="olga", now=asleep.now)
    writer = asleep.writer
    asleep.writer = DiesAfterPatch(writer)
    claimed = claim_action(action.id, worker="victim", now=asleep.now, for_s=20)
    assert claimed is not None
    with pytest.raises(Killed):
        apply(claimed, cluster=asleep.cluster, tools=asleep.tools("victim"))
    asleep.writer = writer
    version = asleep.get("revisions", PINNED)["metadata"]["resourceVersion"]
    assert asleep.floor("revisions", PINNED) == "1"
    assert due_actions(now=asleep.now) == [], "its claim still runs"
    asleep.now += timedelta(seconds=21)
    assert due_actions(now=asleep.now) == [action.id]
    action = asleep.look(action)
    assert codes(action)[-1] == ("accepted", "written")
    assert asleep.get("revisions", PINNED)["metadata"]["resourceVersion"] == version
    assert action.inverse[0]["after"] == "0", "undo knows the value from before"


def test_a_worker_that_lost_its_claim_writes_nothing(asleep: Bed) -> None:
    action = request_apply(asleep.plan(min=1).id, idempotency_key="k", by="olga", now=asleep.now)
    slow = claim_action(action.id, worker="slow", now=asleep.now, for_s=1)
    assert slow is not None
    asleep.look(action, after_s=2)
    with pytest.raises(LeaseLost):
        apply(slow, cluster=asleep.cluster, tools=asleep.tools("slow"))
    assert len(Action.objects.get().steps.all()) == 3


def test_a_slow_cluster_keeps_its_worker(asleep: Bed) -> None:
    """Each call takes half a minute: together far longer than a claim, which is renewed."""

    class Slow:
        def __init__(self, writer: Any) -> None:
            self.writer, self.free = writer, 0

        def read(self, object_: str) -> Any:
            self._wait()
            return self.writer.read(object_)

        def patch(self, patch: Patch, *, dry_run: bool) -> PatchResult:
            self._wait()
            result: PatchResult = self.writer.patch(patch, dry_run=dry_run)
            return result

        def _wait(self) -> None:
            asleep.now += timedelta(seconds=30)
            self.free += len(due_actions(now=asleep.now))

    plan = asleep.plan(min=1)
    slow = Slow(asleep.writer)
    asleep.writer = slow
    action = asleep.apply(plan)
    assert (action.state, slow.free) == ("accepted", 0)


def test_the_object_was_made_anew_since(asleep: Bed) -> None:
    plan = asleep.plan(min=1)
    of = resource("revisions", GROUPS["revisions"])
    old = asleep.get("revisions", PINNED)

    def remake() -> None:
        asleep.api.store.delete(of, "vllm", PINNED)
        meta = {k: v for k, v in old["metadata"].items() if k not in ("uid", "managedFields")}
        asleep.api.store.create(of, {**old, "metadata": meta}, manager="controller")

    asleep.api.call(remake)
    action = asleep.apply(plan)
    assert (action.state, codes(action)[-1][1]) == ("refused", "another-object")


def test_the_traffic_moved_since(asleep: Bed) -> None:
    plan = asleep.plan(min=1)

    def move(obj: dict[str, Any]) -> None:
        obj["status"]["components"]["predictor"]["traffic"][0]["revisionName"] = (
            "llama-predictor-00002"
        )

    asleep.change("inferenceservices", "llama", move)
    action = asleep.apply(plan)
    assert (action.state, codes(action)[-1][1]) == ("refused", "traffic-changed")
    assert asleep.floor("revisions", PINNED) == "0"


def test_git_took_the_field_since(asleep: Bed) -> None:
    plan = asleep.plan(min=1)
    asleep.set_floor("revisions", PINNED, "2", manager="argocd-controller")
    asleep.set_floor("revisions", PINNED, "0", manager="argocd-controller")
    action = asleep.apply(plan)
    assert (action.state, codes(action)[-1][1]) == ("refused", "owner-changed")


def test_a_busy_object_is_looked_at_again(asleep: Bed) -> None:
    """Somebody writes another field between our read and our patch, twice; then it is quiet."""
    busy = Busy(asleep, times=2)
    asleep.writer = busy
    action = asleep.apply(asleep.plan(min=1))
    assert (action.state, busy.conflicts) == ("accepted", 2)
    assert asleep.floor("revisions", PINNED) == "1"


def test_an_object_that_never_rests_is_left_alone(asleep: Bed) -> None:
    asleep.writer = Busy(asleep, times=99)
    action = asleep.apply(asleep.plan(min=1))
    assert (action.state, codes(action)[-1][1]) == ("refused", "keeps-changing")
    assert asleep.floor("revisions", PINNED) == "0"


class Busy:
    """After each of our reads for a write, somebody else writes first."""

    def __init__(self, bed: Bed, *, times: int) -> None:
        self.bed, self.writer, self.times, self.conflicts = bed, bed.writer, times, 0

    def read(self, object_: str) -> Any:
        return self.writer.read(object_)

    def patch(self, patch: Patch, *, dry_run: bool) -> PatchResult:
        if not dry_run and self.conflicts < self.times:
            self.conflicts += 1

            def touch(obj: dict[str, Any]) -> None:
                obj["metadata"]["labels"]["example.com/n"] = str(self.conflicts)

            self.bed.change("revisions", PINNED, touch)
        result: PatchResult = self.writer.patch(patch, dry_run=dry_run)
        return result


def test_an_undo_asked_for_while_a_step_is_written_is_not_lost(asleep: Bed) -> None:
    action = asleep.apply(asleep.plan(min=1))
    claimed = claim_action(action.id, worker="one", now=asleep.now, for_s=20)
    assert claimed is not None
    request_revert(action.id, by="otto", now=asleep.now)
    later = asleep.now + timedelta(hours=1)
    take_step(claimed, Step(state="scaling", code="x", due_at=later), now=asleep.now)
    release(claimed)
    assert due_actions(now=asleep.now) == [action.id]
    assert asleep.look(action).state == "reverted"


def test_undo_leaves_alone_what_somebody_else_set(asleep: Bed) -> None:
    action = asleep.apply(asleep.plan(min=1))
    asleep.set_floor("revisions", PINNED, "3", manager="kubectl-edit")
    request_revert(action.id, by="otto", now=asleep.now)
    action = asleep.look(action)
    assert (action.state, asleep.floor("revisions", PINNED)) == ("superseded", "3")


def test_a_refused_action_has_nothing_to_undo(asleep: Bed) -> None:
    plan = asleep.plan(min=1)
    asleep.set_floor("revisions", PINNED, "3")
    action = asleep.apply(plan)
    with pytest.raises(BadInput, match="nothing to undo"):
        request_revert(action.id, by="otto", now=asleep.now)


def test_a_cluster_away_at_the_click_is_tried_for_two_minutes(asleep: Bed) -> None:
    plan = asleep.plan(min=1)

    class Away:
        def read(self, object_: str) -> Any:
            raise ClusterUnreachable("GET: refused")

        def patch(self, patch: Patch, *, dry_run: bool) -> PatchResult:
            raise ClusterUnreachable("PATCH: refused")

    writer, asleep.writer = asleep.writer, Away()
    action = asleep.apply(plan)
    action = asleep.look(action, after_s=4, times=3)
    assert codes(action)[-1] == ("applying", "cluster-unreachable")
    asleep.writer = writer
    assert asleep.look(action, after_s=4).state == "accepted"


def test_a_read_only_cluster_refuses_at_the_last_moment(asleep: Bed) -> None:
    plan = asleep.plan(min=1)
    asleep.cluster.read_only = True
    asleep.cluster.save()
    action = asleep.apply(plan)
    assert (action.state, codes(action)[-1][1]) == ("refused", "cluster-read-only")


def test_a_plan_grows_old(asleep: Bed) -> None:
    plan = asleep.plan(min=1)
    late = asleep.now + timedelta(minutes=11)
    with pytest.raises(BadInput, match="expired"):
        request_apply(plan.id, idempotency_key="k", by="olga", now=late)
    assert expire_plans(now=late) == 1
    assert Plan.objects.get().state == "expired"


def test_a_plan_needs_a_reason_by_the_time_it_is_applied(asleep: Bed) -> None:
    plan = asleep.plan(min=1, reason="")
    with pytest.raises(BadInput, match="reason"):
        request_apply(plan.id, idempotency_key="k", by="olga", now=asleep.now)
    action = request_apply(
        plan.id, idempotency_key="k", by="olga", now=asleep.now, reason="503s now"
    )
    assert action.plan.reason == "503s now"


def test_a_lost_bell_costs_only_time(asleep: Bed) -> None:
    plan = request_plan(
        action="raise-min",
        target=asleep.model.key,
        params={"min": 1},
        reason="",
        by="olga",
        now=asleep.now,
    )
    assert unclaimed_plans(now=asleep.now) == [plan.id]
    assert preview(plan.id, tools=asleep.tools())
    assert preview(plan.id, tools=asleep.tools()) is False, "only once"
    assert unclaimed_plans(now=asleep.now) == []


def test_a_refused_plan_is_in_the_audit(asleep: Bed) -> None:
    asleep.cluster.read_only = True
    asleep.cluster.save()
    plan = asleep.plan(min=1)
    assert plan.state == "refused"
    entry = AuditEntry.objects.get(plan=plan.id)
    assert (entry.outcome, entry.who) == ("refused", "olga")
    assert "cluster-read-only" in entry.detail


@pytest.mark.parametrize(
    ("action", "name"),
    [
        pytest.param("raise-min", "nobody", id="no such model"),
        pytest.param("delete", "llama", id="no such action"),
    ],
)
def test_what_cannot_be_asked_for(asleep: Bed, action: str, name: str) -> None:
    key = ModelKey("demo-a", "InferenceService", "vllm", name)
    with pytest.raises(BadInput):
        request_plan(
            action=action, target=key, params={"min": 1}, reason="", by="olga", now=asleep.now
        )
