# ruff: noqa: E501 - what programs say, as they say it
"""Settings that contradict."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
    event,
    isvc,
    knative,
    main,
    pod,
    running,
    status,
)

WARM = pod(
    created=90_000,
    ready=89_000,
    containers=[main()],
    statuses=[status("kserve-container", running(89_900), ready=True)],
)


CASES = [
    case(
        "an initial scale above the ceiling",
        "config-conflict",
        bundle(
            inferenceservice=isvc(mode="Knative"),
            revision=knative(
                "Revision",
                condition("Ready", "Unknown", "Deploying"),
                annotations={"initial-scale": "3", "max-scale": "1"},
            ),
            pods=[],
        ),
        remedy="resolve-config-conflict",
    ),
    case(
        "a timeout above the cluster's most",
        "config-conflict",
        bundle(
            inferenceservice=isvc(mode="Knative"),
            pods=[],
            events=[
                event(
                    "InternalError",
                    'fails to reconcile predictor: admission webhook "validation.webhook.serving.knative.dev" denied the request: validation failed: expected 0 <= 1800 <= 600: spec.template.spec.timeoutSeconds',
                    about="InferenceService/chat",
                    count=14,
                )
            ],
        ),
    ),
    case(
        "two scalers on one Deployment",
        "config-conflict",
        bundle(
            pods=[WARM],
            events=[
                event(
                    "AmbiguousSelector",
                    "pods by selector app=chat are controlled by multiple HPAs: [chat/a chat/b]",
                    about="HorizontalPodAutoscaler/a",
                    count=50,
                )
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_conflicts(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
