# ruff: noqa: E501 - what programs say, as they say it
"""Work, engines and scalers."""

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
        "more work than one replica can do",
        "overload",
        bundle(
            pods=[WARM],
            metrics=[
                sample("vllm:num_requests_waiting", 120),
                sample("vllm:num_requests_running", 64),
                sample("vllm:gpu_cache_usage_perc", 0.99),
                sample("istio_requests_total", 40, response_code="503"),
            ],
        ),
        remedy="add-replicas",
    ),
    case(
        "the queue in front of the container is full",
        "overload",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative"),
            revision=knative("Revision", condition("Ready"), spec={"containerConcurrency": 4}),
            pods=[WARM],
            logs={"client": ["HTTP 503 pending request queue full"]},
        ),
        remedy="raise-concurrency-limit",
    ),
    case(
        "the picker sheds",
        "overload",
        bundle(
            pods=[WARM],
            logs={
                "epp": [
                    '{"level":"error","msg":"failed to handle request","error":"inference error: InferencePoolResourceExhausted - system saturated, sheddable request dropped"}'
                ],
                "gateway": ['"POST /v1/completions HTTP/1.1" 429 - 2 ms'],
            },
        ),
    ),
    case(
        "Envoy's circuit breaker",
        "overload",
        bundle(
            pods=[WARM],
            logs={
                "gateway": [
                    '"POST /v1/completions HTTP/1.1" 503 UO upstream_reset_before_response_started{overflow} - 1 ms'
                ]
            },
        ),
    ),
    case(
        "no tokens come out, work waits",
        "engine-died",
        bundle(
            pods=[WARM],
            metrics=[
                sample("vllm:num_requests_waiting", 30),
                sample("vllm:num_requests_running", 8),
                sample("vllm:iteration_tokens_total_count", 91000, ago=300),
                sample("vllm:iteration_tokens_total_count", 91000, ago=10),
            ],
            logs={"client": ["ReadTimeout: timed out after 120s"]},
        ),
        remedy="restart-engine",
    ),
    case(
        "the engine says that it is dead, the pod stays Ready",
        "engine-died",
        bundle(
            pods=[WARM],
            logs={
                "kserve-container": [
                    "INFO:     Application startup complete.",
                    "ERROR 11-20 11:50:00 [async_llm.py:1] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.",
                    'INFO:     10.0.0.1:1 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error',
                ]
            },
        ),
    ),
    case(
        "an illegal access while it served, restarted since",
        "engine-died",
        bundle(
            pods=[
                pod(
                    created=90_000,
                    containers=[main()],
                    statuses=[
                        status(
                            "kserve-container",
                            running(60),
                            restarts=2,
                            last=ended(0, "Completed", ran=50_000, ago=70),
                        )
                    ],
                )
            ],
            logs={
                "kserve-container (previous)": [
                    "INFO:     Application startup complete.",
                    "RuntimeError: CUDA error: an illegal memory access was encountered",
                    "EngineCore encountered a fatal error.",
                ],
                "client": ["HTTP 502 Bad Gateway"],
            },
        ),
    ),
    case(
        "tokens stand at zero with requests at work",
        "engine-died",
        bundle(
            pods=[WARM],
            logs={
                "kserve-container": [
                    "INFO 11-20 11:58:00 [loggers.py:1] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.0 tokens/s, Running: 12 reqs, Waiting: 7 reqs, GPU KV cache usage: 41.0%",
                    "INFO 11-20 11:59:00 [loggers.py:1] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.0 tokens/s, Running: 12 reqs, Waiting: 19 reqs, GPU KV cache usage: 41.0%",
                ]
            },
        ),
    ),
    case(
        "the scaler has no metric",
        "autoscaler-misconfigured",
        bundle(
            pods=[WARM],
            events=[
                event(
                    "FailedGetResourceMetric",
                    "failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API",
                    about="HorizontalPodAutoscaler/chat-predictor",
                    count=200,
                    first=7000,
                )
            ],
            metrics=[
                sample("vllm:num_requests_waiting", 60),
                sample("vllm:num_requests_running", 64),
                sample("vllm:gpu_cache_usage_perc", 0.99),
            ],
        ),
        remedy="fix-autoscaler-metric",
    ),
    case(
        "Prometheus answers the scaler 401",
        "autoscaler-misconfigured",
        bundle(
            pods=[WARM],
            logs={
                "keda-operator": [
                    'ERROR prometheus_scaler error executing prometheus query {"error": "prometheus query api returned error. status: 401 response: Unauthorized"}'
                ]
            },
            metrics=[
                sample("vllm:num_requests_waiting", 60),
                sample("vllm:num_requests_running", 64),
            ],
        ),
    ),
    case(
        "scaled up three times before the first new pod served",
        "autoscaler-lag",
        bundle(
            pods=[WARM, cold(100)],
            events=[
                event(
                    "SuccessfulRescale",
                    "New size: 4; reason: external metric above target",
                    ago=90,
                    about="HorizontalPodAutoscaler/chat",
                ),
                event(
                    "SuccessfulRescale",
                    "New size: 2; reason: external metric above target",
                    ago=105,
                    about="HorizontalPodAutoscaler/chat",
                ),
            ],
            deployment={
                "kind": "Deployment",
                "metadata": {"name": "chat"},
                "spec": {"replicas": 4},
                "status": {"readyReplicas": 1},
            },
            metrics=[
                sample("vllm:num_requests_waiting", 60),
                sample("vllm:num_requests_running", 64),
            ],
        ),
        remedy="tune-autoscaler",
    ),
    case(
        "busy without anybody waiting is well",
        "none",
        bundle(
            pods=[WARM],
            metrics=[
                sample("vllm:num_requests_waiting", 0),
                sample("vllm:num_requests_running", 40),
                sample("vllm:gpu_cache_usage_perc", 0.7),
                sample("istio_requests_total", 4000, response_code="200"),
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_load(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
