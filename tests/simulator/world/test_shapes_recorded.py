"""Objects have the shape of recorded ones: conditions, status fields, labels, containers.

Fixture: tests/fixtures/world/serving.json, a serving model from a real control plane.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.store.resources import (
    CONFIGURATIONS,
    DEPLOYMENTS,
    INFERENCESERVICES,
    KNATIVE_SERVICES,
    LLMINFERENCESERVICES,
    PODAUTOSCALERS,
    PODS,
    REPLICASETS,
    REVISIONS,
    ROUTES,
    SERVERLESSSERVICES,
    Resource,
)
from simulator.world.profiles import Runtime
from tests.simulator.world.worlds import MODEL, Bench, bench

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "world" / "serving.json").read_text()
)
LLM = replace(MODEL, runtime=Runtime.LLMISVC, min_replicas=1)
# Annotations of presets and configurations that nobody reads; addresses of objects not made.
LEFT_OUT = {
    ("llminferenceservices", "annotations"),
    ("llminferenceservices", "appliedConfigs"),
    ("revisions", "containerStatuses"),
}


@pytest.fixture(scope="module")
def serving() -> Bench:
    """A Knative model that serves."""
    at = bench(knative=(1, 23))
    at.apply(replace(MODEL, min_replicas=1))
    at.wait_ready()
    at.run(5)
    return at


@pytest.fixture(scope="module")
def serving_llm() -> Bench:
    at = bench(knative=None)
    at.apply(LLM)
    at.run(60)
    return at


KNATIVE_KINDS = (
    INFERENCESERVICES,
    KNATIVE_SERVICES,
    CONFIGURATIONS,
    ROUTES,
    REVISIONS,
    PODAUTOSCALERS,
    SERVERLESSSERVICES,
    DEPLOYMENTS,
    REPLICASETS,
    PODS,
)


def made(at: Bench, resource: Resource) -> dict[str, Any]:
    return at.world.store.list(resource, "chat")[0]


def conditions(obj: dict[str, Any]) -> dict[str, str]:
    return {each["type"]: each["status"] for each in obj["status"].get("conditions", ())}


@pytest.mark.parametrize("resource", KNATIVE_KINDS, ids=lambda each: each.plural)
def test_conditions_are_those_recorded(serving: Bench, resource: Resource) -> None:
    assert conditions(made(serving, resource)) == conditions(RECORDED[resource.plural])


@pytest.mark.parametrize("resource", KNATIVE_KINDS, ids=lambda each: each.plural)
def test_status_fields_are_those_recorded(serving: Bench, resource: Resource) -> None:
    assert set(made(serving, resource)["status"]) == set(RECORDED[resource.plural]["status"])


@pytest.mark.parametrize("resource", KNATIVE_KINDS, ids=lambda each: each.plural)
def test_owners_are_those_recorded(serving: Bench, resource: Resource) -> None:
    def owners(obj: dict[str, Any]) -> list[tuple[str, str]]:
        found = obj["metadata"].get("ownerReferences", ())
        return [(each["apiVersion"], each["kind"]) for each in found]

    assert owners(made(serving, resource)) == owners(RECORDED[resource.plural])


@pytest.mark.parametrize("resource", KNATIVE_KINDS, ids=lambda each: each.plural)
def test_recorded_labels_are_there(serving: Bench, resource: Resource) -> None:
    recorded = set(RECORDED[resource.plural]["metadata"].get("labels", {}))
    assert recorded <= set(made(serving, resource)["metadata"].get("labels", {}))


@pytest.mark.parametrize("resource", KNATIVE_KINDS, ids=lambda each: each.plural)
def test_recorded_annotations_are_there(serving: Bench, resource: Resource) -> None:
    recorded = set(RECORDED[resource.plural]["metadata"].get("annotations", {}))
    known = set(made(serving, resource)["metadata"].get("annotations", {}))
    assert recorded - known <= {"modelFormat", "autoscaling.knative.dev/metric"}


def test_a_pod_has_the_recorded_containers_and_states(serving: Bench) -> None:
    def states(pod: dict[str, Any]) -> list[tuple[str, str, bool, bool]]:
        status = pod["status"]
        listed = [*status["initContainerStatuses"], *status["containerStatuses"]]
        return [
            (each["name"], next(iter(each["state"])), each["ready"], each["started"])
            for each in listed
        ]

    assert states(made(serving, PODS)) == states(RECORDED["pods"])


def test_a_container_status_has_the_recorded_fields(serving: Bench) -> None:
    ours = made(serving, PODS)["status"]["containerStatuses"][0]
    assert set(ours) == set(RECORDED["pods"]["status"]["containerStatuses"][0])


def test_an_llm_service_has_the_recorded_conditions(serving_llm: Bench) -> None:
    ours = made(serving_llm, LLMINFERENCESERVICES)
    recorded = RECORDED["llminferenceservices"]
    assert conditions(ours) == conditions(recorded)
    missing = set(recorded["status"]) - set(ours["status"])
    assert {("llminferenceservices", each) for each in missing} <= LEFT_OUT
