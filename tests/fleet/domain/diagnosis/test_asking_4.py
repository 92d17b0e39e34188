# ruff: noqa: E501 - what programs say, as they say it
"""More of requests: waiting, limits, load, scalers, engines."""

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


def revision_of(*conditions: Any, **parts: Any) -> dict[str, Any]:
    return knative("Revision", *conditions, **parts)


CASES = [
    case(
        "nginx 60s default in ingress",
        "timeout-shorter-than-request",
        bundle(
            inferenceservice=isvc(condition("Ready")),
            pods=[WARM],
            logs={
                "ingress": [
                    '10.0.0.1 - - [20/Nov/2026:11:58:00 +0000] "POST /v1/chat/completions HTTP/1.1" 504 160 "-" "python" 5000 60.003 [chat-80] 10.0.0.4:8080 0 60.000 504'
                ]
            },
            config={"ingress_read_timeout_s": 60},
        ),
    ),
    case(
        "client waits 30s for a 40s answer; stream off",
        "timeout-shorter-than-request",
        bundle(
            pods=[WARM],
            logs={
                "client": ["httpx.ReadTimeout: timed out (30.0s)"],
                "kserve-container": [
                    'INFO:     10.0.0.3:1 - "POST /v1/chat/completions HTTP/1.1" 200 OK'
                ],
            },
            config={"client_timeout_s": 30},
        ),
    ),
    case(
        "autoscaler metrics vs hpa class",
        "autoscaler-misconfigured",
        bundle(
            inferenceservice=isvc(condition("Ready")),
            pods=[WARM],
            events=[
                event(
                    "FailedComputeMetricsReplicas",
                    "invalid metrics (1 invalid out of 1), first error is: failed to get pods metric value: unable to get metric vllm_num_requests_waiting: no metrics returned from custom metrics API",
                    about="HorizontalPodAutoscaler/chat",
                    count=400,
                    first=6000,
                )
            ],
            metrics=[
                sample("vllm:num_requests_waiting", 90),
                sample("vllm:num_requests_running", 100),
            ],
        ),
    ),
    case(
        "stale waiting metric, pods gone, wake",
        "scale-from-zero",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"minReplicas": 0}),
            revision=revision_of(
                condition("Ready"),
                condition("Active", "Unknown", "Queued", ago=20),
                annotations={"min-scale": "0"},
            ),
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active", "Unknown", "Queued", ago=20),
                annotations={"min-scale": "0"},
                status={"desiredScale": 2, "actualScale": 0},
            ),
            pods=[
                pod(
                    "chat-predictor-00001-a",
                    created=19,
                    statuses=[
                        status("kserve-container", waiting("PodInitializing")),
                        status("queue-proxy", waiting("PodInitializing")),
                    ],
                    phase="Pending",
                )
            ],
            metrics=[
                sample("kn_revision_request_queued", 14),
                sample("activator_request_concurrency", 14),
            ],
        ),
    ),
    case(
        "overload: TGI queue",
        "overload",
        bundle(
            pods=[WARM],
            metrics=[sample("tgi_queue_size", 220), sample("tgi_batch_current_size", 64)],
            logs={"client": ["HTTP 429 Model is overloaded"]},
        ),
    ),
    case(
        "queue full vLLM 503",
        "overload",
        bundle(
            pods=[WARM],
            logs={
                "kserve-container": [
                    'INFO:     10.0.0.3:1 - "POST /v1/chat/completions HTTP/1.1" 503 Service Unavailable'
                ],
                "client": [
                    'HTTP 503 {"error":{"message":"Server is overloaded, request queue is full"}}'
                ],
            },
        ),
    ),
    case(
        "kpa panic then pods pending",
        "autoscaler-lag",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"maxReplicas": 20}),
            podautoscaler=knative(
                "PodAutoscaler", condition("Active"), status={"desiredScale": 12, "actualScale": 2}
            ),
            pods=[
                pod(
                    "chat-predictor-00001-a",
                    created=90000,
                    ready=89000,
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                ),
                pod(
                    "chat-predictor-00001-c",
                    created=150,
                    statuses=[status("kserve-container", running(120))],
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                ),
            ],
            logs={"autoscaler": ['{"severity":"INFO","message":"PANICKING."}']},
            metrics=[sample("kn_revision_request_queued", 90)],
        ),
    ),
    case(
        "cooldown kills capacity",
        "autoscaler-lag",
        bundle(
            pods=[WARM],
            events=[
                event(
                    "SuccessfulRescale",
                    "New size: 1; reason: All metrics below target",
                    ago=200,
                    about="HorizontalPodAutoscaler/chat",
                ),
                event(
                    "SuccessfulRescale",
                    "New size: 4; reason: pods metric above target",
                    ago=60,
                    about="HorizontalPodAutoscaler/chat",
                ),
                event(
                    "SuccessfulRescale",
                    "New size: 5; reason: pods metric above target",
                    ago=900,
                    about="HorizontalPodAutoscaler/chat",
                ),
            ],
            metrics=[
                sample("vllm:num_requests_waiting", 50),
                sample("vllm:num_requests_running", 60),
            ],
            config={"scale_down_stabilization_s": 0},
        ),
    ),
    case(
        "engine dead, 500s, pod ready, exit none",
        "engine-died",
        bundle(
            pods=[WARM],
            logs={
                "kserve-container": [
                    'INFO:     10.0.0.3:1 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error',
                    'INFO:     10.0.0.1:1 - "GET /health HTTP/1.1" 503 Service Unavailable',
                    "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.",
                ]
            },
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_asking(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
