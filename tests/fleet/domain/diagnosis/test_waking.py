# ruff: noqa: E501 - what programs say, as they say it
"""Requests that meet nobody ready."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    at,
    bundle,
    condition,
    event,
    isvc,
    knative,
    main,
    pod,
    running,
    sample,
    status,
)

READY_KNATIVE = isvc(condition("Ready"), mode="Knative", spec={"minReplicas": 0})


REV = knative(
    "Revision",
    condition("Ready"),
    condition("Active", "Unknown", "Queued", ago=50),
    annotations={"min-scale": "0"},
    spec={"timeoutSeconds": 300},
)


PA_QUEUED = knative(
    "PodAutoscaler",
    condition(
        "Active",
        "Unknown",
        "Queued",
        "Requests to the target are being buffered as resources are provisioned.",
        ago=50,
    ),
    annotations={"min-scale": "0"},
    status={"desiredScale": 1, "actualScale": 0},
)


PA_ACTIVE = knative(
    "PodAutoscaler",
    condition("Active", ago=60),
    annotations={"min-scale": "0"},
    status={"desiredScale": 1, "actualScale": 1},
)


PA_ASLEEP = knative(
    "PodAutoscaler",
    condition("Active", "False", "NoTraffic"),
    annotations={"min-scale": "0"},
    status={"desiredScale": 0, "actualScale": 0},
)


def cold(created: float = 50, **more: Any) -> dict[str, Any]:
    return pod(
        "chat-predictor-00001-deployment-x",
        created=created,
        containers=[main()],
        statuses=[
            status("kserve-container", running(created - 8)),
            status("queue-proxy", running(created - 8)),
        ],
        labels={"serving.knative.dev/revision": "chat-predictor-00001"},
        **more,
    )


CASES = [
    case(
        "a request wakes it",
        "scale-from-zero",
        bundle(
            inferenceservice=READY_KNATIVE,
            revision=REV,
            podautoscaler=PA_QUEUED,
            pods=[cold()],
            metrics=[sample("kn_revision_request_queued", 1)],
        ),
        remedy="raise-min-replicas",
    ),
    case(
        "a request wakes what slept and woke twice before within the hour",
        "scale-from-zero",
        bundle(
            inferenceservice=READY_KNATIVE,
            revision=REV,
            podautoscaler=PA_QUEUED,
            pods=[cold()],
            events=[
                event(
                    "ScalingReplicaSet",
                    f"Scaled {way} replica set chat-predictor-00001-deployment-6c8d {sizes}",
                    ago=ago,
                    first=1_500,
                    count=3,
                    about="Deployment/chat-predictor-00001-deployment",
                    source="deployment-controller",
                )
                for way, sizes, ago in (("up", "from 0 to 1", 50), ("down", "from 1 to 0", 400))
            ],
            metrics=[sample("kn_revision_request_queued", 1)],
        ),
        remedy="raise-min-replicas",
    ),
    case(
        "asleep on purpose",
        "none",
        bundle(
            inferenceservice=READY_KNATIVE,
            revision=knative(
                "Revision",
                condition("Ready"),
                condition("Active", "False", "NoTraffic"),
                annotations={"min-scale": "0"},
            ),
            podautoscaler=PA_ASLEEP,
            pods=[],
        ),
    ),
    case(
        "Standard mode at zero: nobody holds requests",
        "scale-from-zero",
        bundle(
            inferenceservice=isvc(
                condition("Ready"),
                spec={"minReplicas": 0},
                annotations={"serving.kserve.io/autoscalerClass": "keda"},
            ),
            deployment={
                "kind": "Deployment",
                "metadata": {"name": "chat-predictor"},
                "spec": {"replicas": 0},
                "status": {},
            },
            pods=[],
            logs={
                "gateway": [
                    '"POST /v1/chat/completions HTTP/1.1" 503 UH no_healthy_upstream - 1 ms'
                ]
            },
        ),
        remedy="raise-min-replicas",
    ),
    case(
        "the balancer gives up after a minute, the start takes three",
        "timeout-shorter-than-load",
        bundle(
            inferenceservice=READY_KNATIVE,
            revision=REV,
            podautoscaler=PA_QUEUED,
            pods=[cold(170)],
            logs={
                "alb": [
                    '"POST /openai/v1/chat/completions HTTP/1.1" elb_status=504 target_status=- request_time=60.001'
                ]
            },
            config={"ingress_idle_timeout_s": 60},
        ),
        second="scale-from-zero",
        remedy="raise-client-or-ingress-timeout",
    ),
    case(
        "the activator's own limit",
        "timeout-shorter-than-load",
        bundle(
            inferenceservice=READY_KNATIVE,
            revision=REV,
            podautoscaler=PA_QUEUED,
            pods=[cold(420)],
            logs={"client": ["HTTP 504 activator request timeout (300.0s)"]},
        ),
        remedy="raise-revision-timeout",
    ),
    case(
        "context canceled at a minute",
        "timeout-shorter-than-load",
        bundle(
            inferenceservice=READY_KNATIVE,
            revision=REV,
            podautoscaler=PA_QUEUED,
            pods=[cold(150)],
            logs={
                "activator": [
                    '{"severity":"ERROR","timestamp":"'
                    + at(30)
                    + '","message":"Throttler try error","error":"context canceled"}'
                ]
            },
            config={"ingress_idle_timeout_s": 60},
        ),
    ),
    case(
        "a long first answer, all well after",
        "scale-from-zero",
        bundle(
            inferenceservice=READY_KNATIVE,
            revision=knative(
                "Revision",
                condition("Ready"),
                condition("Active", ago=200),
                annotations={"min-scale": "0"},
            ),
            podautoscaler=PA_ACTIVE,
            pods=[
                pod(
                    "chat-predictor-00001-deployment-x",
                    created=300,
                    ready=205,
                    containers=[main()],
                    statuses=[status("kserve-container", running(290), ready=True)],
                )
            ],
            logs={
                "client": [
                    f"{at(203)} POST /v1/chat/completions -> 200 (98.4s)",
                    f"{at(100)} POST /v1/chat/completions -> 200 (1.4s)",
                ]
            },
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_waking(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
