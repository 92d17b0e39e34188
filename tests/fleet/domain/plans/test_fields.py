"""Fields by name, parameters by type, objects from a closed list."""

from typing import Any

import pytest

from fleet.domain.plans.fields import merge_body, owners_at, parts, value_at, whole
from fleet.domain.plans.objects import ObjectName
from fleet.domain.plans.params import How, RaiseMin, WarmUp, read_params, read_reason
from fleet.errors import BadInput

FLOOR = "metadata.annotations[autoscaling.knative.dev/min-scale]"
OBJECT: dict[str, Any] = {
    "metadata": {
        "annotations": {"autoscaling.knative.dev/min-scale": "2"},
        "managedFields": [
            {"manager": "controller", "fieldsV1": {"f:metadata": {"f:annotations": {".": {}}}}},
            {
                "manager": "argocd-controller",
                "fieldsV1": {
                    "f:metadata": {"f:annotations": {"f:autoscaling.knative.dev/min-scale": {}}}
                },
            },
        ],
    }
}


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        pytest.param("spec.predictor.minReplicas", ("spec", "predictor", "minReplicas"), id="dots"),
        pytest.param(
            FLOOR,
            ("metadata", "annotations", "autoscaling.knative.dev/min-scale"),
            id="dots within brackets belong to the key",
        ),
    ],
)
def test_parts(field: str, expected: tuple[str, ...]) -> None:
    assert parts(field) == expected


def test_a_field_that_names_nothing() -> None:
    with pytest.raises(BadInput):
        parts("")


def test_value_and_owner_of_a_field() -> None:
    assert value_at(OBJECT, FLOOR) == "2"
    assert value_at(OBJECT, "spec.replicas") is None
    assert value_at({"spec": "odd"}, "spec.replicas") is None
    assert owners_at(OBJECT, FLOOR) == ("argocd-controller",)
    assert owners_at({}, FLOOR) == ()


def test_merge_body_removes_by_null_and_keeps_one_tree() -> None:
    values = [(FLOOR, None), ("spec.replicas", 2), ("spec.prefill.replicas", 1)]
    assert merge_body(values) == {
        "metadata": {"annotations": {"autoscaling.knative.dev/min-scale": None}},
        "spec": {"replicas": 2, "prefill": {"replicas": 1}},
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("2", 2, id="annotations are text"),
        pytest.param(2, 2, id="a number"),
        pytest.param("two", None, id="a word"),
        pytest.param(True, None, id="true is no number"),
        pytest.param(None, None, id="absent"),
    ],
)
def test_whole(value: Any, expected: int | None) -> None:
    assert whole(value) == expected


@pytest.mark.parametrize(
    ("action", "params", "expected"),
    [
        pytest.param("raise-min", {"min": 1}, RaiseMin(min=1), id="defaults: in place, for good"),
        pytest.param(
            "raise-min",
            {"min": 2, "how": "durable", "expires_in_s": 3600},
            RaiseMin(min=2, how=How.DURABLE, expires_in_s=3600),
            id="durable for an hour",
        ),
        pytest.param("warm-up", {}, WarmUp(requests=1, timeout_s=300), id="one request, 300 s"),
    ],
)
def test_params(action: str, params: dict[str, Any], expected: object) -> None:
    assert read_params(action, params) == expected


@pytest.mark.parametrize(
    ("action", "params", "says"),
    [
        pytest.param("delete", {}, "raise-min, warm-up", id="a closed list of actions"),
        pytest.param("raise-min", {}, "params.min", id="min is needed"),
        pytest.param("raise-min", {"min": -1}, "from 0 to 500", id="below zero"),
        pytest.param("raise-min", {"min": True}, "params.min", id="true is no number"),
        pytest.param("raise-min", {"min": "1"}, "params.min", id="text is no number"),
        pytest.param("raise-min", {"min": 1, "how": "fast"}, "in-place, durable", id="unknown way"),
        pytest.param("raise-min", {"min": 1, "patch": {}}, "params.patch", id="no free patch"),
        pytest.param("raise-min", {"min": 1, "expires_in_s": 5}, "from 60", id="too short"),
        pytest.param("warm-up", {"requests": 99}, "from 1 to 10", id="too many"),
        pytest.param(
            "raise-min", {"min": 1, "gitops_confirmed": "yes"}, "true or false", id="not a bool"
        ),
    ],
)
def test_params_refused_with_what_would_do(action: str, params: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says.replace(".", r"\.")):
        read_params(action, params)


def test_reason_is_one_bounded_line() -> None:
    assert read_reason("  503s on\nllama ") == "503s on llama"
    with pytest.raises(BadInput, match="500"):
        read_reason("x" * 501)


def test_objects_are_a_closed_list() -> None:
    name = ObjectName.parse("serving.knative.dev/v1/Revision/chat/pilot-00001")
    assert (name.group, name.plural) == ("serving.knative.dev", "revisions")
    for text in ("v1/Secret/chat/token", "rbac.authorization.k8s.io/v1/Role/chat/x", "nonsense"):
        with pytest.raises(BadInput):
            ObjectName.parse(text)
