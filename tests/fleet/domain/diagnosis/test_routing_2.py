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
        "kueue preempts",
        "preemption",
        bundle(
            pods=[pod(created=50, refused="", node="", phase="Pending", conditions=[])],
            events=[
                event(
                    "EvictedDueToPreempted",
                    "Preempted to accommodate a workload (UID: 1) due to prioritization in the ClusterQueue",
                    about="Workload/chat",
                )
            ],
        ),
    ),
    case(
        "karpenter consolidates",
        "draining",
        bundle(
            pods=[pod(created=80, statuses=[status("kserve-container", running(60))])],
            events=[
                event(
                    "DisruptionTerminating",
                    "Disrupting Node: Underutilized/Delete",
                    about="Node/gpu-1",
                    ago=120,
                    source="karpenter",
                ),
                event(
                    "Evicted",
                    "Evicted pod: Underutilized/Delete",
                    about="Pod/old",
                    ago=100,
                    source="karpenter",
                ),
            ],
            logs={"gateway": ['"POST /v1/completions HTTP/1.1" 503 UH no_healthy_upstream']},
        ),
    ),
    case(
        "scale-down cuts streams",
        "draining",
        bundle(
            inferenceservice=isvc(condition("Ready")),
            pods=[
                WARM,
                pod(
                    "chat-predictor-6c8d9f7b5-ccccc",
                    created=9000,
                    containers=[main()],
                    statuses=[status("kserve-container", running(8000), ready=True)],
                    meta={"deletionTimestamp": at(40)},
                    spec={"terminationGracePeriodSeconds": 30},
                ),
            ],
            events=[
                event(
                    "SuccessfulRescale",
                    "New size: 1; reason: All metrics below target",
                    ago=72,
                    about="HorizontalPodAutoscaler/chat",
                ),
                event(
                    "Killing",
                    "Stopping container kserve-container",
                    ago=70,
                    about="Pod/chat-predictor-6c8d9f7b5-ccccc",
                ),
            ],
            logs={
                "client": [
                    f"{at(40)} stream ended: httpx.RemoteProtocolError: peer closed connection without sending complete message body (incomplete chunked read)"
                ]
            },
        ),
    ),
    case(
        "EvictionByEvictionAPI",
        "draining",
        bundle(
            pods=[
                pod(
                    created=9000,
                    phase="Failed",
                    conditions=[
                        condition(
                            "DisruptionTarget",
                            "True",
                            "EvictionByEvictionAPI",
                            "Eviction API: evicting",
                            ago=50,
                        )
                    ],
                ),
                pod(
                    "chat-predictor-6c8d9f7b5-b",
                    created=45,
                    statuses=[status("kserve-container", running(30))],
                ),
            ],
            metrics=[sample("istio_requests_total", 70, response_code="503", response_flags="UH")],
        ),
    ),
    case(
        "old scaled away before the new is ready",
        "canary-shifted-early",
        bundle(
            inferenceservice=isvc(
                condition("Ready"),
                mode="Knative",
                status={
                    "components": {
                        "predictor": {
                            "traffic": [
                                {
                                    "revisionName": "chat-predictor-00002",
                                    "percent": 100,
                                    "latestRevision": True,
                                }
                            ]
                        }
                    }
                },
            ),
            revision=knative(
                "Revision",
                condition("Ready"),
                condition("Active", "Unknown", "Queued"),
                name="chat-predictor-00002",
                created=300,
                annotations={"min-scale": "4"},
            ),
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active", "Unknown", "Queued"),
                status={"desiredScale": 4, "actualScale": 1},
                name="chat-predictor-00002",
            ),
            pods=[
                pod(
                    "chat-predictor-00002-deployment-a",
                    created=280,
                    ready=100,
                    labels={"serving.knative.dev/revision": "chat-predictor-00002"},
                ),
                pod(
                    "chat-predictor-00002-deployment-b",
                    created=280,
                    labels={"serving.knative.dev/revision": "chat-predictor-00002"},
                    statuses=[status("kserve-container", running(250))],
                ),
            ],
            events=[
                event(
                    "ScalingReplicaSet",
                    "Scaled down replica set chat-predictor-00001-deployment-5c8 from 4 to 0",
                    ago=90,
                    about="Deployment/chat-predictor-00001-deployment",
                )
            ],
            metrics=[
                sample(
                    "istio_requests_total",
                    300,
                    response_code="503",
                    destination_service_name="chat-predictor-00002",
                ),
                sample("vllm:num_requests_waiting", 90),
                sample("vllm:num_requests_running", 64),
            ],
        ),
    ),
    case(
        "HTTPRoute weight on an empty pool",
        "canary-shifted-early",
        bundle(
            pods=[WARM],
            logs={
                "gateway": [
                    '"POST /v1/completions HTTP/1.1" 503 UH no_healthy_upstream - backend=chat-v2-pool'
                ]
            },
            config={
                "httproute_weights": {"chat-pool": 90, "chat-v2-pool": 10},
                "ready_endpoints": {"chat-pool": 3, "chat-v2-pool": 0},
            },
        ),
    ),
    case(
        "canary early and slow download",
        "canary-shifted-early",
        bundle(
            inferenceservice=isvc(
                condition("Ready"),
                mode="Knative",
                status={
                    "components": {
                        "predictor": {
                            "traffic": [
                                {"revisionName": "chat-predictor-00002", "percent": 50},
                                {"revisionName": "chat-predictor-00001", "percent": 50},
                            ]
                        }
                    }
                },
            ),
            pods=[
                pod(
                    "chat-predictor-00001-a",
                    created=90000,
                    ready=89000,
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                ),
                pod(
                    "chat-predictor-00002-a",
                    created=700,
                    inits=[status("storage-initializer", running(690))],
                    statuses=[status("kserve-container", waiting("PodInitializing"))],
                    phase="Pending",
                    labels={"serving.knative.dev/revision": "chat-predictor-00002"},
                ),
            ],
            logs={
                "storage-initializer": ["Copying contents of s3://x to local"],
                "client": ["HTTP 504 activator request timeout"],
            },
            metrics=[
                sample(
                    "activator_request_count",
                    120,
                    revision_name="chat-predictor-00002",
                    response_code_class="5xx",
                )
            ],
        ),
        second="model-download-slow",
    ),
    case(
        "autoscaler down: all zero models UH",
        "mesh-or-network",
        bundle(
            pods=[
                pod("activator-1", created=9000, labels={"app": "activator"})
                | {
                    "metadata": {
                        "name": "activator-1",
                        "namespace": "knative-serving",
                        "labels": {"app": "activator"},
                        "creationTimestamp": at(9000),
                    }
                }
            ],
            logs={
                "activator": [
                    '{"severity":"WARNING","message":"Healthcheck failed: connection has not yet been established"}',
                    '{"severity":"ERROR","message":"Websocket connection could not be established","error":"dial tcp: lookup autoscaler.knative-serving.svc.cluster.local on 10.96.0.10:53: server misbehaving"}',
                ]
            },
            metrics=[sample("istio_requests_total", 77, response_code="503", response_flags="UH")],
        ),
    ),
    case(
        "activator 300 ms probe too short",
        "mesh-or-network",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative"),
            revision=revision_of(condition("Ready"), condition("Active")),
            pods=[
                pod(
                    "chat-predictor-00001-z",
                    created=900,
                    ready=700,
                    statuses=[
                        status("kserve-container", running(890), ready=True),
                        status("queue-proxy", running(890), ready=True),
                    ],
                )
            ],
            logs={
                "activator": [
                    '{"severity":"ERROR","message":"Failed to probe clusterIP 10.0.0.240:80","error":"Get \\"http://10.0.0.240:80\\": context deadline exceeded"}'
                ],
                "client": ["HTTP 504 activator request timeout (300.0s)"],
            },
            metrics=[sample("kn_revision_request_queued", 12)],
        ),
    ),
    case(
        "cni plugin down",
        "mesh-or-network",
        bundle(
            pods=[
                pod(
                    statuses=[status("main", waiting("ContainerCreating"))],
                    created=600,
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "FailedCreatePodSandBox",
                    'Failed to create pod sandbox: plugin type="istio-cni" name="istio-cni" failed (add): failed to find plugin',
                    count=15,
                )
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_routing(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
