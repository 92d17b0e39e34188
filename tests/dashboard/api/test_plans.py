"""Plans and actions asked for by programs: who may, what is refused, what is done once."""

from __future__ import annotations

import json
from threading import BoundedSemaphore
from typing import Any

import pytest
from django.test import Client

from dashboard.access import writes
from dashboard.api.routes import actions as action_routes
from dashboard.api.routes import plans as plan_routes
from dashboard.api.routes.plans import waited
from fleet.domain.records.keys import ModelKey
from fleet.history.action_text import evidence_text
from fleet.models import Action, AuditEntry, Plan
from tests.dashboard.api import rows

RAG = ModelKey("demo-b", "InferenceService", "rag", "reader")
ASKED: dict[str, Any] = {
    "action": "raise-min",
    "target": str(rows.PILOT),
    "params": {"min": 1, "how": "in-place"},
    "reason": "launch at noon",
}


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids that the act worker was woken for."""
    ids: list[str] = []
    for routes, names in (
        (plan_routes, ("wake_plan", "wake_action")),
        (action_routes, ("wake_action",)),
    ):
        for name in names:
            monkeypatch.setattr(routes, name, ids.append)
    return ids


def post(client: Client, path: str, body: Any = None, **headers: str) -> Any:
    return client.post(
        f"/api/v1/{path}",
        data=b"" if body is None else json.dumps(body),
        content_type="application/json",
        headers=headers,
    )


def bearer(role: str, **scope: Any) -> Client:
    person = rows.user(f"{role}-person", role=role, **scope)
    text = rows.token(person, text=f"token-of-{role}")
    return Client(headers={"Authorization": f"Bearer {text}"})


@pytest.fixture
def operator() -> Client:
    """An operator of demo-a, with one model there and one out of scope."""
    rows.cluster()
    rows.served_model()
    rows.served_model(RAG)
    return bearer("operator", clusters=["demo-a"])


def test_a_plan_is_accepted_and_the_worker_woken(operator: Client, woken: list[str]) -> None:
    response = post(operator, "plans", ASKED)
    assert response.status_code == 202
    body = response.json()
    assert (body["state"], body["made_by"]) == ("previewing", "operator-person")
    assert (body["changes"], body["dry_run"], body["effects"]) == ([], None, None)
    row = Plan.objects.get(pk=body["id"])
    assert (row.key, row.state, row.params) == (rows.PILOT, "previewing", ASKED["params"])
    assert woken == [row.pk]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        pytest.param({"action": "drop-tables"}, 422, id="an action that there is not"),
        pytest.param({"action": 7}, 422, id="an action of another type"),
        pytest.param({"target": "pilot"}, 422, id="no key"),
        pytest.param({"target": str(RAG)}, 404, id="out of scope"),
        pytest.param({"target": f"{rows.PILOT}x"}, 404, id="no such model"),
        pytest.param({"params": {"min": -1}}, 422, id="less than nothing"),
        pytest.param({"params": {"min": "1"}}, 422, id="a number as text"),
        pytest.param({"params": {"min": 1, "how": ["x"]}}, 422, id="a way that is a list"),
        pytest.param({"params": {"min": 1, "\ud800": 1}}, 422, id="a name that is no Unicode"),
        pytest.param({"params": {"min": float("nan")}}, 422, id="not a number"),
        pytest.param({"params": [1]}, 422, id="parameters as a list"),
        pytest.param({"reason": "x" * 501}, 422, id="a novel for a reason"),
        pytest.param({"reason": "a\x00b"}, 422, id="a NUL in the reason"),
        pytest.param({"reason": "\ud800"}, 422, id="a reason that is no Unicode"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    operator: Client, change: dict[str, Any], status: int
) -> None:
    response = post(operator, "plans", ASKED | change)
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    assert not Plan.objects.exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param(b"", 422, id="nothing"),
        pytest.param(b"{", 400, id="half of something"),
        pytest.param(b"\xff", 400, id="no text"),
        pytest.param(b"[" * 100_000, 400, id="very deep"),
        pytest.param(b"[]", 422, id="a list"),
        pytest.param(b'{"reason": "' + b"x" * 3_000_000 + b'"}', 413, id="3 MB"),
    ],
)
def test_bodies_that_cannot_be_read_are_refused(operator: Client, body: bytes, status: int) -> None:
    response = operator.post("/api/v1/plans", data=body, content_type="application/json")
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"


def test_a_viewer_may_not_plan_and_the_trail_says_who_tried(operator: Client) -> None:
    response = post(bearer("viewer"), "plans", ASKED)
    assert response.status_code == 403
    assert not Plan.objects.exists()
    entry = AuditEntry.objects.get()
    assert (entry.who, entry.what, entry.outcome) == ("viewer-person", "raise-min", "refused")


def test_a_viewers_token_of_an_operator_may_not_plan(operator: Client) -> None:
    text = rows.token(rows.user("otto", role="operator"), text="narrow", role="viewer")
    client = Client(headers={"Authorization": f"Bearer {text}"})
    assert post(client, "plans", ASKED).status_code == 403


def test_too_many_plans_are_held_off(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writes, "WRITES_PER_WINDOW", 2)
    statuses = [post(operator, "plans", ASKED).status_code for _ in range(3)]
    assert statuses == [202, 202, 429]
    assert post(operator, "plans", ASKED)["Retry-After"] == "60"


def test_a_session_needs_the_csrf_token(operator: Client) -> None:
    client = Client(enforce_csrf_checks=True)
    person = rows.user("sally", role="operator")
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    refused = post(client, "plans", ASKED)
    assert refused.status_code == 403
    assert "CSRF" in refused.json()["detail"]
    client.cookies["pilotlight_csrf"] = "a" * 32
    assert post(client, "plans", ASKED, **{"X-CSRFToken": "a" * 32}).status_code == 202


def test_nobody_plans_nothing(operator: Client) -> None:
    assert post(Client(enforce_csrf_checks=True), "plans", ASKED).status_code == 401


def test_a_plan_is_applied_once(operator: Client) -> None:
    plan = rows.plan(state="planned")
    first = post(operator, f"plans/{plan.pk}/apply", **{"Idempotency-Key": "one"})
    again = post(operator, f"plans/{plan.pk}/apply", **{"Idempotency-Key": "one"})
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["id"] == again.json()["id"] == Action.objects.get().pk
    assert first.json()["state"] == "queued"
    assert [step["state"] for step in first.json()["steps"]] == ["queued"]
    assert operator.get(f"/api/v1/plans/{plan.pk}").json()["state"] == "applied"


@pytest.mark.parametrize(
    ("given", "headers", "status"),
    [
        pytest.param({"state": "planned"}, {}, 422, id="no Idempotency-Key"),
        pytest.param({"state": "previewing"}, {"Idempotency-Key": "k"}, 409, id="not previewed"),
        pytest.param({"state": "refused"}, {"Idempotency-Key": "k"}, 409, id="refused"),
        pytest.param({"state": "expired"}, {"Idempotency-Key": "k"}, 409, id="expired"),
        pytest.param(
            {"state": "planned", "expires_at": rows.NOW}, {"Idempotency-Key": "k"}, 409, id="late"
        ),
        pytest.param(
            {"state": "planned", "reason": ""}, {"Idempotency-Key": "k"}, 409, id="no reason"
        ),
    ],
)
def test_what_cannot_be_applied_is_refused(
    operator: Client, given: dict[str, Any], headers: dict[str, str], status: int
) -> None:
    plan = rows.plan(**given)
    assert post(operator, f"plans/{plan.pk}/apply", **headers).status_code == status
    assert not Action.objects.exists()


def test_a_missing_reason_may_come_with_the_apply(operator: Client) -> None:
    plan = rows.plan(state="planned", reason="")
    body = {"reason": "the pager"}
    done = post(operator, f"plans/{plan.pk}/apply", body, **{"Idempotency-Key": "k"})
    assert done.status_code == 202
    plan.refresh_from_db()
    assert plan.reason == "the pager"


def test_out_of_scope_there_is_no_plan_and_no_action(operator: Client) -> None:
    action = rows.action(RAG)
    assert operator.get(f"/api/v1/plans/{action.plan_id}").status_code == 404
    key = {"Idempotency-Key": "k"}
    assert post(operator, f"plans/{action.plan_id}/apply", **key).status_code == 404
    assert post(operator, f"actions/{action.pk}/revert").status_code == 404


def test_a_viewer_sees_plans_but_applies_and_reverts_nothing(operator: Client) -> None:
    action = rows.action(state="served", inverse=[{"field": "x"}])
    viewer = bearer("viewer")
    assert viewer.get(f"/api/v1/plans/{action.plan_id}").status_code == 200
    key = {"Idempotency-Key": "k"}
    assert post(viewer, f"plans/{action.plan_id}/apply", **key).status_code == 403
    assert post(viewer, f"actions/{action.pk}/revert").status_code == 403


def test_an_action_is_undone_when_there_is_something_to_undo(
    operator: Client, woken: list[str]
) -> None:
    action = rows.action(state="served", inverse=[{"field": "x", "before": 1, "after": 0}])
    assert post(operator, f"actions/{action.pk}/revert").status_code == 202
    assert post(operator, f"actions/{action.pk}/revert").status_code == 202
    action.refresh_from_db()
    assert action.revert_asked_by == "operator-person"
    assert woken == [action.pk, action.pk]
    nothing = rows.action(number=2, state="queued")
    assert post(operator, f"actions/{nothing.pk}/revert").status_code == 409


def test_warnings_refusals_evidence_and_results_come_with_their_sentences(
    operator: Client,
) -> None:
    warning = {"code": "max-raised", "params": {"max": 4}}
    rows.plan(
        plan_id="warned",
        body={"warnings": [warning]},
        refusal={"code": "no-activator", "params": {}},
    )
    plan = operator.get("/api/v1/plans/warned").json()
    assert plan["warnings"] == [warning | {"text": "Max is raised to 4 too."}]
    assert plan["refusal"]["code"] == "no-activator"
    assert "Raise min" in plan["refusal"]["text"]
    action = rows.action(result={"code": "undone", "params": {"objects": ["x"]}})
    action.steps.create(state="failed", at=rows.NOW, evidence=evidence_text("expired", {}))
    body = operator.get(f"/api/v1/actions/{action.pk}").json()
    assert body["steps"][-1]["evidence"] == "its time is over"
    assert body["result"]["text"] == "old values are back: x"


def test_waiting_ends_when_the_preview_is_done() -> None:
    plan = rows.plan()

    def previewed(_seconds: float) -> None:
        Plan.objects.filter(pk=plan.pk).update(state="planned")

    assert waited(plan, wait_s=15, clock=lambda: 0.0, nap=previewed).state == "planned"


def test_waiting_ends_with_its_time() -> None:
    moments = iter([0.0, 0.5, 0.9, 1.0])
    naps: list[float] = []
    row = waited(rows.plan(), wait_s=1, clock=lambda: next(moments), nap=naps.append)
    assert (row.state, len(naps)) == ("previewing", 2)


def test_a_plan_that_is_previewed_is_not_waited_for(operator: Client) -> None:
    plan = rows.plan(state="planned", body={"dry_run": {"ok": True, "message": ""}})
    answer = operator.get(f"/api/v1/plans/{plan.pk}", {"wait_s": 30}).json()
    assert (answer["state"], answer["dry_run"]) == ("planned", {"ok": True, "message": ""})


def test_when_many_wait_the_next_is_answered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_routes, "waiting", BoundedSemaphore(1))
    with plan_routes.waiting:
        assert waited(rows.plan(), wait_s=30).state == "previewing"
