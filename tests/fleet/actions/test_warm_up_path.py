"""Warm up: a real request through the model's own route, followed to its answer."""

from typing import Any

import pytest

from fleet.actions.advance import advance
from fleet.actions.requests import request_apply, request_revert
from fleet.errors import BadInput
from fleet.models import Action
from fleet.ports import Answer
from tests.fleet.actions.conftest import GOOD, Bed, codes


def warmed(bed: Bed, **params: Any) -> Action:
    return bed.apply(bed.plan("warm-up", **params))


def test_the_plan_names_the_route_and_what_wakes(asleep: Bed) -> None:
    plan = asleep.plan("warm-up")
    assert plan.state == "planned"
    assert plan.body["changes"] == []
    assert plan.body["route"]["path"] == "/v1/completions"
    assert (plan.body["effects"]["pods"], plan.body["effects"]["gpus"]) == (
        1,
        {"nvidia.com/gpu": 1},
    )


def test_it_is_served_with_its_ttft(asleep: Bed) -> None:
    action = warmed(asleep, requests=2, timeout_s=120)
    assert codes(action) == [
        ("queued", "asked"),
        ("applying", "finding-route"),
        ("accepted", "request-sent"),
        ("accepted", "answered"),
        ("served", "answered"),
    ]
    assert action.finished_at is not None
    assert action.due_at is None
    assert [asked["tokens"] for asked in asleep.caller.asked] == [8, 8]
    assert asleep.caller.asked[0]["timeout_s"] == 120


@pytest.mark.parametrize(
    ("answer", "state", "code"),
    [
        pytest.param(
            Answer(status=401, content_type="application/json"), "ready", "up-needs-key", id="401"
        ),
        pytest.param(
            Answer(status=404, content_type="application/json"),
            "ready",
            "up-unknown-name",
            id="404 of the server",
        ),
        pytest.param(
            Answer(status=400, content_type="application/json"),
            "ready",
            "up-bad-request",
            id="400",
        ),
        pytest.param(Answer(status=404), "failed", "no-route", id="404 of the gateway"),
        pytest.param(
            Answer(status=504, body_excerpt="activator request timeout"), "failed", "down", id="504"
        ),
        pytest.param(
            Answer(status=None, error="ReadTimeout"), "failed", "no-answer", id="no answer"
        ),
    ],
)
def test_up_but_is_told_from_down(asleep: Bed, answer: Answer, state: str, code: str) -> None:
    asleep.caller.answers = [answer]
    action = warmed(asleep, requests=3)
    assert codes(action)[-1] == (state, code)
    assert len(asleep.caller.asked) == 1, "never again after a bad answer"


def test_the_hugging_face_server_has_another_path(asleep: Bed) -> None:
    asleep.model.runtime = "kserve-huggingfaceserver"
    asleep.model.save()
    warmed(asleep)
    assert asleep.caller.asked[0]["path"] == "/openai/v1/completions"


def test_refused_where_nothing_holds_the_request(bed: Bed) -> None:
    bed.load(
        "llm_replicas_0",
        name="qwen",
        namespace="llm",
        kind="LLMInferenceService",
        mode="LLMInferenceService",
    )
    plan = bed.plan("warm-up")
    assert plan.refusal is not None
    assert (plan.state, plan.refusal["code"]) == ("refused", "no-activator")


def test_refused_where_no_host_is_allowed(asleep: Bed) -> None:
    asleep.caller.allowed = False
    plan = asleep.plan("warm-up")
    assert plan.refusal is not None
    assert plan.refusal["code"] == "route-not-allowed"


def test_a_cluster_made_read_only_meanwhile_gets_no_request(asleep: Bed) -> None:
    plan = asleep.plan("warm-up")
    asleep.cluster.read_only = True
    asleep.cluster.save()
    action = asleep.apply(plan)
    assert (action.state, codes(action)[-1][1]) == ("refused", "cluster-read-only")
    assert asleep.caller.asked == []


def test_a_successor_goes_on_where_the_killed_worker_ended(asleep: Bed) -> None:
    class Killed(BaseException):
        pass

    def die_on_second(**asked: Any) -> Answer:
        asleep.caller.asked.append(asked)
        if len(asleep.caller.asked) == 2:
            raise Killed
        return GOOD

    complete, asleep.caller.complete = asleep.caller.complete, die_on_second  # type: ignore[method-assign]
    action = request_apply(
        asleep.plan("warm-up", requests=2, timeout_s=10).id,
        idempotency_key="k",
        by="olga",
        now=asleep.now,
    )
    with pytest.raises(Killed):
        advance(action.id, tools=asleep.tools("victim"))
    asleep.caller.complete = complete  # type: ignore[method-assign]
    action = asleep.look(action, after_s=30)
    assert action.state == "served"
    assert len(asleep.caller.asked) == 3, "the answered one is not repeated"


def test_there_is_nothing_to_undo(asleep: Bed) -> None:
    action = warmed(asleep)
    with pytest.raises(BadInput, match="nothing to undo"):
        request_revert(action.id, by="olga", now=asleep.now)
