"""Raise min on a real API (hosted), from the click to the first good answer and back."""

from datetime import timedelta
from typing import Any

from fleet.actions.requests import request_revert
from fleet.models import Action, AuditEntry
from fleet.ports import Answer
from tests.fleet.actions.conftest import PINNED, Bed, codes

REVISION = f"serving.knative.dev/v1/Revision/vllm/{PINNED}"
FIELD = "metadata.annotations[autoscaling.knative.dev/min-scale]"


def raised(bed: Bed, **params: Any) -> Action:
    """In place, applied, seen by the controllers, ready and served."""
    action = bed.apply(bed.plan(min=1, **params))
    bed.copy_floor(PINNED)
    bed.scale(PINNED, wished=1, ready=1)
    return bed.look(action, after_s=1, times=4)


def test_the_plan_says_what_will_be_written_where(asleep: Bed) -> None:
    plan = asleep.plan(min=1)
    assert plan.state == "planned"
    (change,) = plan.body["changes"]
    assert (change["object"], change["field"]) == (REVISION, FIELD)
    assert (change["before"], change["after"]) == ("0", "1")
    assert plan.body["dry_run"] == {"ok": True, "message": ""}
    effects = plan.body["effects"]
    assert (effects["new_revision"], effects["pods"]) == (False, 1)
    assert effects["gpus"] == {"nvidia.com/gpu": 1}
    assert asleep.floor("revisions", PINNED) == "0", "a preview writes nothing"


def test_from_the_click_to_the_first_good_answer(asleep: Bed) -> None:
    action = raised(asleep)
    assert codes(action) == [
        ("queued", "asked"),
        ("applying", "writing"),
        ("accepted", "written"),
        ("scaling", "floor-in-force"),
        ("ready", "replicas-ready"),
        ("served", "answered"),
    ]
    assert action.result is not None
    assert action.result["params"]["ttft_s"] == 0.12
    assert asleep.floor("revisions", PINNED) == "1"
    assert asleep.caller.asked[0]["path"] == "/v1/completions"
    assert f"action:{action.id}" in asleep.bell.rung


def test_our_writes_bear_our_name(asleep: Bed) -> None:
    raised(asleep)
    fields = asleep.get("revisions", PINNED)["metadata"]["managedFields"]
    assert "pilot-light" in {entry["manager"] for entry in fields}


def test_undo_restores_what_was_there(asleep: Bed) -> None:
    action = raised(asleep)
    request_revert(action.id, by="otto", now=asleep.now)
    action = asleep.look(action)
    assert action.state == "reverted"
    assert asleep.floor("revisions", PINNED) == "0"
    assert codes(action)[-2:] == [("reverting", "undoing"), ("reverted", "undone")]


def test_undo_of_an_absent_value_removes_it(asleep: Bed) -> None:
    asleep.set_floor("revisions", PINNED, None)
    action = raised(asleep)
    assert action.inverse[0]["after"] is None
    request_revert(action.id, by="otto", now=asleep.now)
    asleep.look(action)
    assert asleep.floor("revisions", PINNED) is None


def test_it_expires_by_itself(asleep: Bed) -> None:
    action = raised(asleep, expires_in_s=3600)
    assert action.expires_at is not None
    action = asleep.look(action, after_s=3590)
    assert action.state == "served"
    action = asleep.look(action, after_s=15)
    assert (action.state, asleep.floor("revisions", PINNED)) == ("reverted", "0")
    assert ("expiring", "expired") in codes(action)


def test_expiry_waits_for_a_cluster_that_is_away(asleep: Bed) -> None:
    action = raised(asleep, expires_in_s=3600)
    asleep.now += timedelta(seconds=3700)
    asleep.api.wait(asleep.api.server.stop())
    look = asleep.observe
    asleep.observe = lambda: None  # type: ignore[method-assign]  # nobody sees it either
    for _ in range(3):
        action = asleep.look(action, after_s=11)
    assert codes(action)[-1] == ("reverting", "cluster-unreachable")
    assert [code for _, code in codes(action)].count("cluster-unreachable") == 1
    asleep.api.wait(asleep.api.server.start())
    asleep.observe = look  # type: ignore[method-assign]
    action = asleep.look(action, after_s=11)
    assert (action.state, asleep.floor("revisions", PINNED)) == ("reverted", "0")


