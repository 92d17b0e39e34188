# ruff: noqa: E501 - what programs say, as they say it
"""More where nothing is wrong, or nothing decided."""

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
        "rate of 5xx zero, HPA noise",
        "none",
        bundle(
            inferenceservice=isvc(condition("Ready")),
            pods=[WARM],
            events=[
                event(
                    "FailedGetResourceMetric",
                    "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)",
                    about="HorizontalPodAutoscaler/chat-predictor",
                    count=5,
                    first=200,
                )
            ],
            metrics=[sample("istio_requests_total", 900, response_code="200")],
        ),
    ),
    case(
        "aggressive probe noise while loading",
        "none",
        bundle(
            inferenceservice=isvc(condition("Ready", "Unknown"), mode="Knative"),
            revision=revision_of(condition("Ready", "Unknown", "Deploying"), created=100),
            pods=[
                pod(
                    "chat-predictor-00001-z",
                    created=95,
                    containers=[main()],
                    statuses=[
                        status("kserve-container", running(60)),
                        status("queue-proxy", running(60)),
                    ],
                )
            ],
            logs={
                "queue-proxy": [
                    "aggressive probe error (failed 202 times): dial tcp 127.0.0.1:8080: connect: connection refused"
                ],
                "kserve-container": [
                    "INFO 11-20 11:59:20 [x.py:1] Starting to load model /mnt/models..."
                ],
            },
        ),
    ),
    case(
        "terminating old pod after rollout, no errors",
        "none",
        bundle(
            pods=[
                WARM,
                pod(
                    "chat-predictor-5b-old",
                    created=95000,
                    meta={"deletionTimestamp": at(100)},
                    statuses=[status("kserve-container", running(90000), ready=True)],
                ),
            ],
            events=[
                event(
                    "Killing",
                    "Stopping container kserve-container",
                    ago=130,
                    about="Pod/chat-predictor-5b-old",
                )
            ],
            metrics=[
                sample("istio_requests_total", 8000, response_code="200"),
                sample("istio_requests_total", 0, response_code="503"),
            ],
        ),
    ),
    case(
        "LLM replicas 0 on purpose",
        "none",
        bundle(
            llminferenceservice={
                "kind": "LLMInferenceService",
                "metadata": {"name": "chat", "namespace": "chat"},
                "spec": {"replicas": 0},
                "status": {"conditions": [condition("Ready")]},
            },
            pods=[],
        ),
    ),
    case(
        "scheduled-to-zero with later success",
        "none",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"minReplicas": 0}),
            revision=revision_of(
                condition("Ready"),
                condition("Active", "False", "NoTraffic", ago=3000),
                annotations={"min-scale": "0"},
            ),
            pods=[],
            metrics=[
                sample("kn_revision_request_queued", 0),
                sample("istio_requests_total", 120, response_code="200"),
            ],
            events=[
                event(
                    "ScalingReplicaSet",
                    "Scaled down replica set chat-predictor-00001-deployment-6c8 from 1 to 0",
                    ago=3000,
                    about="Deployment/x",
                )
            ],
        ),
    ),
    case(
        "pod pending 40 s for an image",
        "none",
        bundle(
            pods=[
                pod(
                    created=40,
                    statuses=[status("kserve-container", waiting("ContainerCreating"))],
                    phase="Pending",
                )
            ]
        ),
    ),
    case(
        "4xx only",
        "none",
        bundle(
            pods=[WARM],
            logs={
                "gateway": [
                    '"POST /v1/chat/completions HTTP/1.1" 400 - via_upstream - 3 ms',
                    '"POST /v1/chat/completions HTTP/1.1" 401 - via_upstream - 1 ms',
                ]
            },
        ),
    ),
    case(
        "504 no time no limit known",
        "insufficient-evidence",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative"),
            pods=[WARM],
            logs={"client": ["504 Gateway Timeout"]},
        ),
    ),
    case(
        "queue and idle engine",
        "insufficient-evidence",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative"),
            revision=revision_of(condition("Ready"), condition("Active")),
            pods=[WARM],
            metrics=[
                sample("kn_revision_request_queued", 80),
                sample("vllm:num_requests_running", 2),
                sample("vllm:num_requests_waiting", 0),
                sample("vllm:kv_cache_usage_perc", 0.05),
            ],
            logs={"client": ["timed out after 45.0s"]},
        ),
    ),
    case("exit 1 empty log", "insufficient-evidence", crash()),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_quiet_more(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
