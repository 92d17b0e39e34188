# ruff: noqa: E501 - what programs say, as they say it
"""More of requests: waiting, limits, load, scalers, engines."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    at,
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


def llm_of(*conditions: Any, **spec: Any) -> dict[str, Any]:
    meta = {"name": "chat", "namespace": "chat", "creationTimestamp": at(90000)}
    return {
        "kind": "LLMInferenceService",
        "metadata": meta,
        "spec": {"replicas": 1, **spec},
        "status": {"conditions": list(conditions)},
    }


WARM = pod(
    created=90_000,
    ready=89_000,
    containers=[main()],
    statuses=[status("kserve-container", running(89_900), ready=True)],
)


def revision_of(*conditions: Any, **parts: Any) -> dict[str, Any]:
    return knative("Revision", *conditions, **parts)


def crash(
    *lines: str, code: int = 1, ran: float = 40, container: Any = None, **parts: Any
) -> dict[str, Any]:
    spec = container or main()
    name = spec["name"]
    loop = status(name, waiting("CrashLoopBackOff"), restarts=5, last=ended(code, ran=ran))
    return bundle(
        pods=[pod(created=1200, containers=[spec], statuses=[loop])],
        logs={f"{name} (previous)": list(lines)},
        **parts,
    )


CASES = [
    case(
        "curl waits 95 s then answers; KPA metric",
        "scale-from-zero",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"minReplicas": 0}),
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active", ago=10),
                annotations={"min-scale": "0"},
                status={"desiredScale": 1, "actualScale": 1},
            ),
            pods=[pod("chat-predictor-00001-deployment-1", created=110, ready=12)],
            logs={"client": ["HTTP 200 total_time=97.3"]},
            metrics=[
                sample("kn_revision_request_queued", 1, ago=60),
                sample("kn_revision_pods_requested", 0, ago=200),
                sample("kn_revision_pods_requested", 1, ago=100),
            ],
        ),
    ),
    case(
        "LLM replicas scaled to 0 by KEDA idle, picker has nobody",
        "scale-from-zero",
        bundle(
            llminferenceservice=llm_of(condition("Ready"), replicas=0),
            pods=[],
            events=[
                event(
                    "KEDAScaleTargetDeactivated",
                    "Deactivated apps/v1.Deployment chat/chat-kserve from 1 to 0",
                    ago=900,
                    about="ScaledObject/chat-kserve-keda",
                    source="keda-operator",
                )
            ],
            logs={
                "epp": [
                    '{"level":"error","msg":"failed to schedule request","error":"inference error: ServiceUnavailable - failed to find candidate endpoints for serving the request"}'
                ],
                "gateway": ['"POST /v1/chat/completions HTTP/1.1" 503 - 0 ms'],
            },
        ),
    ),
    case(
        "openshift route 503 at zero, raw mode",
        "scale-from-zero",
        bundle(
            inferenceservice=isvc(condition("Ready"), spec={"minReplicas": 0}),
            pods=[],
            logs={"client": ["HTTP 503 Application is not available"]},
            metrics=[sample("kube_deployment_spec_replicas", 0, deployment="chat-predictor")],
        ),
    ),
    case(
        "504 at 300 while Queued & pod loading 5 min",
        "timeout-shorter-than-load",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"minReplicas": 0}),
            revision=revision_of(
                condition("Ready"),
                condition("Active", "Unknown", "Queued"),
                spec={"timeoutSeconds": 300, "responseStartTimeoutSeconds": 300},
                annotations={"min-scale": "0"},
            ),
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active", "Unknown", "Queued"),
                status={"desiredScale": 1, "actualScale": 0},
            ),
            pods=[
                pod(
                    "chat-predictor-00001-deployment-1",
                    created=330,
                    statuses=[
                        status("kserve-container", running(300)),
                        status("queue-proxy", running(300)),
                    ],
                )
            ],
            logs={
                "activator": [
                    '{"severity":"WARNING","timestamp":"'
                    + at(10)
                    + '","message":"Request timeout: 5m0s"}'
                ],
                "client": ["HTTP 504 activator request timeout"],
            },
        ),
    ),
    case(
        "quirk ready cond true but container loading, wake",
        "scale-from-zero",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"minReplicas": 0}),
            revision=revision_of(
                condition("Ready"),
                condition("Active", "Unknown", "Queued"),
                annotations={"min-scale": "0"},
                status={"desiredReplicas": 1, "actualReplicas": 0},
            ),
            pods=[
                pod(
                    "chat-predictor-00001-deployment-1",
                    created=40,
                    ready=39,
                    statuses=[
                        status("kserve-container", running(30)),
                        status("queue-proxy", running(30)),
                    ],
                )
            ],
            logs={"ingress": ['"POST /v1/chat/completions HTTP/1.1" 503 UH no_healthy_upstream']},
        ),
    ),
    case(
        "counters frozen, health 200",
        "engine-died",
        bundle(
            pods=[WARM],
            logs={
                "kserve-container": ['INFO:     10.0.0.1:1 - "GET /health HTTP/1.1" 200 OK'],
                "client": ["ReadTimeout after 300s"],
            },
            metrics=[
                sample("vllm:num_requests_running", 3),
                sample("vllm:num_requests_waiting", 57),
                sample("vllm:iteration_tokens_total_count", 123456, ago=400),
                sample("vllm:iteration_tokens_total_count", 123456, ago=10),
            ],
        ),
    ),
    case(
        "worker killed, api alive",
        "engine-died",
        bundle(
            pods=[WARM],
            logs={
                "kserve-container": [
                    "(APIServer pid=1) ERROR 11-20 11:40:00 [core_client.py:1] Engine core proc EngineCore_DP0 died unexpectedly, shutting down client."
                ],
                "client": ["500 Internal Server Error"],
            },
        ),
    ),
    case(
        "xgrammar crash",
        "engine-died",
        bundle(
            pods=[
                pod(
                    created=90000,
                    ready=60,
                    containers=[main()],
                    statuses=[
                        status(
                            "kserve-container",
                            running(120),
                            ready=True,
                            restarts=3,
                            last=ended(0, "Completed", ran=7200, ago=125),
                        )
                    ],
                )
            ],
            logs={
                "kserve-container (previous)": [
                    "ERROR 11-20 11:57:50 [core.py:1] EngineCore encountered a fatal error.",
                    "AssertionError: grammar",
                ],
                "gateway": [
                    '"POST /v1/chat/completions HTTP/1.1" 503 UC upstream_reset_before_response_started{connection_termination}'
                ],
            },
        ),
    ),
    case(
        "preemptions and TTFT",
        "overload",
        bundle(
            pods=[WARM],
            metrics=[
                sample("vllm:num_preemptions_total", 10, ago=600),
                sample("vllm:num_preemptions_total", 4800, ago=10),
                sample("vllm:num_requests_waiting", 75),
                sample("vllm:num_requests_running", 96),
                sample("vllm:kv_cache_usage_perc", 1.0),
            ],
            logs={"client": ["APITimeoutError: Request timed out."]},
        ),
    ),
    case(
        "llm-d flow control queue",
        "overload",
        bundle(
            pods=[WARM],
            metrics=[
                sample("inference_pool_average_queue_size", 44, pool="p"),
                sample("inference_pool_average_kv_cache_utilization", 0.98, pool="p"),
                sample("inference_objective_request_error_total", 90, error_code="429"),
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_asking(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
