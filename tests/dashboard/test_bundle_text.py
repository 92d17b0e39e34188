"""Text that people paste, as a bundle; what is wrong with it is said with its line."""

import json

import pytest

from dashboard.bundle_text import LARGEST_BYTES, bundle_of
from fleet.errors import BadInput

POD = {"kind": "Pod", "metadata": {"name": "p"}}
OLD = {"kind": "Revision", "metadata": {"name": "m-1", "creationTimestamp": "2026-01-01T00:00:00Z"}}
NEW = {"kind": "Revision", "metadata": {"name": "m-2", "creationTimestamp": "2026-02-01T00:00:00Z"}}


def text(*documents: object) -> str:
    return "\n".join(json.dumps(each, indent=1) for each in documents)


def test_a_bundle_is_taken_as_it_is() -> None:
    assert bundle_of(text({"pods": [POD], "logs": {"x": ["y"]}})) == {
        "pods": [POD],
        "logs": {"x": ["y"]},
    }


def test_a_case_with_evidence_is_its_evidence() -> None:
    assert bundle_of(text({"id": "inc-1", "evidence": {"pods": [POD]}})) == {"pods": [POD]}


def test_a_list_of_kubectl_is_sorted_into_a_bundle() -> None:
    items = [POD, NEW, OLD, {"kind": "Event", "reason": "Failed"}]
    found = bundle_of(text({"kind": "List", "items": items}))
    assert found["pods"] == [POD]
    assert found["revision"] == NEW
    assert found["events"] == [{"kind": "Event", "reason": "Failed"}]


def model(name: str) -> dict[str, object]:
    return {"kind": "InferenceService", "metadata": {"name": name, "namespace": "chat"}}


def pod_of(name: str) -> dict[str, object]:
    labels = {"serving.kserve.io/inferenceservice": name}
    return {"kind": "Pod", "metadata": {"name": f"{name}-x", "namespace": "chat", "labels": labels}}


SEVERAL = {"kind": "List", "items": [model("a"), model("b"), pod_of("a"), pod_of("b"), POD]}


@pytest.mark.parametrize("name", ["a", "chat/a"])
def test_of_a_whole_namespace_only_what_is_of_the_named_model_is_taken(name: str) -> None:
    found = bundle_of(text(SEVERAL), model=name)
    assert found["inferenceservice"] == model("a")
    assert found["pods"] == [pod_of("a"), POD]


def test_the_only_model_has_no_pods_of_its_neighbours() -> None:
    items = [model("a"), pod_of("a"), pod_of("b")]
    assert bundle_of(text({"kind": "List", "items": items}))["pods"] == [pod_of("a")]


@pytest.mark.parametrize("name", [pytest.param("", id="none named"), pytest.param("c", id="other")])
def test_several_models_are_named_and_not_mixed(name: str) -> None:
    with pytest.raises(BadInput, match="chat/a, chat/b"):
        bundle_of(text(SEVERAL), model=name)


def test_items_of_a_typed_list_do_not_say_what_they_are() -> None:
    item = {"metadata": {"name": "p"}}
    assert bundle_of(text({"kind": "PodList", "items": [item]}))["pods"] == [
        {**item, "kind": "Pod"}
    ]


def test_outputs_one_after_the_other_are_one_bundle() -> None:
    found = bundle_of(
        "\ufeff" + text({"kind": "InferenceService"}, {"kind": "List", "items": [POD]})
    )
    assert found["inferenceservice"] == {"kind": "InferenceService"}
    assert found["pods"] == [POD]


def test_half_a_character_becomes_one_that_can_be_shown() -> None:
    assert bundle_of('{"kind": "Pod", "name": "a\\ud800"}')["pods"] == [
        {"kind": "Pod", "name": "a?"}
    ]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        pytest.param("", "nothing in it", id="nothing"),
        pytest.param('{\n "pods": [}', "Line 2, column 11 is no JSON", id="no JSON"),
        pytest.param("kind: Pod\nmetadata: {}", "looks like YAML", id="YAML"),
        pytest.param('{"pods": []}\n[1]', "Line 2: expected an object", id="a list"),
        pytest.param('{"a": 1}', "Line 1: ? is nothing that", id="an object of something else"),
        pytest.param("[" * 200_000, "Line 1", id="nested without end"),
        pytest.param(
            '{"n": %s}' % ("1" * 5000), "Line 1: a number is too long", id="a long number"
        ),
        pytest.param(" " * (LARGEST_BYTES + 1), "more than 5 MB", id="too much"),
    ],
)
def test_what_cannot_be_read_is_said(given: str, says: str) -> None:
    with pytest.raises(BadInput, match=says.replace("?", r"\?")):
        bundle_of(given)
