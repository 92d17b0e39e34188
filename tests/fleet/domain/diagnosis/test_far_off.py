"""A download that is far from its end by its own count, while a limit strikes."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.domain.diagnosis.diagnose import diagnose
from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle
from tests.fleet.domain.diagnosis.forms import at, bundle, knative, pod, running, status, waiting


def held(bar: str) -> dict[str, Any]:
    """A wake of a minute and three quarters; calls were held for a minute, then got a 504."""
    name, labels = "pilotlight_requests_failed", {"hop": "activator", "code": "504"}
    return bundle(
        revision=knative("Revision", spec={"timeoutSeconds": 60}),
        pods=[
            pod(
                created=105,
                inits=[status("storage-initializer", running(104))],
                statuses=[status("kserve-container", waiting("PodInitializing"))],
                phase="Pending",
            )
        ],
        logs={"storage-initializer": ["Copying contents of hf://models/m to local", bar]},
        metrics=[
            {"name": name, "labels": labels, "value": 0, "t": at(105)},
            {"name": name, "labels": labels, "value": 2, "t": at(45)},
        ],
    )


@pytest.mark.parametrize(
    ("bar", "cause"),
    [
        pytest.param(
            "Fetching 90 files:   1%|          | 1/90 [01:00<89:00, 60.0s/it]",
            "model-download-slow",
            id="an hour and a half to go: the download is the fault",
        ),
        pytest.param(
            "Fetching 90 files:  40%|####      | 36/90 [01:00<01:30, 1.7s/it]",
            "timeout-shorter-than-load",
            id="a minute and a half to go: the limit is",
        ),
    ],
)
def test_what_is_named_first(bar: str, cause: str) -> None:
    found = diagnose(evidence_from_bundle(held(bar)))
    assert found[0].cause.value == cause
