"""Recorded objects as facts."""

import json
from pathlib import Path
from typing import Any

import pytest

from fleet.domain.plans import reading
from fleet.domain.plans.objects import inference_service
from fleet.domain.plans.way import by_template
from fleet.domain.records.keys import Mode, ModelKey

PLANS = Path(__file__).parents[3] / "fixtures" / "plans"
ISVC = "serving.kserve.io/v1beta1/InferenceService/vllm/llama"


def recorded(snapshot: str, plural: str) -> list[dict[str, Any]]:
    whole = json.loads((PLANS / f"{snapshot}.json").read_text())
    return next(objects for path, objects in whole.items() if path.endswith(f"/{plural}"))


def model(**meta: Any) -> dict[str, Any]:
    """The recorded InferenceService, with other metadata."""
    raw = recorded("revision_pinned", "inferenceservices")[0]
    return {**raw, "metadata": {**raw["metadata"], **meta}}


def test_an_inference_service() -> None:
    found = reading.read_model(model(), object_=ISVC, mode=Mode.KNATIVE)
    assert (found.main.min, found.main.max) == (0, 3)
    assert found.main.min_field == "spec.predictor.minReplicas"
    assert found.gpus == {"nvidia.com/gpu": 1}
    assert found.traffic == (("llama-predictor-00003", 100),)
    assert (found.stopped, found.deleting, found.gitops, found.prefill) == (False, False, "", None)


def test_an_llm_inference_service_at_zero() -> None:
    raw = recorded("llm_replicas_0", "llminferenceservices")[0]
    found = reading.read_model(raw, object_="o", mode=Mode.LLM)
    assert (found.main.min_field, found.main.min, found.main.max_field) == ("spec.replicas", 0, "")
    assert (found.floor_least, found.gpus) == (0, {"nvidia.com/gpu": 1})


def test_an_llm_inference_service_with_scaling_and_prefill() -> None:
    raw = recorded("llm_replicas_0", "llminferenceservices")[0]
    scaling = {"minReplicas": 1, "maxReplicas": 4}
    spec = {**raw["spec"], "scaling": scaling, "prefill": {"replicas": 2}}
    found = reading.read_model({**raw, "spec": spec}, object_="o", mode=Mode.LLM)
    assert (found.main.min_field, found.main.max) == ("spec.scaling.minReplicas", 4)
    assert found.floor_least == 1
    assert found.prefill is not None
    assert (found.prefill.min_field, found.prefill.min) == ("spec.prefill.replicas", 2)


@pytest.mark.parametrize(
    ("meta", "owner"),
    [
        pytest.param({}, "", id="nobody"),
        pytest.param(
            {"managedFields": [{"manager": "kubectl"}, {"manager": "argocd-controller"}]},
            "argocd-controller",
            id="a field manager",
        ),
        pytest.param({"managedFields": [{"manager": "kserve-manager"}]}, "", id="the controller"),
        pytest.param(
            {"labels": {"kustomize.toolkit.fluxcd.io/name": "models"}},
            "kustomize.toolkit.fluxcd.io/name",
            id="a label",
        ),
        pytest.param(
            {"annotations": {"argocd.argoproj.io/tracking-id": "x"}},
            "argocd.argoproj.io/tracking-id",
            id="an annotation",
        ),
        pytest.param({"managedFields": "odd"}, "", id="an odd shape is nobody"),
    ],
)
def test_who_else_writes_it_by_git(meta: dict[str, Any], owner: str) -> None:
    assert reading.gitops_owner(model(**meta)) == owner


@pytest.mark.parametrize(
    ("notes", "field", "expected"),
    [
        pytest.param({"serving.kserve.io/stop": "True"}, "stopped", True, id="any case stops"),
        pytest.param({"serving.kserve.io/stop": "false"}, "stopped", False, id="false does not"),
        pytest.param(
            {"serving.kserve.io/disable-auto-update": "true"},
            "auto_update_disabled",
            True,
            id="nobody reconciles it",
        ),
        pytest.param(
            {"serving.kserve.io/autoscalerClass": "external"},
            "autoscaler_class",
            "external",
            id="an external autoscaler",
        ),
    ],
)
def test_annotations_that_matter(notes: dict[str, str], field: str, expected: object) -> None:
    found = reading.read_model(model(annotations=notes), object_=ISVC, mode=Mode.KNATIVE)
    assert getattr(found, field) == expected


def test_a_revision_and_its_autoscaler() -> None:
    raw = recorded("revision_pinned", "revisions")[2]
    revision = reading.read_revision(raw, object_="o", percent=100)
    assert (revision.min_scale, revision.floor, revision.ceiling) == ("1", 1, 3)
    autoscalers = recorded("revision_pinned", "podautoscalers")
    pa = reading.read_autoscaler(autoscalers[2], object_="o")
    assert (pa.min_scale, pa.desired, pa.actual) == ("1", 1, 1)
    assert pa.deployment == "llama-predictor-00003-deployment"
    assert reading.read_autoscaler(autoscalers[0], object_="o").reachability == "Unreachable"
    undecided = {**autoscalers[2], "status": {"desiredScale": -1}}
    assert reading.read_autoscaler(undecided, object_="o").desired is None


def test_the_old_spelling_counts_where_the_new_one_is_absent() -> None:
    raw = {"metadata": {"annotations": {"autoscaling.knative.dev/minScale": "2"}}}
    revision = reading.read_revision(raw, object_="o", percent=100)
    assert (revision.min_scale, revision.floor) == (None, 2)


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param("knative_1_20", "autoscaler", id="recorded with the 1.20 controller"),
        pytest.param("revision_pinned", "revision", id="recorded after 1.23"),
        pytest.param("pinned_but_asleep", "revision", id="after 1.23, asleep"),
    ],
)
def test_pod_templates_tell_the_era(snapshot: str, expected: str) -> None:
    revisions = recorded(snapshot, "revisions")
    deployments = recorded(snapshot, "deployments")
    repeats = [reading.template_repeats(d, r) for d, r in zip(deployments, revisions, strict=True)]
    found = by_template(repeats)
    assert found is not None
    assert found.value == expected


def test_what_tells_nothing_of_the_era() -> None:
    bare: dict[str, Any] = {"metadata": {"annotations": {}}}
    noted = {"metadata": {"annotations": {"autoscaling.knative.dev/min-scale": "1"}}}
    assert reading.template_repeats({"spec": {"template": {}}}, bare) is None
    assert reading.template_repeats({}, noted) is None


def test_placement_of_a_pod_template() -> None:
    found = reading.placement_of(
        {
            "nodeSelector": {"pool": "h100"},
            "tolerations": [{"key": "gpu", "operator": "Exists"}, {"key": "a", "value": "b"}],
            "affinity": {"nodeAffinity": {}},
        }
    )
    assert found.selector == {"pool": "h100"}
    assert found.tolerations == (("gpu", None, ""), ("a", "b", ""))
    assert found.affinity is True
    assert reading.placement_of({"nodeSelector": "odd", "tolerations": "odd"}).selector == {}


def test_which_object_a_model_is() -> None:
    key = ModelKey("demo", "InferenceService", "chat", "pilot")
    assert reading.model_object(key, api_version="") == inference_service("chat", "pilot")
    llm = ModelKey("demo", "LLMInferenceService", "chat", "pilot")
    assert "v1alpha2/LLM" in reading.model_object(llm, api_version="")
    old = reading.model_object(llm, api_version="serving.kserve.io/v1alpha1")
    assert old.startswith("serving.kserve.io/v1alpha1/")
