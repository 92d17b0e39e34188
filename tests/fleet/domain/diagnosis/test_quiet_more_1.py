# ruff: noqa: E501 - what programs say, as they say it
"""More where nothing is wrong, or nothing decided."""

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
)

WARM = pod(
    created=90_000,
    ready=89_000,
    containers=[main()],
    statuses=[status("kserve-container", running(89_900), ready=True)],
)

CASES = [
    case(
        "missing openai prefix",
        "none",
        bundle(
            pods=[WARM],
            logs={
                "client": ['HTTP 404 {"detail":"Not Found"}'],
                "kserve-container": [
                    'INFO:     10.0.0.3:1 - "POST /v1/chat/completions HTTP/1.1" 404 Not Found'
                ],
            },
        ),
    ),
    case(
        "no events, pending",
        "insufficient-evidence",
        bundle(pods=[pod(created=3000, node="", phase="Pending", conditions=[])]),
    ),
    case(
        "canary fine",
        "none",
        bundle(
            inferenceservice=isvc(
                condition("Ready"),
                mode="Knative",
                status={
                    "components": {
                        "predictor": {
                            "traffic": [
                                {"revisionName": "chat-predictor-00002", "percent": 20},
                                {"revisionName": "chat-predictor-00001", "percent": 80},
                            ]
                        }
                    }
                },
            ),
            pods=[
                pod(
                    "chat-predictor-00001-a",
                    created=90000,
                    ready=89000,
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                ),
                pod(
                    "chat-predictor-00002-a",
                    created=9000,
                    ready=8000,
                    labels={"serving.knative.dev/revision": "chat-predictor-00002"},
                ),
            ],
            metrics=[sample("istio_requests_total", 8000, response_code="200")],
        ),
    ),
    case(
        "min raise queued while serving",
        "none",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative"),
            revision=knative(
                "Revision",
                condition("Ready"),
                condition("Active", "Unknown", "Queued"),
                annotations={"min-scale": "2"},
            ),
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active", "Unknown", "Queued"),
                annotations={"min-scale": "2"},
                status={"desiredScale": 2, "actualScale": 1},
            ),
            pods=[
                pod(
                    "chat-predictor-00001-a",
                    created=90000,
                    ready=89000,
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                ),
                pod(
                    "chat-predictor-00001-b",
                    created=60,
                    statuses=[status("kserve-container", running(50))],
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                ),
            ],
        ),
    ),
    case(
        "clients press stop",
        "none",
        bundle(
            pods=[WARM],
            metrics=[
                sample("istio_requests_total", 9000, response_code="200"),
                sample("istio_requests_total", 12, response_code="0", response_flags="DC"),
            ],
        ),
    ),
    case(
        "old oom, well since a day",
        "none",
        bundle(
            pods=[
                pod(
                    created=900000,
                    ready=80000,
                    statuses=[
                        status(
                            "kserve-container",
                            running(80500),
                            ready=True,
                            restarts=1,
                            last=ended(137, "OOMKilled", ago=80510),
                        )
                    ],
                )
            ]
        ),
    ),
    case(
        "modelStatus InProgress at zero",
        "none",
        bundle(
            inferenceservice=isvc(
                condition("Ready"),
                mode="Knative",
                spec={"minReplicas": 0},
                status={
                    "modelStatus": {
                        "transitionStatus": "InProgress",
                        "states": {"activeModelState": "Pending", "targetModelState": "Pending"},
                    }
                },
            ),
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active", "False", "NoTraffic"),
                annotations={"min-scale": "0"},
                status={"desiredScale": 0, "actualScale": 0},
            ),
            pods=[],
        ),
    ),
    case(
        "pending 20 s then scheduled",
        "none",
        bundle(
            pods=[
                pod(
                    created=3000,
                    ready=2000,
                    statuses=[status("kserve-container", running(2900), ready=True)],
                )
            ],
            events=[
                event(
                    "FailedScheduling",
                    "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
                    ago=2990,
                    source="default-scheduler",
                )
            ],
        ),
    ),
    case(
        "completed pod of a job beside",
        "none",
        bundle(
            pods=[
                WARM,
                pod(
                    "chat-predictor-6c8d9f7b5-old",
                    created=95000,
                    phase="Succeeded",
                    statuses=[
                        status("kserve-container", ended(0, "Completed", ran=4000, ago=80000))
                    ],
                ),
            ]
        ),
    ),
    case(
        "502s with no reason",
        "insufficient-evidence",
        bundle(pods=[WARM], logs={"client": ["502 Bad Gateway", "502 Bad Gateway"]}),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_quiet_more(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
