# ruff: noqa: E501 - what programs say, as they say it
"""More where nothing is wrong, or nothing decided."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    at,
    bundle,
    condition,
    event,
    isvc,
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
        "not ready no logs no events 30min",
        "insufficient-evidence",
        bundle(
            pods=[
                pod(
                    created=1900,
                    containers=[main()],
                    statuses=[status("kserve-container", running(1800))],
                )
            ]
        ),
    ),
    case(
        "readiness 503 forever, nothing else",
        "insufficient-evidence",
        bundle(
            pods=[
                pod(
                    created=5000,
                    containers=[main()],
                    statuses=[status("kserve-container", running(4980))],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    "Readiness probe failed: HTTP probe failed with statuscode: 503",
                    container="kserve-container",
                    count=300,
                )
            ],
        ),
    ),
    case(
        "isvc empty status",
        "insufficient-evidence",
        bundle(
            inferenceservice={
                "kind": "InferenceService",
                "metadata": {"name": "chat", "namespace": "chat", "creationTimestamp": at(4000)},
                "spec": {"predictor": {}},
            },
            pods=[],
        ),
    ),
    case(
        "drain with PDB blocked, no error",
        "none",
        bundle(
            pods=[WARM],
            events=[
                event(
                    "NodeNotSchedulable",
                    "Node gpu-1 status is now: NodeNotSchedulable",
                    about="Node/gpu-1",
                    ago=300,
                )
            ],
            metrics=[sample("istio_requests_total", 900, response_code="200")],
        ),
    ),
    case(
        "Ready flips during rollout Standard none",
        "none",
        bundle(
            inferenceservice=isvc(condition("Ready"), condition("PredictorReady")),
            deployment={
                "kind": "Deployment",
                "metadata": {"name": "chat-predictor"},
                "spec": {"replicas": 1},
                "status": {
                    "readyReplicas": 1,
                    "conditions": [
                        condition("Progressing", "True", "ReplicaSetUpdated"),
                        condition("Available", "True", "MinimumReplicasAvailable"),
                    ],
                },
            },
            pods=[
                WARM,
                pod(
                    "chat-predictor-7777-x",
                    created=60,
                    statuses=[status("kserve-container", running(50))],
                ),
            ],
        ),
    ),
    case(
        "knative: superseded failed rev keeps pod, new serves",
        "none",
        bundle(
            inferenceservice=isvc(
                condition("Ready"),
                mode="Knative",
                status={
                    "components": {
                        "predictor": {
                            "traffic": [{"revisionName": "chat-predictor-00003", "percent": 100}]
                        }
                    }
                },
            ),
            pods=[
                pod(
                    "chat-predictor-00003-a",
                    created=9000,
                    ready=8000,
                    labels={"serving.knative.dev/revision": "chat-predictor-00003"},
                )
            ],
            metrics=[sample("istio_requests_total", 500, response_code="200")],
        ),
    ),
    case(
        "client aborted streams only",
        "none",
        bundle(
            pods=[WARM],
            logs={
                "gateway": [
                    '"POST /v1/chat/completions HTTP/1.1" 0 DC downstream_remote_disconnect - 4120 ms'
                ]
            },
            metrics=[sample("istio_requests_total", 5000, response_code="200")],
        ),
    ),
    case(
        "partial data: only isvc not ready",
        "insufficient-evidence",
        bundle(
            inferenceservice=isvc(
                condition(
                    "Ready",
                    "False",
                    "MinimumReplicasUnavailable",
                    "Deployment does not have minimum availability.",
                )
            )
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_quiet_more(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
