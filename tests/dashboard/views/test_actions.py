"""Plans and actions on the page: who may, what is shown, what is kept of a refusal."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from dashboard.access import writes
from dashboard.views import actions as action_views
from dashboard.views import plans as plan_views
from fleet.history.actions import Step, add_action, claim_action, take_step
from fleet.history.plans import add_plan, claim_plan, settle_plan
from fleet.models import Action, AuditEntry, Plan, ServedModel
from tests.factories import HOSTILE, NUMBERS, make_cluster, make_model, make_user

pytestmark = pytest.mark.django_db
CHANGE = {
    "object": "serving.knative.dev/v1/Revision/chat/pilot-predictor-00001",
    "uid": "u",
    "field": "metadata.annotations[autoscaling.knative.dev/min-scale]",
    "before": None,
    "after": "1",
    "when": "at-once",
}
BODY: dict[str, Any] = {
    "changes": [CHANGE],
    "inverse": [{**CHANGE, "before": "1", "after": None}],
    "effects": {
        "new_revision": False,
        "pods": 1,
        "gpus": {"nvidia.com/gpu": 1},
        "free": {"nvidia.com/gpu": 3},
        "capacity": "fits-now",
        "eta_p50_s": 40.0,
    },
    "warnings": [{"code": "lost-with-next-revision", "params": {}}],
    "dry_run": {"ok": True, "message": ""},
}


@pytest.fixture(autouse=True)
def rung(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the act worker was woken for."""
    ids: list[str] = []
    monkeypatch.setattr(plan_views, "wake_plan", ids.append)
    monkeypatch.setattr(plan_views, "wake_action", ids.append)
    monkeypatch.setattr(action_views, "wake_action", ids.append)
    return ids


@pytest.fixture
def pilot() -> ServedModel:
    make_cluster(now=timezone.now())
    return make_model("pilot", state="Cold", ready=0, desired=0, now=timezone.now())


def signed_in(role: str = "operator", **scope: Any) -> Client:
    client = Client()
    client.force_login(make_user(f"the-{role}", role=role, **scope))
    return client


def planned(pilot: ServedModel, *, reason: str = "", **params: Any) -> Plan:
    """A plan as the worker leaves it."""
    now = timezone.now()
    plan = add_plan(
        action="raise-min",
        target=pilot.key,
        model_uid=pilot.model_uid,
        params={"min": 1, **params},
        reason=reason,
        by="the-operator",
        now=now,
    )
    claimed = claim_plan(plan.id, worker="w", now=now)
    assert claimed is not None
    settle_plan(claimed, body=BODY, seen={}, refusal=None, now=now)
    return claimed


def served(pilot: ServedModel) -> Action:
    """An applied plan, at its end, with an hour to its expiry."""
    now = timezone.now()
    plan = planned(pilot, reason=HOSTILE)
    made = add_action(plan.id, idempotency_key="k", by="the-operator", reason="", now=now)
    action = claim_action(made.id, worker="w", now=now, for_s=5)
    assert action is not None
    params = {"ttft_s": 0.4}
    step = Step(
        state="served",
        code="answered",
        params=params,
        finished=True,
        columns={
            "after": [CHANGE],
            "inverse": BODY["inverse"],
            "result": {"code": "answered", "params": params},
            "expires_at": now + timedelta(hours=1),
        },
    )
    take_step(action, step, now=now)
    return action


def ask(client: Client, pilot: ServedModel, **given: str) -> Any:
    form = {"key": str(pilot.key), "action": "raise-min", "min": "1", **given}
    return client.post("/plans/", form)


def test_a_button_asks_for_a_plan_with_its_defaults(pilot: ServedModel, rung: list[str]) -> None:
    page = ask(signed_in(), pilot, how="in-place", expires_in_s="14400").content.decode()
    plan = Plan.objects.get()
    assert plan.params == {"min": 1, "how": "in-place", "expires_in_s": 14400}
    assert rung == [plan.id]
    assert "Looking at the cluster" in page
    assert f'hx-get="/plans/{plan.id}/"' in page


def test_the_plan_is_shown_before_anything_changes(pilot: ServedModel) -> None:
    page = signed_in().get(f"/plans/{planned(pilot).id}/").content.decode()
    for shown in (
        "autoscaling.knative.dev/min-scale",
        "absent",
        "Set min to 1",
        "1 needed, 3 free",
        "fits now",
        "40 s",
        "Lost with the next revision.",
        "accepted",
    ):
        assert shown in page
    assert Action.objects.count() == 0


