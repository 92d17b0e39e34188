"""The OpenAPI document is whole, and answers are what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from dashboard.api.examples import EXAMPLES
from dashboard.api.openapi import finished
from dashboard.api.service import api
from fleet.domain.records.keys import ModelKey
from tests.dashboard.api import rows

DOCUMENT = finished(dict(api.get_openapi_schema()))
Operation = tuple[str, str, dict[str, Any]]
HOSTILE_WORDS = [
    "", "0", "-1", "1", "500", "501", "1e999", "nan", "Infinity", "9" * 40, "null", "true",
    "[]", "{}", "a,b", "../..", "%", "'", '"', "\\", "\x00", "\n", "\u202e", "\ud7ff", "\U0001f600",
    "'; DROP TABLE fleet_servedmodel;--", "<script>", "x" * 5000, "2026-11-30T12:00:00Z",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-02-30T00:00:00Z", "key",
    "worst", "Warm", "Unknown", "ready", str(rows.PILOT), "W10", "WyJtb2RlbHMiLFtdXQ",
]  # fmt: skip


def operations() -> Iterator[Operation]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def reads_of_the_api() -> list[Any]:
    return [
        pytest.param(path, operation, id=operation["operationId"])
        for path, method, operation in operations()
        if method == "get" and path.startswith("/api/")
    ]


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    whole = schema | {"components": DOCUMENT["components"]}
    return Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)


def check(operation: dict[str, Any], response: Any) -> None:
    """No 5xx; a declared status; the body fits its schema."""
    status = str(response.status_code)
    assert status in operation["responses"], f"{status} is not declared"
    [(media_type, content)] = operation["responses"][status]["content"].items()
    assert response["Content-Type"] == media_type
    validator(content["schema"]).validate(response.json())


@pytest.mark.parametrize(
    ("method", "operation"),
    [pytest.param(m, o, id=o["operationId"]) for _, m, o in operations()],
)
def test_every_operation_is_described(method: str, operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["tags"]
    assert "security" in operation
    good = [answer for status, answer in operation["responses"].items() if status < "300"]
    assert good
    assert all(answer["content"] for answer in operation["responses"].values())
    assert (method, "200" in operation["responses"]) in {("get", True), ("post", False)}


@pytest.mark.parametrize(
    ("path", "operation"), [pytest.param(p, o, id=o["operationId"]) for p, _, o in operations()]
)
def test_errors_are_problems_and_sign_in_is_asked_for(path: str, operation: dict[str, Any]) -> None:
    if not path.startswith("/api/"):
        return
    assert operation["security"] == [{"BearerToken": []}, {"SessionCookie": []}]
    errors = {s: answer for s, answer in operation["responses"].items() if s >= "400"}
    assert {"401", "403", "404", "422"} <= set(errors)
    for answer in errors.values():
        assert list(answer["content"]) == ["application/problem+json"]


@pytest.mark.parametrize(
    ("path", "operation"), [pytest.param(p, o, id=o["operationId"]) for p, _, o in operations()]
)
def test_parameters_are_declared_once_and_those_of_the_path_all(
    path: str, operation: dict[str, Any]
) -> None:
    parameters = operation.get("parameters", [])
    names = [(p["in"], p["name"]) for p in parameters]
    assert len(names) == len(set(names))
    in_path = {name for where, name in names if where == "path"}
    assert in_path == set(re.findall(r"{(\w+)}", path))
    for parameter in parameters:
        Draft202012Validator.check_schema(parameter["schema"])


def test_ids_differ_and_every_reference_leads_somewhere() -> None:
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids))
    schemas = DOCUMENT["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    references = set(re.findall(r"#/components/schemas/(\w+)", repr(DOCUMENT)))
    assert references <= set(schemas)
    assert DOCUMENT["openapi"] == "3.1.0"
    assert set(DOCUMENT["components"]["securitySchemes"]) == {"BearerToken", "SessionCookie"}


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(o, id=o["operationId"])
        for path, _, o in operations()
        if path.startswith("/api/")
    ],
)
def test_every_example_fits_its_schema(operation: dict[str, Any]) -> None:
    status = "200" if "200" in operation["responses"] else "202"
    content = operation["responses"][status]["content"]["application/json"]
    assert content["example"] == EXAMPLES[operation["operationId"]]
    validator(content["schema"]).validate(content["example"])


@pytest.fixture
def fleet() -> None:
    """A little of everything, with hostile text where a cluster may put it."""
    rows.cluster(missing=[{"permission": "pods/log", "costs": "engine phases"}])
    rows.cluster("demo-b", age_s=None)
    start = rows.cold_start(replica=rows.HOSTILE)
    rows.cold_start(at_s=5, outcome="running", ready_at=None, ended_at=None, total_s=None)
    rows.served_model(
        url="http://pilot",
        last_start={"id": start.pk} | EXAMPLES["list_cold_starts"]["items"][0],
        in_flight=[{"id": 2, "phase": None, "elapsed_s": 5.0}],
        revision="pilot-00001",
        desired=None,
        min=None,
    )
    rows.served_model(
        ModelKey("demo-b", "LLMInferenceService", "rag", "llm"),
        mode="LLMInferenceService",
        state_code=rows.HOSTILE[:60],
    )
    rows.revision()
    rows.replica(ready_s=60)
    rows.scale_event()
    rows.probe_failure(message=rows.HOSTILE)
    rows.action()
    piece = {"kind": "log", "ref": rows.HOSTILE, "says": rows.HOSTILE, "at": None}
    found = {"cause": "gpu-oom", "confidence": 0.9, "phase": "engine_load", "evidence": [piece]}
    rows.incident(id=7, findings=[found], cause="gpu-oom", confidence=0.9)


def address(path: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        path = path.replace("{" + name + "}", value)
    return path


@pytest.mark.usefixtures("fleet")
@pytest.mark.parametrize(("path", "operation"), reads_of_the_api())
def test_answers_fit_their_schema(client: Client, path: str, operation: dict[str, Any]) -> None:
    ids = {
        "cluster": "demo-a",
        "kind": "InferenceService",
        "namespace": "chat",
        "name": "pilot",
        "action_id": "action-pilot-1",
        "plan_id": "plan-of-pilot-1",
        "week": "2026-W48",
        "incident_id": "7",
    }
    response = client.get(address(path, ids))
    assert response.status_code == 200
    check(operation, response)


@pytest.mark.usefixtures("fleet")
@pytest.mark.parametrize(("path", "operation"), reads_of_the_api())
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_hostile_parameters_never_break_the_server(
    client: Client, path: str, operation: dict[str, Any], data: st.DataObject
) -> None:
    words = st.sampled_from(HOSTILE_WORDS) | st.text(max_size=40)
    query = {
        parameter["name"]: data.draw(st.lists(words, max_size=3), label=parameter["name"])
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "query" and parameter["name"] != "wait_s" and data.draw(st.booleans())
    }
    in_path = data.draw(
        st.sampled_from(["pilot", "a%00b", "%FF", "..", "x" * 2000, "%F0%9F%98%80"])
    )
    values = dict.fromkeys(re.findall(r"{(\w+)}", path), in_path)
    values |= {"cluster": "demo-a", "kind": "InferenceService", "namespace": "chat"}
    response = client.get(address(path, values), query)
    assert response.status_code in {200, 404, 422}
    check(operation, response)


def test_the_document_is_served_to_who_may_ask(client: Client) -> None:
    response = client.get("/api/v1/openapi.json")
    assert response.status_code == 200
    assert response.json()["paths"].keys() == DOCUMENT["paths"].keys()
