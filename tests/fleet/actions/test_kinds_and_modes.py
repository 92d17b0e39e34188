"""Raise min by kind, mode and version: each acts on its own object, and is followed on its own
children."""

from copy import deepcopy
from typing import Any

import pytest

from fleet.actions.requests import request_revert
from fleet.domain.plans.plan import Change
from fleet.models import Action
from simulator.store.admission import AdmissionRequest
from simulator.store.errors import Refused
from tests.fleet.actions.conftest import GROUPS, PINNED, Bed, codes
from tests.hosted.loading import resource

NEXT = "llama-predictor-00004"


def old_knative(bed: Bed) -> Bed:
    """1.20: the PodAutoscaler keeps its own annotations; pod templates repeat them."""
    bed.writer = bed.writer_as("hosted-admin")
    bed.cluster.knative = ""
    bed.cluster.save(update_fields=["knative"])

    def repeat(obj: dict[str, Any]) -> None:
        notes = obj["spec"]["template"]["metadata"].setdefault("annotations", {})
        notes["autoscaling.knative.dev/min-scale"] = "0"

    bed.change("deployments", f"{PINNED}-deployment", repeat)
    bed.observe()
    return bed


def undecided(bed: Bed) -> Bed:
    """No version label, and the Deployment of the Revision cannot be found."""
    bed.writer = bed.writer_as("hosted-admin")
    bed.cluster.knative = "devel"
    bed.cluster.save(update_fields=["knative"])

    def forget(obj: dict[str, Any]) -> None:
        obj["spec"]["scaleTargetRef"]["name"] = "gone"

    def unlabel(obj: dict[str, Any]) -> None:
        obj["metadata"]["labels"].pop("serving.knative.dev/revision")

    bed.change("podautoscalers", PINNED, forget)
    bed.change("deployments", f"{PINNED}-deployment", unlabel)
    bed.observe()
    return bed


def relabel(bed: Bed) -> None:
    def label(obj: dict[str, Any]) -> None:
        obj["metadata"]["labels"]["serving.knative.dev/revision"] = PINNED

    bed.change("deployments", f"{PINNED}-deployment", label)


def objects(action: Action) -> list[str]:
    return [Change.from_json(kept).object.split("/")[2] for kept in action.after]


def test_on_1_20_the_pod_autoscaler_and_never_the_revision(asleep: Bed) -> None:
    bed = old_knative(asleep)
    plan = bed.plan(min=1)
    assert plan.body["way"] == "autoscaler"
    action = bed.apply(plan)
    assert bed.floor("podautoscalers", PINNED) == "1"
    assert bed.floor("revisions", PINNED) == "0", "that would roll the loaded pods"
    bed.scale(PINNED, wished=1, ready=1)
    action = bed.look(action, after_s=1, times=4)
    assert (action.state, objects(action)) == ("served", ["PodAutoscaler"])


def test_undecided_and_the_pod_autoscaler_keeps_it(asleep: Bed) -> None:
    bed = undecided(asleep)
    plan = bed.plan(min=1)
    assert [change["when"] for change in plan.body["changes"]] == ["at-once", "if-undone"]
    action = bed.look(bed.apply(plan), after_s=3)
    assert action.state == "accepted"
    action = bed.look(action, after_s=3)
    assert codes(action)[-1] == ("accepted", "floor-kept")
    assert bed.floor("revisions", PINNED) == "0"


def test_undecided_and_the_cluster_takes_it_back(asleep: Bed) -> None:
    bed = undecided(asleep)
    action = bed.apply(bed.plan(min=1))
    bed.copy_floor(PINNED)
    action = bed.look(action, after_s=6)
    assert codes(action)[-1] == ("accepted", "written-to-revision")
    assert bed.floor("revisions", PINNED) == "1"
    bed.copy_floor(PINNED)
    relabel(bed)
    bed.scale(PINNED, wished=1, ready=1)
    action = bed.look(action, after_s=1, times=4)
    assert action.state == "served"
    request_revert(action.id, by="olga", now=bed.now)
    assert bed.look(action).state == "reverted"
    assert bed.floor("revisions", PINNED) == "0"


def new_revision(bed: Bed, *, floor: str) -> None:
    """KServe and Knative do what a new minReplicas asks for."""
    at = bed.now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def copy(plural: str, old: str, new: str, *, edit: Any) -> None:
        obj = deepcopy(bed.get(plural, old))
        for dropped in ("uid", "resourceVersion", "managedFields", "creationTimestamp"):
            obj["metadata"].pop(dropped, None)
        obj["metadata"]["name"] = new
        edit(obj)
        of = resource(plural, GROUPS[plural])
        bed.api.call(lambda: bed.api.store.create(of, obj, manager="controller"))

    def pinned(obj: dict[str, Any]) -> None:
        obj["metadata"]["annotations"]["autoscaling.knative.dev/min-scale"] = floor
        obj["metadata"]["creationTimestamp"] = at

    def running(obj: dict[str, Any]) -> None:
        obj["metadata"]["labels"]["serving.knative.dev/revision"] = NEXT
        obj["spec"]["replicas"] = int(floor)
        obj["status"]["readyReplicas"] = int(floor)

    copy("revisions", PINNED, NEXT, edit=pinned)
    copy("deployments", f"{PINNED}-deployment", f"{NEXT}-deployment", edit=running)

    def takes_over(obj: dict[str, Any]) -> None:
        predictor = obj["status"]["components"]["predictor"]
        predictor.update(latestCreatedRevision=NEXT, latestReadyRevision=NEXT)
        predictor["traffic"] = [{"latestRevision": True, "percent": 100, "revisionName": NEXT}]

    bed.change("inferenceservices", "llama", takes_over)


