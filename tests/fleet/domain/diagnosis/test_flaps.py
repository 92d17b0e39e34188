"""Servers that stall for some seconds, and what their probes do and do not explain."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle
from tests.fleet.domain.diagnosis.test_counted import ago, bundle, counter, pod

LATE = 'Readiness probe failed: Get "http://10.0.0.9:8080/health": context deadline exceeded'
HOURS = 7200.0


def said(reason: str, message: str, name: str, *, first: float, last: float) -> dict[str, Any]:
    """An event of a pod's server; seconds ago."""
    about = {"kind": "Pod", "name": name, "namespace": "chat"}
    return {
        "reason": reason,
        "message": message,
        "type": "Warning" if reason == "Unhealthy" else "Normal",
        "count": 3,
        "firstTimestamp": ago(first),
        "lastTimestamp": ago(last),
        "involvedObject": about | {"fieldPath": "spec.containers{kserve-container}"},
    }


def causes(
    errors: tuple[tuple[float, float], ...], *events: dict[str, Any], **times: Any
) -> list[str]:
    """Of a model whose only pod is Ready, with a readiness and a startup probe."""
    mine = pod(**times)
    probe = {"httpGet": {"path": "/health", "port": 8080}, "periodSeconds": 5}
    mine["spec"]["containers"][0] |= {"readinessProbe": probe, "startupProbe": probe}
    whole = bundle(counter("ingress", "503", *errors), timeout_s=300, pods=[mine])
    found = diagnose(evidence_from_bundle({**whole, "events": list(events)}))
    return [each.cause.value for each in found]


def test_a_pod_that_was_deleted_by_hand_is_no_impatient_probe() -> None:
    """Its probe was late once, long before, and the new one's once, long after."""
    found = causes(
        ((240.0, 0.0), (210.0, 2.0)),
        said("Unhealthy", LATE, "m-0", first=640, last=630),
        said("Killing", "Stopping container kserve-container", "m-0", first=245, last=245),
        said("Unhealthy", LATE, "m-1", first=20, last=15),
    )
    assert found == ["draining"]


@pytest.mark.parametrize(
    ("first", "last"),
    [
        pytest.param(130.0, 120.0, id="a short stall"),
        pytest.param(3000.0, 120.0, id="the last of many stalls"),
    ],
)
def test_a_probe_that_was_late_when_requests_failed(first: float, last: float) -> None:
    """That it is Ready again is no load of two hours."""
    late = said("Unhealthy", LATE, "m-1", first=first, last=last)
    found = causes(((150.0, 0.0), (120.0, 2.0)), late, made=HOURS, ready=110)
    assert found == ["probe-too-strict"]