def test_applying_gives_the_action_with_the_chips_reason(
    pilot: ServedModel, rung: list[str]
) -> None:
    plan = planned(pilot)
    client = signed_in()
    answer = client.post(f"/plans/{plan.id}/apply/", {"chip": "Errors now", "words": ""})
    action = Action.objects.get()
    assert action.plan.reason == "Errors now"
    assert rung == [action.id]
    assert "Queued" in answer.content.decode()
    again = client.post(f"/plans/{plan.id}/apply/", {"chip": "Test"})
    assert again.status_code == 200
    assert Action.objects.count() == 1


def test_own_words_win_over_the_chip(pilot: ServedModel) -> None:
    plan = planned(pilot)
    signed_in().post(f"/plans/{plan.id}/apply/", {"chip": "Test", "words": "board demo at 3"})
    assert Action.objects.get().plan.reason == "board demo at 3"


@pytest.mark.parametrize("path", ["/plans/", "/plans/{plan}/apply/", "/actions/{action}/undo/"])
def test_a_viewer_changes_nothing_and_it_is_kept(pilot: ServedModel, path: str) -> None:
    plan, action = planned(pilot), served(pilot)
    client = signed_in("viewer")
    where = path.format(plan=plan.id, action=action.id)
    answer = client.post(where, {"key": str(pilot.key), "action": "raise-min", "min": "1"})
    assert answer.status_code == 403
    entry = AuditEntry.objects.get(who="the-viewer")
    assert (entry.outcome, entry.target) == ("refused", str(pilot.key))


def test_too_much_from_pages_and_api_together_is_held_off(
    pilot: ServedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writes, "WRITES_PER_WINDOW", 2)
    cache.clear()
    plan, action, client = planned(pilot), served(pilot), signed_in()
    ask(client, pilot)
    asked = {"action": "raise-min", "target": str(pilot.key), "params": {"min": 1}}
    for status in (202, 429):
        answer = client.post("/api/v1/plans", asked, content_type="application/json")
        assert answer.status_code == status
    kept = Plan.objects.count()
    assert "More than 2 plans" in ask(client, pilot).content.decode()
    for path in (f"/plans/{plan.id}/apply/", f"/actions/{action.id}/undo/"):
        assert "More than 2 plans" in client.post(path, {"chip": "Test"}).content.decode()
    action.refresh_from_db()
    assert (Plan.objects.count(), Action.objects.count()) == (kept, 1)
    assert action.revert_asked_by == ""
    cache.clear()


@pytest.mark.parametrize("path", ["/plans/{plan}/", "/actions/{action}/", "/models/{key}/actions/"])
def test_out_of_scope_is_not_there(pilot: ServedModel, path: str) -> None:
    plan, action = planned(pilot), served(pilot)
    client = signed_in("operator", namespaces=["rag"])
    where = path.format(plan=plan.id, action=action.id, key=pilot.key)
    assert client.get(where).status_code == 404
    assert ask(client, pilot).status_code == 404
    assert "pilot" not in client.get("/actions/").content.decode()


def test_nothing_is_anonymous(pilot: ServedModel) -> None:
    action = served(pilot)
    for path in ("/actions/", f"/actions/{action.id}/", f"/models/{pilot.key}/actions/"):
        answer = Client().get(path)
        assert answer.status_code == 302
        assert "/sign-in/" in answer["Location"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        pytest.param({"min": "x"}, "params.min", id="no number"),
        pytest.param({"min": "9999"}, "from 0 to 500", id="too many"),
        pytest.param({"how": "fast"}, "params.how", id="no such way"),
        pytest.param({"action": "drop"}, "raise-min, warm-up", id="no such action"),
        pytest.param({"key": "nonsense"}, "model key", id="no key"),
    ],
)
def test_what_cannot_be_asked_is_said(pilot: ServedModel, given: dict[str, str], says: str) -> None:
    answer = ask(signed_in(), pilot, **given)
    assert answer.status_code == 200
    assert says in answer.content.decode()
    assert Plan.objects.count() == 0


def test_git_owned_needs_a_second_word(pilot: ServedModel) -> None:
    plan = planned(pilot)
    refusal = {"code": "gitops-unconfirmed", "params": {"owner": "argocd-controller"}}
    Plan.objects.filter(id=plan.id).update(state="refused", refusal=refusal)
    page = signed_in().get(f"/plans/{plan.id}/").content.decode()
    assert "argocd-controller owns this object" in page
    assert "Plan it all the same" in page
    ask(signed_in("admin"), pilot, how="durable", gitops_confirmed="1")
    assert Plan.objects.get(state="previewing").params["gitops_confirmed"] is True


def test_a_worker_that_is_away_is_said(pilot: ServedModel) -> None:
    client = signed_in()
    ask(client, pilot)
    plan = Plan.objects.get()
    assert "act worker" not in client.get(f"/plans/{plan.id}/").content.decode()
    Plan.objects.update(created_at=timezone.now() - timedelta(seconds=20))
    assert "the act worker is away" in client.get(f"/plans/{plan.id}/").content.decode()


