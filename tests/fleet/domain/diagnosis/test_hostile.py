"""Whatever is in a file: it is answered, soon, and nothing secret or endless comes out."""

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle
from fleet.domain.diagnosis.records import Finding
from tests.fleet.domain.diagnosis.forms import at, bundle, ended, event, main, pod, status, waiting

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["inferenceservice", "llminferenceservice", "revision", "podautoscaler", "deployment", "pods"]
    + ["events", "logs", "metrics", "config", "evidence", "id"]
)
GOOD = bundle(
    pods=[
        pod(containers=[main()], statuses=[status("kserve-container", waiting("x"), last=ended(1))])
    ],
    events=[event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")],
    logs={"kserve-container": ["INFO 11-20 11:58:00 [x.py:1] y"], "client": ["HTTP 504 (60.0s)"]},
    metrics=[{"name": "vllm:num_requests_waiting", "labels": {}, "value": 3, "t": at(0)}],
)


def asked(raw: Any) -> tuple[Finding, ...]:
    return diagnose(evidence_from_bundle(raw))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(KEYS, JSON, max_size=8))
def test_any_json_is_answered(raw: dict[str, Any]) -> None:
    assert asked(raw)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        found += _paths(inner, (*path, key))
    return found


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(_paths(GOOD)), JSON)
def test_any_value_anywhere_is_answered(path: tuple[Any, ...], value: Any) -> None:
    raw = json.loads(json.dumps(GOOD))
    inner = raw
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert asked(raw)


@pytest.mark.parametrize("raw", [None, 3, "x", [], [[]]], ids=str)
def test_what_is_no_object_is_no_evidence(raw: Any) -> None:
    assert [each.cause.value for each in asked(raw)] == ["insufficient-evidence"]


def test_ten_thousand_events_and_endless_lines_are_bounded() -> None:
    raw = GOOD | {
        "events": [
            event("Unhealthy", f"Startup probe failed: {number} " + "x" * 5000)
            for number in range(10_000)
        ],
        "logs": {"kserve-container": ["error: " + "(a " * 50_000] * 200},
    }
    began = time.process_time()
    found = asked(raw)
    assert time.process_time() - began < 10
    assert all(len(piece.says) <= 300 for each in found for piece in each.evidence)


def test_secrets_and_control_characters_do_not_come_out() -> None:
    secret = "hf_" + "abcdefghijklmnopqrstuvwxyz012345"
    raw = bundle(
        pods=[
            pod(statuses=[status("kserve-container", waiting("CrashLoopBackOff"), last=ended(1))])
        ],
        logs={
            "kserve-container (previous)": [
                f"ValueError: bad \x1b[31m token={secret} \x00 in config"
            ]
        },
    )
    text = repr(asked(raw))
    assert secret not in text
    assert "\\x1b" not in text
    assert "\\x00" not in text
