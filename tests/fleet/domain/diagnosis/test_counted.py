"""When requests failed, told by counters alone: live models have no log of their callers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
# A replica was made four minutes ago and Ready after 27 s.
MADE, READY = 240, 213


def ago(seconds: float) -> str:
    return (NOW - timedelta(seconds=seconds)).isoformat()


def pod(name: str = "m-1", *, made: float = MADE, ready: float = READY) -> dict[str, Any]:
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "chat", "creationTimestamp": ago(made)},
        "spec": {"containers": [{"name": "kserve-container"}]},
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": ago(ready)}],
            "containerStatuses": [
                {
                    "name": "kserve-container",
                    "ready": True,
                    "state": {"running": {"startedAt": ago(made - 5)}},
                }
            ],
        },
    }


def counter(hop: str, code: str, *points: tuple[float, float]) -> list[dict[str, Any]]:
    """points: seconds ago, and the value then."""
    name, labels = "pilotlight_requests_failed", {"hop": hop, "code": code}
    return [{"name": name, "labels": labels, "value": n, "t": ago(at)} for at, n in points]


def bundle(metrics: list[dict[str, Any]], *, timeout_s: float, pods: Any = None) -> dict[str, Any]:
    return {
        "inferenceservice": {
            "kind": "InferenceService",
            "metadata": {"name": "m", "namespace": "chat"},
            "spec": {"predictor": {"minReplicas": 0}},
        },
        "revision": {
            "kind": "Revision",
            "metadata": {"name": "m-predictor-00001", "namespace": "chat"},
            "spec": {"timeoutSeconds": timeout_s},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        },
        "pods": [pod()] if pods is None else pods,
        "metrics": metrics,
        "config": {"observed_at": NOW.isoformat()},
    }


IN_START = ((240.0, 0.0), (210.0, 12.0))
LATER = ((120.0, 0.0), (90.0, 12.0))
EARLIER_POD = [pod(), pod("m-0", made=3600, ready=3500)]


@pytest.mark.parametrize(
    ("metrics", "timeout_s", "pods", "found"),
    [
        pytest.param(
            counter("activator", "504", *IN_START), 12, None, True, id="the revision's limit"
        ),
        pytest.param(
            counter("ingress", "504", *IN_START), 300, None, True, id="a limit at the ingress"
        ),
        pytest.param(
            counter("activator", "504", *IN_START), 300, None, False, id="no limit is that short"
        ),
        pytest.param(
            counter("activator", "504", *LATER), 12, None, False, id="at a time without a start"
        ),
        pytest.param(
            [*counter("activator", "504", *IN_START), *counter("ingress", "504", *LATER)],
            12,
            None,
            False,
            id="in a start and at another time",
        ),
        pytest.param(
            counter("activator", "503", *IN_START), 12, None, False, id="an error that is no limit"
        ),
        pytest.param(
            counter("ingress", "504", *IN_START), 300, EARLIER_POD, False, id="somebody served"
        ),
    ],
)
def test_time_outs_counted_while_a_replica_started(
    metrics: list[dict[str, Any]], timeout_s: float, pods: Any, *, found: bool
) -> None:
    evidence = evidence_from_bundle(bundle(metrics, timeout_s=timeout_s, pods=pods))
    (first, *_) = diagnose(evidence)
    assert (first.cause.value == "timeout-shorter-than-load") is found
    assert not found or first.evidence[0].kind == "metric"


def stop(seconds: float, *, says: str = "Stopping container kserve-container") -> dict[str, Any]:
    return {
        "kind": "Event",
        "reason": "Killing",
        "message": says,
        "involvedObject": {"kind": "Pod", "namespace": "chat", "name": "m-0"},
        "firstTimestamp": ago(seconds),
        "lastTimestamp": ago(seconds),
        "count": 1,
    }


@pytest.mark.parametrize(
    ("metrics", "events", "found"),
    [
        pytest.param(counter("ingress", "503", *IN_START), [stop(240)], True, id="as a pod went"),
        pytest.param(counter("ingress", "503", *IN_START), [stop(3000)], False, id="long after it"),
        pytest.param(
            counter("ingress", "503", *IN_START, *((60, 12), (30, 20))),
            [stop(300)],
            False,
            id="as it went, and long after",
        ),
        pytest.param(
            counter("ingress", "503", *IN_START),
            [stop(240, says="Container kserve-container failed liveness probe, will be restarted")],
            False,
            id="a kill is no planned stop",
        ),
    ],
)
def test_errors_counted_when_a_pod_was_stopped(
    metrics: list[dict[str, Any]], events: list[dict[str, Any]], *, found: bool
) -> None:
    evidence = evidence_from_bundle({**bundle(metrics, timeout_s=300), "events": events})
    assert ("draining" in {each.cause.value for each in diagnose(evidence)}) is found


def waiting_of(*points: tuple[float, float]) -> list[dict[str, Any]]:
    """points: seconds ago, and how many waited then."""
    name = "pilotlight_request_queued"
    return [{"name": name, "labels": {}, "value": n, "t": ago(at)} for at, n in points]


STOOD = waiting_of((200, 41), (170, 41), (140, 41), (60, 0), (30, 0))
WARM = [pod(made=9_000, ready=8_900)]


@pytest.mark.parametrize(
    ("metrics", "pods", "cause"),
    [
        pytest.param(
            [*counter("ingress", "504", (200, 0), (170, 3), (110, 9)), *STOOD],
            WARM,
            "overload",
            id="time-outs while a queue stood before a warm replica, all of it over",
        ),
        pytest.param(
            [*counter("ingress", "504", (200, 0), (170, 3), (60, 3), (20, 9)), *STOOD],
            WARM,
            "insufficient-evidence",
            id="some came when nothing waited",
        ),
        pytest.param(
            [*counter("ingress", "504", (200, 0), (170, 3)), *waiting_of((200, 0), (170, 0))],
            WARM,
            "insufficient-evidence",
            id="nothing ever waited",
        ),
    ],
)
def test_a_queue_that_is_gone(metrics: list[Any], pods: list[Any], cause: str) -> None:
    found = diagnose(evidence_from_bundle(bundle(metrics, timeout_s=600, pods=pods)))
    assert found[0].cause.value == cause, [(each.rule, each.confidence) for each in found]


def test_a_queue_before_a_start_is_no_overload() -> None:
    """The replica was Ready after most of them had failed."""
    metrics = [*counter("activator", "504", (240, 0), (220, 6)), *waiting_of((235, 6), (60, 0))]
    found = diagnose(evidence_from_bundle(bundle(metrics, timeout_s=12)))
    assert "overload" not in [each.cause.value for each in found]