def min_replicas(bed: Bed) -> Any:
    return bed.get("inferenceservices", "llama")["spec"]["predictor"].get("minReplicas")


def test_durable_is_followed_into_its_new_revision(asleep: Bed) -> None:
    plan = asleep.plan(min=1, how="durable")
    assert plan.body["effects"]["new_revision"] is True
    action = asleep.look(asleep.apply(plan), after_s=2)
    assert (action.state, min_replicas(asleep)) == ("accepted", 1)
    new_revision(asleep, floor="1")
    action = asleep.look(action, after_s=2, times=4)
    assert action.state == "served", codes(action)


def test_in_place_then_durable_writes_the_source_once_it_serves(asleep: Bed) -> None:
    action = asleep.apply(asleep.plan(min=1, how="in-place-then-durable", expires_in_s=3600))
    assert min_replicas(asleep) == 0
    asleep.copy_floor(PINNED)
    asleep.scale(PINNED, wished=1, ready=1)
    action = asleep.look(action, after_s=1, times=5)
    assert min_replicas(asleep) == 1
    assert objects(action) == ["Revision", "InferenceService"]
    new_revision(asleep, floor="1")
    action = asleep.look(action, after_s=2, times=4)
    assert action.state == "served", codes(action)
    request_revert(action.id, by="olga", now=asleep.now)
    asleep.look(action)
    assert (min_replicas(asleep), asleep.floor("revisions", PINNED)) == (0, "0")


def test_an_llm_service_scales_without_any_rollout(bed: Bed) -> None:
    bed.load(
        "llm_replicas_0",
        name="qwen",
        namespace="llm",
        kind="LLMInferenceService",
        mode="LLMInferenceService",
        url="http://gateway.example.com/llm/qwen",
        served_names=["Qwen/Qwen2.5-7B-Instruct"],
    )
    plan = bed.plan(min=1)
    assert plan.state == "planned", plan.refusal
    assert plan.body["changes"][0]["field"] == "spec.replicas"
    assert plan.body["effects"]["new_revision"] is False
    action = bed.apply(plan)

    def up(obj: dict[str, Any]) -> None:
        obj["spec"]["replicas"] = 1
        obj["status"]["readyReplicas"] = 1

    bed.change("deployments", "qwen-kserve", up)
    action = bed.look(action, after_s=1, times=4)
    assert action.state == "served", codes(action)
    asked = bed.caller.asked[0]
    assert (asked["path"], asked["model"]) == (
        "/llm/qwen/v1/completions",
        "Qwen/Qwen2.5-7B-Instruct",
    )


def test_lowering_to_zero_is_planned_and_wakes_nobody(asleep: Bed) -> None:
    asleep.set_floor("revisions", PINNED, "1")
    asleep.set_floor("podautoscalers", PINNED, "1")
    asleep.observe()
    plan = asleep.plan(min=0)
    assert "lowers-floor" in {warning["code"] for warning in plan.body["warnings"]}
    action = asleep.apply(plan)
    asleep.copy_floor(PINNED)
    action = asleep.look(action, after_s=1)
    assert codes(action)[-1] == ("ready", "floor-lowered")
    assert asleep.caller.asked == []


@pytest.mark.parametrize(
    ("params", "message"),
    [
        pytest.param({"min": 9}, None, id="above the ceiling: both are raised, the webhook agrees"),
        pytest.param({"min": 1, "how": "durable"}, None, id="the source"),
    ],
)
def test_the_clusters_own_dry_run_is_asked(
    asleep: Bed, params: dict[str, Any], message: str | None
) -> None:
    plan = asleep.plan(**params)
    assert (plan.state, plan.body["dry_run"]["ok"]) == ("planned", True)


def test_a_webhooks_refusal_is_shown_in_its_own_words(asleep: Bed) -> None:
    """A limit of the cluster that no object tells of (max-scale-limit)."""
    words = 'admission webhook "validation.webhook.serving.knative.dev" denied the request'

    def limit(request: AdmissionRequest) -> None:
        if request.manager == "pilot-light":
            raise Refused(400, "BadRequest", f"{words}: validation failed: over the limit")

    asleep.api.store.admission.append(limit)
    plan = asleep.plan(min=2)
    assert plan.state == "refused"
    assert plan.refusal is not None
    assert plan.refusal["code"] == "dry-run-refused"
    assert words in plan.refusal["params"]["message"]
    assert plan.body["dry_run"]["ok"] is False


def test_a_right_that_the_actor_lacks_is_named(asleep: Bed) -> None:
    """The operator of this cluster may patch Revisions, not PodAutoscalers."""
    bed = old_knative(asleep)
    bed.writer = bed.writer_as("hosted")
    plan = bed.plan(min=1)
    assert plan.refusal is not None
    assert plan.refusal["code"] == "forbidden"
    assert 'cannot patch resource "podautoscalers"' in plan.refusal["params"]["message"]