def test_the_audit_tells_before_and_after(asleep: Bed) -> None:
    action = raised(asleep)
    entries = {entry.outcome: entry for entry in AuditEntry.objects.filter(action=action.id)}
    assert {"asked", "accepted", "served"} == set(entries)
    accepted = entries["accepted"]
    assert accepted.before is not None
    assert accepted.after is not None
    assert (accepted.before[0]["after"], accepted.after[0]["after"]) == ("0", "1")
    assert (accepted.who, accepted.reason) == ("olga", "launch")


def test_in_the_dead_zone_one_request_wakes_it(asleep: Bed) -> None:
    """An autoscaler that restarted ignores a new floor until somebody asks."""
    action = asleep.apply(asleep.plan(min=1))
    asleep.copy_floor(PINNED)
    action = asleep.look(action, after_s=5)
    assert asleep.caller.asked == []
    action = asleep.look(action, after_s=6)
    assert codes(action)[-1] == ("accepted", "dead-zone")
    action = asleep.look(action, after_s=5, times=3)
    assert len(asleep.caller.asked) == 1, "asked once"
    asleep.scale(PINNED, wished=1, ready=1)
    assert asleep.look(action, after_s=1, times=4).state == "served"


def test_accepted_but_not_effective(asleep: Bed) -> None:
    action = asleep.apply(asleep.plan(min=1))
    action = asleep.look(action, after_s=11, times=7)
    assert (action.state, codes(action)[-1][1]) == ("failed", "accepted-not-effective")
    request_revert(action.id, by="olga", now=asleep.now)
    assert asleep.look(action).state == "reverted", "what failed can be undone"


def test_a_blind_spell_proves_nothing(asleep: Bed) -> None:
    action = asleep.apply(asleep.plan(min=1))
    asleep.now += timedelta(minutes=5)
    seen_at = asleep.cluster.last_proof_at
    asleep.observe = lambda: None  # type: ignore[method-assign]
    assert asleep.cluster.last_proof_at == seen_at
    assert asleep.look(action).state == "accepted"


def test_somebody_takes_it_back(asleep: Bed) -> None:
    action = raised(asleep)
    asleep.set_floor("revisions", PINNED, "0", manager="kubectl-edit")
    asleep.copy_floor(PINNED)
    action = asleep.look(action, after_s=6)
    assert codes(action)[-1] == ("superseded", "floor-taken-back")


def test_a_new_revision_takes_the_traffic(asleep: Bed) -> None:
    action = raised(asleep)

    def move(obj: dict[str, Any]) -> None:
        traffic = obj["status"]["components"]["predictor"]["traffic"]
        traffic[0]["revisionName"] = "llama-predictor-00004"

    asleep.change("inferenceservices", "llama", move)
    action = asleep.look(action, after_s=6)
    assert codes(action)[-1] == ("superseded", "revision-replaced")


def test_up_but_needs_a_key_is_told_from_down(asleep: Bed) -> None:
    asleep.caller.answers = [Answer(status=401, content_type="application/json")]
    action = raised(asleep)
    assert codes(action)[-1] == ("ready", "up-needs-key")
    assert action.finished_at is not None


def test_no_good_answer_after_three_tries(asleep: Bed) -> None:
    asleep.caller.answers = [Answer(status=503, body_excerpt="no healthy upstream")]
    action = raised(asleep)
    action = asleep.look(action, after_s=6, times=3)
    assert codes(action)[-1] == ("failed", "no-good-answer")
    assert action.result is not None
    assert action.result["params"]["hop"] == "ingress"
