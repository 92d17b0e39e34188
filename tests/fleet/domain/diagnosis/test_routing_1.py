# ruff: noqa: E501 - what programs say, as they say it
"""More of routes, networks, stops and settings."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
    event,
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
        "authz policy answers probes 403",
        "mesh-or-network",
        bundle(
            pods=[
                pod(
                    created=900,
                    containers=[main(), {"name": "istio-proxy"}],
                    statuses=[
                        status("kserve-container", running(880)),
                        status("istio-proxy", running(880), ready=True),
                    ],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    "Readiness probe failed: HTTP probe failed with statuscode: 403",
                    container="kserve-container",
                    count=40,
                )
            ],
            logs={
                "istio-proxy": [
                    '"GET /health HTTP/1.1" 403 - rbac_access_denied_matched_policy[none]'
                ],
                "kserve-container": ["INFO:     Application startup complete."],
            },
        ),
    ),
    case(
        "KEDA and spec.replicas fight",
        "config-conflict",
        bundle(
            llminferenceservice={
                "kind": "LLMInferenceService",
                "metadata": {"name": "chat", "namespace": "chat"},
                "spec": {"replicas": 1},
                "status": {"conditions": [condition("Ready")]},
            },
            pods=[WARM],
            events=[
                event(
                    "ScalingReplicaSet",
                    "Scaled up replica set chat-kserve-6c8 from 1 to 3",
                    ago=300 - 60 * i,
                    about="Deployment/chat-kserve",
                )
                if i % 2 == 0
                else event(
                    "ScalingReplicaSet",
                    "Scaled down replica set chat-kserve-6c8 from 3 to 1",
                    ago=300 - 60 * i,
                    about="Deployment/chat-kserve",
                )
                for i in range(5)
            ]
            + [
                event(
                    "SuccessfulRescale",
                    "New size: 3; reason: external metric above target",
                    ago=60,
                    about="HorizontalPodAutoscaler/keda-hpa-chat",
                    count=9,
                )
            ],
            metrics=[
                sample("vllm:num_requests_waiting", 40),
                sample("vllm:num_requests_running", 64),
            ],
        ),
    ),
    case(
        "epp finds nobody though pods ready",
        "routing-misconfigured",
        bundle(
            pods=[WARM],
            logs={
                "epp": [
                    '{"level":"error","msg":"failed to schedule request","error":"inference error: ServiceUnavailable - failed to find candidate endpoints for serving the request"}'
                ],
                "gateway": ['"POST /v1/completions HTTP/1.1" 503 - 1 ms'],
            },
            config={"inferencepool_selector": {"app": "chat-v2"}},
        ),
    ),
    case(
        "ext-proc TLS",
        "routing-misconfigured",
        bundle(
            pods=[WARM],
            logs={
                "gateway": [
                    '"POST /v1/completions HTTP/1.1" 500 - ext_proc_error_grpc_error_14 - 2 ms'
                ]
            },
        ),
    ),
    case(
        "h2c to http1",
        "routing-misconfigured",
        bundle(
            pods=[WARM],
            logs={
                "gateway": [
                    '"POST /v1/completions HTTP/1.1" 502 UPE upstream_reset_after_response_started{protocol_error}'
                ]
            },
        ),
    ),
    case(
        "HTTPRoute backend not found",
        "routing-misconfigured",
        bundle(
            llminferenceservice={
                "kind": "LLMInferenceService",
                "metadata": {"name": "chat", "namespace": "chat"},
                "status": {
                    "conditions": [
                        condition(
                            "HTTPRoutesReady",
                            "False",
                            "HTTPRoutesNotReady",
                            "HTTPRoute chat-kserve-route: ResolvedRefs=False BackendNotFound: inferencepool chat-pool not found",
                        ),
                        condition("Ready", "False", "HTTPRoutesNotReady"),
                    ]
                },
            },
            pods=[WARM],
            logs={"client": ["HTTP 500 Internal Server Error"]},
        ),
    ),
    case(
        "network policy blocks gateway to pods",
        "mesh-or-network",
        bundle(
            pods=[WARM],
            logs={
                "gateway": [
                    '"POST /v1/completions HTTP/1.1" 503 UF upstream_reset_before_response_started{connection_timeout} 10.0.0.4:8000'
                ]
            },
            config={"network_policies_in_namespace": 2},
        ),
    ),
    case(
        "dns in client",
        "mesh-or-network",
        bundle(
            pods=[WARM],
            logs={"client": ["curl: (6) Could not resolve host: chat.models.svc.cluster.local"]},
        ),
    ),
    case(
        "served by lora name",
        "wrong-model-name",
        bundle(
            pods=[WARM],
            logs={
                "kserve-container": [
                    "ERROR 11-20 11:59:00 [serving_chat.py:1] Error with model object='error' message='The model `sql-adapter` does not exist.' type='NotFoundError' param=None code=404"
                ]
            },
        ),
    ),
    case(
        "kserve model missing name",
        "wrong-model-name",
        bundle(
            pods=[WARM],
            logs={
                "client": [
                    'HTTP 404 {"error":"Model with name meta-llama/Llama-3-8B does not exist."}'
                ]
            },
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_routing(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
