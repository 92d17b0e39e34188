# ruff: noqa: E501 - what programs say, as they say it
"""Traffic too early, or sent elsewhere."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
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


CANARY = isvc(
    condition("Ready"),
    mode="Knative",
    status={
        "components": {
            "predictor": {
                "traffic": [
                    {"revisionName": "chat-predictor-00002", "percent": 20},
                    {"revisionName": "chat-predictor-00001", "percent": 80, "tag": "prev"},
                ]
            }
        }
    },
)


CASES = [
    case(
        "a fifth of the traffic goes to a revision that loads",
        "canary-shifted-early",
        bundle(
            inferenceservice=CANARY,
            pods=[
                pod(
                    "chat-predictor-00001-deployment-a",
                    created=90_000,
                    ready=89_000,
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                ),
                pod(
                    "chat-predictor-00002-deployment-b",
                    created=120,
                    labels={"serving.knative.dev/revision": "chat-predictor-00002"},
                    statuses=[status("kserve-container", running(100))],
                ),
            ],
            metrics=[
                sample(
                    "istio_requests_total",
                    90,
                    response_code="503",
                    response_flags="UH",
                    destination_service_name="chat-predictor-00002",
                )
            ],
        ),
        remedy="rollback-traffic",
    ),
    case(
        "a pod is Ready while it reads weights",
        "not-prepared",
        bundle(
            pods=[
                pod(
                    created=300,
                    ready=280,
                    containers=[main(readinessProbe={"tcpSocket": {"port": 8080}})],
                    statuses=[status("kserve-container", running(290), ready=True)],
                )
            ],
            logs={
                "kserve-container": [
                    "INFO 11-20 11:59:30 [x.py:1] Loading safetensors checkpoint shards:  20% Completed | 2/10"
                ],
                "client": ["HTTP 503 Service Unavailable"],
            },
        ),
        remedy="readiness-checks-model",
    ),
    case(
        "KServe's server says that its model is not ready",
        "not-prepared",
        bundle(
            pods=[
                pod(
                    created=300,
                    ready=200,
                    statuses=[status("kserve-container", running(290), ready=True)],
                )
            ],
            logs={"client": ['HTTP 503 {"error":"Model with name chat is not ready."}']},
        ),
    ),
    case(
        "the router sends to a pod that still loads",
        "not-prepared",
        bundle(
            pods=[
                WARM | {"status": WARM["status"] | {"podIP": "10.0.0.9"}},
                cold(100, podIP="10.0.0.31"),
            ],
            logs={
                "router": ["ERROR connection refused: http://10.0.0.31:8000/v1/chat/completions"]
            },
        ),
    ),
    case(
        "the model's name is another",
        "wrong-model-name",
        bundle(
            pods=[WARM],
            logs={
                "client": [
                    '404 {"error":{"message":"The model `gpt-4` does not exist.","type":"NotFoundError","param":"model","code":404}}'
                ]
            },
        ),
        remedy="fix-client-model-name",
    ),
    case(
        "the mesh's policy refuses",
        "mesh-or-network",
        bundle(pods=[WARM], logs={"client": ["HTTP 403 RBAC: access denied"]}),
        remedy="fix-mesh-or-network-policy",
    ),
    case(
        "mutual TLS does not match",
        "mesh-or-network",
        bundle(
            pods=[
                pod(
                    created=9000,
                    ready=8000,
                    containers=[main(), {"name": "istio-proxy"}],
                    statuses=[
                        status("kserve-container", running(8900), ready=True),
                        status("istio-proxy", running(8900), ready=True),
                    ],
                )
            ],
            logs={
                "gateway": [
                    "503 upstream connect error or disconnect/reset before headers. reset reason: remote connection failure, transport failure reason: TLS_error:|268435703:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end"
                ]
            },
        ),
    ),
    case(
        "no route for this host",
        "routing-misconfigured",
        bundle(
            pods=[WARM],
            logs={
                "gateway": ['"POST /v1/chat/completions HTTP/1.1" 404 NR route_not_found - 0 ms']
            },
        ),
        remedy="fix-route-backend",
    ),
    case(
        "the gateway sends to an address of yesterday",
        "routing-misconfigured",
        bundle(
            pods=[WARM | {"status": WARM["status"] | {"podIP": "10.0.0.9"}}],
            logs={
                "gateway": [
                    '"POST /v1/completions HTTP/1.1" 503 UF upstream_reset_before_response_started{connection_failure} 10.0.0.77:8000'
                ]
            },
        ),
    ),
    case(
        "the pool points to another port",
        "routing-misconfigured",
        bundle(
            pods=[WARM],
            logs={
                "kserve-container": [
                    "INFO:     Uvicorn running on http://0.0.0.0:8080 (Press CTRL+C to quit)"
                ],
                "gateway": ['"POST /v1/completions HTTP/1.1" 503 UF connection_failure'],
            },
            config={"inferencepool_target_port": 8000, "pool_targetPort": 8000},
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_routes(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
