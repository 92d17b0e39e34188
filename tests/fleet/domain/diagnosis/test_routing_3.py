# ruff: noqa: E501 - what programs say, as they say it
"""More of routes, networks, stops and settings."""

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
    status,
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

CASES = [
    case(
        "istio sidecar not started",
        "mesh-or-network",
        bundle(
            pods=[
                pod(
                    created=900,
                    containers=[main(), {"name": "istio-proxy"}],
                    statuses=[
                        status("kserve-container", running(880), ready=True),
                        status("istio-proxy", running(880)),
                    ],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    "Readiness probe failed: HTTP probe failed with statuscode: 503",
                    container="istio-proxy",
                    count=60,
                )
            ],
            logs={
                "istio-proxy": [
                    "warning envoy config StreamAggregatedResources gRPC config stream to xds-grpc closed: connection error: desc = transport: Error while dialing dial tcp 10.0.0.2:15012: i/o timeout"
                ],
                "gateway": ['"POST /v1/completions HTTP/1.1" 503 UH no_healthy_upstream'],
            },
        ),
    ),
    case(
        "min 3 above max 2 refused",
        "config-conflict",
        bundle(
            inferenceservice=isvc(),
            pods=[],
            events=[
                event(
                    "InternalError",
                    'admission webhook "validation.webhook.serving.knative.dev" denied the request: validation failed: max-scale=2 is less than min-scale=3: spec.template.metadata.annotations',
                    about="InferenceService/chat",
                )
            ],
        ),
    ),
    case(
        "rolling update aborted requests, vllm shutdown",
        "draining",
        bundle(
            llminferenceservice=llm_of(condition("Ready")),
            pods=[
                pod("chat-kserve-new", created=400, ready=60, labels={"pod-template-hash": "b"}),
                pod(
                    "chat-kserve-old",
                    created=90000,
                    labels={"pod-template-hash": "a"},
                    containers=[main("main")],
                    statuses=[status("main", running(80000), ready=True)],
                    meta={"deletionTimestamp": at(30)},
                ),
            ],
            events=[
                event("Killing", "Stopping container main", ago=60, about="Pod/chat-kserve-old")
            ],
            logs={
                "main": ["[shutdown] API server: aborting 14 in-flight requests"],
                "client": [
                    "httpx.RemoteProtocolError: Server disconnected without sending a response."
                ],
            },
        ),
    ),
    case(
        "node NotReady lost, not spot",
        "draining",
        bundle(
            pods=[
                pod(
                    created=9000,
                    conditions=[
                        condition(
                            "DisruptionTarget",
                            "True",
                            "DeletionByTaintManager",
                            "Taint manager: deleting due to NoExecute taint",
                            ago=40,
                        )
                    ],
                    meta={"deletionTimestamp": at(40)},
                ),
                pod(
                    "chat-predictor-6c8d9f7b5-b",
                    created=35,
                    statuses=[status("kserve-container", running(20))],
                ),
            ],
            events=[
                event(
                    "NodeNotReady",
                    "Node gpu-1 status is now: NodeNotReady",
                    about="Node/gpu-1",
                    ago=340,
                ),
                event(
                    "TaintManagerEviction", "Marking for deletion Pod chat/chat-predictor", ago=40
                ),
            ],
            logs={"gateway": ['"POST /v1/completions HTTP/1.1" 503 UF']},
        ),
    ),
    case(
        "GKE preemptible",
        "preemption",
        bundle(
            pods=[
                pod(
                    created=9000,
                    phase="Failed",
                    reason="Shutdown",
                    message="Node is shutting, evicting pods",
                    spec={"nodeSelector": {"cloud.google.com/gke-preemptible": "true"}},
                )
            ],
            events=[
                event(
                    "Shutdown",
                    "Shutdown manager detected shutdown event",
                    about="Node/gke-1",
                    ago=30,
                )
            ],
        ),
    ),
    case(
        "service selector wrong: UH with ready pods",
        "routing-misconfigured",
        bundle(
            pods=[WARM],
            logs={"gateway": ['"POST /v1/completions HTTP/1.1" 503 UH no_healthy_upstream - 0 ms']},
            config={
                "endpointslice_ready": False,
                "service_selector": {"app": "isvc.chat-predictr"},
            },
        ),
    ),
    case(
        "virtualservice host mismatch 404",
        "routing-misconfigured",
        bundle(
            inferenceservice=isvc(
                condition("Ready"), status={"url": "http://chat.models.example.com"}
            ),
            pods=[WARM],
            logs={
                "gateway": [
                    '"POST /v1/completions HTTP/1.1" 404 NR route_not_found - "-" 0 "chat-models.example.com"'
                ]
            },
        ),
    ),
    case(
        "gateway 500 tls to plaintext",
        "routing-misconfigured",
        bundle(
            pods=[WARM],
            logs={"router": ["proxy error: tls: first record does not look like a TLS handshake"]},
        ),
    ),
    case(
        "gw to stale pod ip after restart",
        "routing-misconfigured",
        bundle(
            pods=[
                pod(
                    created=500,
                    ready=300,
                    statuses=[status("kserve-container", running(480), ready=True)],
                    podIP="10.1.0.9",
                )
            ],
            logs={
                "epp": ['{"msg":"Request handled","endpoint":"10.1.0.4:8000"}'],
                "gateway": [
                    '"POST /v1/completions HTTP/1.1" 503 UF connection_failure,No_route_to_host 10.1.0.4:8000'
                ],
            },
        ),
    ),
    case(
        "model name in EPP",
        "wrong-model-name",
        bundle(
            pods=[WARM],
            logs={
                "epp": [
                    '{"level":"error","msg":"error finding a model object in InferenceModel for input","model":"llama3"}'
                ],
                "client": [
                    "HTTP 404 inference gateway: BadConfiguration - error finding a model object in InferenceModel for input llama3"
                ],
            },
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_routing(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
