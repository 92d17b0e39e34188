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
)

WARM = pod(
    created=90_000,
    ready=89_000,
    containers=[main()],
    statuses=[status("kserve-container", running(89_900), ready=True)],
)

CASES = [
    case(
        "first-byte 300 although timeout 1200",
        "timeout-shorter-than-request",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"timeout": 1200}),
            revision=knative(
                "Revision",
                condition("Ready"),
                spec={"timeoutSeconds": 1200, "responseStartTimeoutSeconds": 300},
            ),
            pods=[WARM],
            logs={"client": ["HTTP 504 activator request timeout (300.0s)"]},
        ),
        remedy="raise-revision-timeout",
    ),
    case(
        "envoy 15 s default",
        "timeout-shorter-than-request",
        bundle(
            pods=[WARM],
            logs={
                "envoy": [
                    '"POST /v1/chat/completions HTTP/1.1" 504 UT response_timeout - 15000 ms',
                    '"POST /v1/chat/completions HTTP/1.1" 504 UT response_timeout - 15001 ms',
                ]
            },
        ),
    ),
    case(
        "graph router 60 s",
        "timeout-shorter-than-request",
        bundle(
            pods=[WARM],
            logs={
                "router": [
                    "2026-11-20T11:58:00Z ERROR error executing step: Post http://chat: context deadline exceeded (Client.Timeout exceeded while awaiting headers) after 60.0s"
                ]
            },
            config={"graph_step_timeout_s": 60},
        ),
    ),
    case(
        "openai client 600 s, load 15 min",
        "timeout-shorter-than-load",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"minReplicas": 0}),
            revision=knative(
                "Revision",
                condition("Ready"),
                condition("Active", "Unknown", "Queued"),
                annotations={"min-scale": "0"},
                spec={"timeoutSeconds": 1800},
            ),
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active", "Unknown", "Queued"),
                status={"desiredScale": 1, "actualScale": 0},
            ),
            pods=[
                pod(
                    "chat-predictor-00001-x",
                    created=900,
                    statuses=[status("kserve-container", running(700))],
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                )
            ],
            logs={
                "client": ["openai.APITimeoutError: Request timed out. (600.0s)"],
                "kserve-container": [
                    "Loading safetensors checkpoint shards:  70% Completed | 21/30"
                ],
            },
            config={"client_timeout_s": 600},
        ),
    ),
    case(
        "HPA on cpu never sees the queue",
        "autoscaler-misconfigured",
        bundle(
            inferenceservice=isvc(
                condition("Ready"),
                spec={"minReplicas": 1, "maxReplicas": 8, "scaleMetric": "cpu", "scaleTarget": 80},
            ),
            pods=[WARM],
            metrics=[
                sample("vllm:num_requests_waiting", 150),
                sample("vllm:num_requests_running", 64),
                sample("kube_horizontalpodautoscaler_status_desired_replicas", 1),
                sample("kube_horizontalpodautoscaler_spec_max_replicas", 8),
            ],
            config={
                "hpa_metric": "cpu",
                "hpa_current_cpu_percent": 6,
                "hpa_target_cpu_percent": 80,
            },
        ),
    ),
    case(
        "renamed metric in the trigger",
        "autoscaler-misconfigured",
        bundle(
            pods=[WARM],
            logs={
                "keda-operator": [
                    'prometheus query "avg(vllm:gpu_cache_usage_perc{namespace=\\"chat\\"})" returned no data, using 0'
                ]
            },
            metrics=[
                sample("vllm:kv_cache_usage_perc", 0.98),
                sample("vllm:num_requests_waiting", 40),
                sample("vllm:num_requests_running", 64),
            ],
        ),
    ),
    case(
        "new pod 9 minutes late",
        "autoscaler-lag",
        bundle(
            pods=[
                WARM,
                pod(
                    "chat-predictor-6c8d9f7b5-bbbbb",
                    created=400,
                    containers=[main()],
                    statuses=[status("kserve-container", running(380))],
                ),
            ],
            events=[
                event(
                    "SuccessfulRescale",
                    "New size: 2; reason: pods metric vllm:num_requests_waiting above target",
                    ago=402,
                    about="HorizontalPodAutoscaler/chat",
                )
            ],
            metrics=[
                sample("vllm:num_requests_waiting", 260),
                sample("vllm:num_requests_running", 64),
                sample("vllm:kv_cache_usage_perc", 0.99),
            ],
            logs={
                "kserve-container": [
                    "Loading safetensors checkpoint shards:  50% Completed | 15/30"
                ]
            },
            config={"observed_pod_start_s": 540},
        ),
    ),
    case(
        "flapping by cooldown",
        "autoscaler-lag",
        bundle(
            pods=[WARM],
            events=[
                event(
                    "SuccessfulRescale",
                    f"New size: {n}; reason: {r}",
                    ago=a,
                    about="HorizontalPodAutoscaler/chat",
                )
                for n, r, a in (
                    (4, "external metric above target", 1500),
                    (1, "All metrics below target", 1100),
                    (4, "external metric above target", 800),
                    (1, "All metrics below target", 400),
                )
            ],
            metrics=[
                sample("vllm:num_requests_waiting", 60),
                sample("vllm:num_requests_running", 64),
            ],
            config={"scale_down_stabilization_s": 0},
        ),
    ),
    case(
        "xid on the node",
        "engine-died",
        bundle(
            pods=[WARM],
            logs={
                "dmesg": ["NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus."],
                "client": ["HTTP 500 Internal Server Error"],
            },
        ),
    ),
    case(
        "hf server alive engine dead",
        "engine-died",
        bundle(
            inferenceservice=isvc(condition("Ready")),
            pods=[WARM],
            logs={
                "kserve-container": [
                    "vllm.engine.async_llm_engine.AsyncEngineDeadError: Background loop has errored already.",
                    'INFO:     10.0.0.3:1 - "POST /openai/v1/chat/completions HTTP/1.1" 500 Internal Server Error',
                    'INFO:     10.0.0.1:1 - "GET /v2/health/ready HTTP/1.1" 200 OK',
                ]
            },
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_asking(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
