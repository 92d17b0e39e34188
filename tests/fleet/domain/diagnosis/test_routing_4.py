# ruff: noqa: E501 - what programs say, as they say it
"""More of routes, networks, stops and settings."""

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
        "canary: istio weight with condition",
        "canary-shifted-early",
        bundle(
            inferenceservice=isvc(
                condition("Ready"),
                spec={"minReplicas": 2},
                status={
                    "conditions": [
                        condition("CanaryPredictorReady", "False", "MinimumReplicasUnavailable")
                    ]
                },
            )
            | {
                "spec": {
                    "predictor": {"minReplicas": 2},
                    "canary": [{"trafficPercent": 10, "predictor": {"name": "b"}}],
                }
            },
            pods=[
                pod(
                    "chat-predictor-1-a",
                    created=9000,
                    ready=8000,
                    labels={"app": "isvc.chat-predictor"},
                ),
                pod(
                    "chat-b-predictor-1-a",
                    created=100,
                    labels={"app": "isvc.chat-b-predictor"},
                    statuses=[status("kserve-container", running(90))],
                ),
            ],
            metrics=[
                sample(
                    "istio_requests_total",
                    31,
                    response_code="503",
                    destination_service_name="chat-b-predictor",
                    response_flags="UH",
                )
            ],
        ),
    ),
    case(
        "istio 403 for some client",
        "mesh-or-network",
        bundle(
            pods=[WARM],
            logs={
                "client": ["HTTP 403 RBAC: access denied"],
                "istio-proxy": [
                    '"POST /v1/chat/completions HTTP/1.1" 403 - rbac_access_denied_matched_policy[none]'
                ],
            },
        ),
    ),
    case(
        "egress proxy blocks hub",
        "mesh-or-network",
        crash(
            "requests.exceptions.ProxyError: HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /api/models/x (Caused by ProxyError('Unable to connect to proxy', OSError('Tunnel connection failed: 403 Forbidden')))"
        ),
    ),
    case(
        "coredns servfail in control",
        "mesh-or-network",
        bundle(
            pods=[WARM],
            logs={"gateway": ['"POST /v1/completions HTTP/1.1" 503 DF dns_resolution_failure']},
        ),
    ),
    case(
        "wrong port in Service",
        "routing-misconfigured",
        bundle(
            pods=[WARM],
            logs={
                "kserve-container": [
                    "INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)"
                ],
                "gateway": [
                    '"POST /v1/completions HTTP/1.1" 503 UF delayed_connect_error:_111 10.0.0.9:8080'
                ],
            },
            config={"workload_service_ports": [{"name": "http", "port": 80, "targetPort": 8080}]},
        ),
    ),
    case(
        "kgateway ext_proc fail open off",
        "routing-misconfigured",
        bundle(
            llminferenceservice=llm_of(
                condition("SchedulerWorkloadReady", "False", "MinimumReplicasUnavailable"),
                condition("Ready", "False"),
            ),
            pods=[
                WARM,
                pod(
                    "chat-kserve-router-scheduler-1",
                    created=900,
                    statuses=[
                        status("main", waiting("CrashLoopBackOff"), restarts=7, last=ended(1))
                    ],
                    labels={"app.kubernetes.io/component": "llminferenceservice-router-scheduler"},
                ),
            ],
            logs={"gateway": ['"POST /v1/completions HTTP/1.1" 500 - ext_proc_error']},
        ),
    ),
    case(
        "preempted 137 with disruption condition",
        "preemption",
        bundle(
            pods=[
                pod(
                    created=9000,
                    phase="Failed",
                    conditions=[
                        condition(
                            "DisruptionTarget",
                            "True",
                            "PreemptionByScheduler",
                            "default-scheduler: preempting to accommodate a higher priority pod",
                            ago=30,
                        )
                    ],
                    statuses=[status("kserve-container", ended(137, "Error", ran=8000, ago=25))],
                )
            ]
        ),
    ),
    case(
        "karpenter spot interruption",
        "preemption",
        bundle(
            pods=[
                pod(
                    created=9000,
                    node="ip-10-0-1-2",
                    meta={"deletionTimestamp": at(60)},
                    statuses=[status("kserve-container", running(8000), ready=True)],
                )
            ],
            events=[
                event(
                    "SpotInterrupted",
                    "NodeClaim gpu-x event: A spot interruption warning was triggered for the node",
                    about="NodeClaim/gpu-x",
                    source="karpenter",
                    ago=100,
                )
            ],
            logs={"client": ["HTTP 503 Service Unavailable"]},
        ),
    ),
    case(
        "upgrade: stop with 502 after",
        "draining",
        bundle(
            pods=[
                pod(
                    created=400,
                    ready=100,
                    containers=[main()],
                    statuses=[status("kserve-container", running(380), ready=True)],
                )
            ],
            events=[
                event(
                    "Killing",
                    "Stopping container kserve-container",
                    ago=500,
                    about="Pod/old",
                    first=500,
                )
            ],
            logs={
                "gateway": [
                    f'{at(498)} "POST /v1/completions HTTP/1.1" 502 UC upstream_reset_before_response_started{{connection_termination}}'
                ]
            },
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_routing(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
