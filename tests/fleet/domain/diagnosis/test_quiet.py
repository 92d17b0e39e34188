# ruff: noqa: E501 - what programs say, as they say it
"""Nothing wrong, or nothing decided."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
    ended,
    event,
    isvc,
    knative,
    main,
    pod,
    running,
    sample,
    status,
    waiting,
)

WARM = pod(
    created=90_000,
    ready=89_000,
    containers=[main()],
    statuses=[status("kserve-container", running(89_900), ready=True)],
)


CASES = [
    case("nothing collected", "insufficient-evidence", {}),
    case(
        "failures of a day without a time or a flag",
        "insufficient-evidence",
        bundle(
            pods=[],
            metrics=[
                sample("istio_requests_total", 412, response_code="503"),
                sample("istio_requests_total", 98_000, response_code="200"),
            ],
        ),
    ),
    case(
        "stopped on purpose",
        "none",
        bundle(
            inferenceservice=isvc(
                condition("Stopped"),
                condition("Ready", "False", "Stopped"),
                annotations={"serving.kserve.io/stop": "true"},
            ),
            pods=[],
        ),
    ),
    case(
        "a failed load that KServe never forgets",
        "none",
        bundle(
            inferenceservice=isvc(
                condition("Ready"),
                status={
                    "modelStatus": {
                        "transitionStatus": "UpToDate",
                        "states": {"activeModelState": "Loaded"},
                        "lastFailureInfo": {
                            "reason": "ModelLoadFailed",
                            "exitCode": 137,
                            "message": "CUDA out of memory",
                        },
                    }
                },
            ),
            pods=[WARM],
        ),
    ),
    case(
        "a rollout under way, the old revision serves",
        "none",
        bundle(
            inferenceservice=isvc(condition("Ready", "Unknown"), mode="Knative"),
            revision=knative(
                "Revision",
                condition("Ready", "Unknown", "Deploying"),
                condition("Active", "Unknown", "Queued"),
                created=60,
                name="chat-predictor-00002",
            ),
            pods=[
                pod(
                    "chat-predictor-00001-deployment-a",
                    created=90_000,
                    ready=89_000,
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                ),
                pod(
                    "chat-predictor-00002-deployment-b",
                    created=55,
                    labels={"serving.knative.dev/revision": "chat-predictor-00002"},
                    statuses=[status("kserve-container", running(40))],
                ),
            ],
        ),
    ),
    case(
        "one restart, nobody knows why",
        "insufficient-evidence",
        bundle(
            pods=[
                pod(
                    created=9000,
                    statuses=[
                        status(
                            "kserve-container",
                            waiting("CrashLoopBackOff"),
                            restarts=4,
                            last=ended(1),
                        )
                    ],
                )
            ]
        ),
    ),
    case(
        "a scaler without metrics where nothing is to be scaled",
        "none",
        bundle(
            pods=[WARM],
            events=[
                event(
                    "FailedGetResourceMetric",
                    "failed to get cpu utilization: did not receive metrics for any ready pods",
                    about="HorizontalPodAutoscaler/chat",
                    count=3,
                )
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_quiet(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
