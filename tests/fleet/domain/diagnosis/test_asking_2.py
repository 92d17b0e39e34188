# ruff: noqa: E501 - what programs say, as they say it
"""More of requests: waiting, limits, load, scalers, engines."""

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
    probe,
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


def revision_of(*conditions: Any, **parts: Any) -> dict[str, Any]:
    return knative("Revision", *conditions, **parts)


CASES = [
    case(
        "health 500 after death, kubelet kills",
        "engine-died",
        bundle(
            pods=[
                pod(
                    created=90000,
                    containers=[main(startupProbe=probe(), livenessProbe=probe())],
                    statuses=[
                        status(
                            "kserve-container",
                            running(30),
                            restarts=2,
                            last=ended(137, ran=40000, ago=40),
                        )
                    ],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    "Liveness probe failed: HTTP probe failed with statuscode: 500",
                    container="kserve-container",
                    count=3,
                ),
                event(
                    "Killing",
                    "Container kserve-container failed liveness probe, will be restarted",
                    container="kserve-container",
                ),
            ],
            logs={
                "kserve-container (previous)": [
                    "INFO:     Application startup complete.",
                    "ERROR 11-20 11:58:00 EngineCore encountered a fatal error.",
                ]
            },
        ),
    ),
    case(
        "engine dead behind green probe; TCP probe",
        "engine-died",
        bundle(
            pods=[
                pod(
                    created=90000,
                    ready=89000,
                    containers=[main(readinessProbe={"tcpSocket": {"port": 8080}})],
                    statuses=[status("kserve-container", running(89900), ready=True)],
                )
            ],
            logs={
                "kserve-container": [
                    "ERROR 11-20 11:30:00 [core.py:1] EngineCore encountered a fatal error.",
                    "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
                ],
                "client": [
                    "HTTP 500 EngineCore encountered an issue. See stack trace (above) for the root cause."
                ],
            },
        ),
    ),
    case(
        "stream idle timeouts",
        "timeout-shorter-than-request",
        bundle(
            pods=[WARM],
            logs={
                "istio-proxy": [
                    '"POST /v1/chat/completions HTTP/1.1" 504 SI stream_idle_timeout - 300000 ms'
                ]
            },
            config={"stream_idle_timeout_s": 300},
        ),
    ),
    case(
        "LB 460 at 60s on warm",
        "timeout-shorter-than-request",
        bundle(
            pods=[WARM],
            logs={
                "alb": [
                    'https 2026-11-20T11:58:00Z "POST https://x/v1/chat/completions HTTP/2.0" elb_status_code=460 request_processing_time 0.001 target_processing_time 60.002'
                ]
            },
            config={"client_timeout_s": 60},
        ),
    ),
    case(
        "GCLB 30s",
        "timeout-shorter-than-request",
        bundle(
            pods=[WARM],
            logs={
                "gateway": [
                    "HTTP 504 upstream request timeout after 30.0s",
                    "HTTP 504 upstream request timeout after 30.0s",
                ]
            },
        ),
    ),
    case(
        "metrics only overload",
        "overload",
        bundle(
            pods=[],
            metrics=[
                sample("vllm:num_requests_waiting", 300, pod="a"),
                sample("vllm:num_requests_running", 128, pod="a"),
                sample("vllm:kv_cache_usage_perc", 0.99, pod="a"),
                sample("vllm:generation_tokens_total", 1e6, ago=60, pod="a"),
                sample("vllm:generation_tokens_total", 1.2e6, ago=10, pod="a"),
            ],
        ),
    ),
    case(
        "metrics-only hang",
        "engine-died",
        bundle(
            pods=[WARM],
            metrics=[
                sample("vllm:num_requests_running", 12),
                sample("vllm:num_requests_waiting", 44),
                sample("vllm:generation_tokens_total", 5e6, ago=600),
                sample("vllm:generation_tokens_total", 5e6, ago=10),
                sample("http_requests_total", 0, status="5xx"),
            ],
        ),
    ),
    case(
        "admission rejections counter",
        "overload",
        bundle(
            pods=[WARM],
            metrics=[
                sample("vllm:admission_rejections_total", 420, reason="queue_full"),
                sample("vllm:num_requests_running", 256),
            ],
        ),
    ),
    case(
        "kn at max scale, queue",
        "overload",
        bundle(
            inferenceservice=isvc(
                condition("Ready"),
                mode="Knative",
                spec={"maxReplicas": 2, "containerConcurrency": 8},
            ),
            revision=revision_of(
                condition("Ready"),
                annotations={"max-scale": "2"},
                spec={"containerConcurrency": 8, "timeoutSeconds": 300},
            ),
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active"),
                annotations={"max-scale": "2"},
                status={"desiredScale": 2, "actualScale": 2},
            ),
            pods=[WARM],
            metrics=[
                sample("kn_revision_request_queued", 70),
                sample("kn_revision_request_active", 16),
            ],
        ),
        remedy="add-replicas",
    ),
    case(
        "kpa wants more, pods starting",
        "autoscaler-lag",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"maxReplicas": 10}),
            revision=revision_of(condition("Ready"), annotations={"max-scale": "10"}),
            podautoscaler=knative(
                "PodAutoscaler", condition("Active"), status={"desiredScale": 6, "actualScale": 1}
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
                    created=200,
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                    statuses=[status("kserve-container", running(180))],
                ),
            ],
            metrics=[
                sample("kn_revision_request_queued", 60),
                sample("vllm:num_requests_waiting", 80),
                sample("vllm:num_requests_running", 64),
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_asking(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