def test_the_list_tells_who_why_and_how_it_ended(pilot: ServedModel) -> None:
    served(pilot)
    page = signed_in("viewer").get("/actions/").content.decode()
    for shown in ("Served", "Raise min", "the-operator", "good answer, first token after 0.4 s"):
        assert shown in page
    assert HOSTILE not in page, "a reason is text, never markup"
    assert "data-until=" in page
    assert "Undo…" not in page
    assert "Undo…" in signed_in("operator").get("/actions/").content.decode()


def test_filters_stand_in_the_address(pilot: ServedModel) -> None:
    served(pilot)
    client = signed_in()
    assert "No action fits" in client.get("/actions/?by=nobody").content.decode()
    assert "No action fits" not in client.get("/actions/?state=served").content.decode()


def test_undo_is_offered_to_operators_and_asked_once(pilot: ServedModel, rung: list[str]) -> None:
    action = served(pilot)
    client = signed_in()
    assert f"/actions/{action.id}/undo/" in client.get(f"/actions/{action.id}/").content.decode()
    page = client.post(f"/actions/{action.id}/undo/").content.decode()
    action.refresh_from_db()
    assert action.revert_asked_by == "the-operator"
    assert rung == [action.id]
    assert "/undo/" not in page
    assert "undo asked for" in page
    assert "every 1s" in page, "the page waits for an answer that takes about a second"
    viewer = signed_in("viewer").get(f"/actions/{action.id}/").content.decode()
    assert "/undo/" not in viewer


def test_a_fragment_for_an_open_page_and_a_page_for_a_link(pilot: ServedModel) -> None:
    action = served(pilot)
    client = signed_in()
    fragment = client.get(f"/actions/{action.id}/", headers={"HX-Request": "true"})
    assert "<html" not in fragment.content.decode()
    assert "<html" in client.get(f"/actions/{action.id}/").content.decode()


def test_an_open_page_is_told_only_what_is_new(pilot: ServedModel) -> None:
    plan = planned(pilot, reason="launch")
    action = add_action(plan.id, idempotency_key="k", by="o", reason="", now=timezone.now())
    client = Client(headers={"HX-Request": "true"})
    client.force_login(make_user("one", role="viewer"))
    first = client.get(f"/actions/{action.id}/").content.decode()
    seen = first.partition("?seen=")[2].partition('"')[0]
    assert seen
    assert client.get(f"/actions/{action.id}/?seen={seen}").status_code == 204
    Action.objects.update(state="applying")
    assert "Applying" in client.get(f"/actions/{action.id}/?seen={seen}").content.decode()


def test_the_model_page_shows_what_was_done(pilot: ServedModel) -> None:
    assert "Nothing was done" in signed_in().get(f"/models/{pilot.key}/actions/").content.decode()
    served(pilot)
    client = signed_in("viewer")
    assert "Served" in client.get(f"/models/{pilot.key}/actions/").content.decode()
    assert 'id="model-actions"' in client.get(f"/models/{pilot.key}/").content.decode()


@pytest.mark.parametrize(
    ("fields", "shown", "hidden"),
    [
        pytest.param({}, ['data-plan="warm-up" ', 'data-min="1"'], [], id="asleep, Knative"),
        pytest.param(
            {"mode": "Standard"},
            ['data-plan="raise-min"'],
            ['data-plan="warm-up"'],
            id="asleep, Standard: no activator holds a request",
        ),
        pytest.param(
            {"ready": 1, "desired": 1, "min": 1, "state": "Warm"},
            ['data-plan="warm-up"', 'data-min="2"'],
            ['class="main"'],
            id="it serves: nothing needs pressing",
        ),
        pytest.param(
            {"state": "Failing"},
            ['data-plan="raise-min"'],
            ['class="main"'],
            id="at zero and could not serve: neither cures it",
        ),
        pytest.param({"state": "Stopped"}, [], ["data-plan="], id="stopped by intent"),
    ],
)
def test_buttons(
    pilot: ServedModel, fields: dict[str, Any], shown: list[str], hidden: list[str]
) -> None:
    # Another version: rows are rendered once per version.
    ServedModel.objects.filter(pk=pilot.pk).update(version=1000 + next(NUMBERS), **fields)
    row = signed_in().get("/").content.decode().partition('id="models"')[2]
    assert [text for text in shown if text not in row] == []
    assert [text for text in hidden if text in row] == []


def test_a_viewer_sees_no_buttons(pilot: ServedModel) -> None:
    assert "data-plan=" not in signed_in("viewer").get("/").content.decode()
