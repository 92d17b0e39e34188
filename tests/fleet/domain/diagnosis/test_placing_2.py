# ruff: noqa: E501 - what programs say, as they say it
"""More of nodes, volumes, admission and images."""

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
        "pvc disk full in cache",
        "disk-full",
        crash(
            "OSError: [Errno 28] No space left on device: '/root/.cache/huggingface/hub/models--Qwen'"
        ),
    ),
    case(
        "hf free space",
        "disk-full",
        bundle(
            pods=[
                pod(
                    inits=[
                        status(
                            "storage-initializer",
                            waiting("CrashLoopBackOff"),
                            restarts=4,
                            last=ended(1),
                        )
                    ],
                    phase="Pending",
                )
            ],
            logs={
                "storage-initializer (previous)": [
                    "UserWarning: Not enough free disk space to download the file. The expected file size is: 4976.70 MB. The target location /mnt/models only has 1200.11 MB free disk space."
                ]
            },
        ),
    ),
    case(
        "karpenter launched nodeclaim log",
        "node-provisioning",
        bundle(
            pods=[
                pod(created=150, refused="0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")
            ],
            logs={
                "karpenter": [
                    '{"level":"INFO","message":"created nodeclaim","NodeClaim":{"name":"gpu-abc"},"requests":{"nvidia.com/gpu":"1"}}',
                    '{"level":"INFO","message":"launched nodeclaim","NodeClaim":{"name":"gpu-abc"}}',
                ]
            },
        ),
    ),
    case(
        "node up, driver daemonset still installing",
        "node-provisioning",
        bundle(
            pods=[
                pod(
                    created=500,
                    refused="0/4 nodes are available: 1 node(s) had untolerated taint {node.cilium.io/agent-not-ready: }, 3 Insufficient nvidia.com/gpu.",
                )
            ],
            events=[
                event(
                    "RegisteredNode",
                    "Node gpu-7 event: Registered Node gpu-7 in Controller",
                    about="Node/gpu-7",
                    ago=100,
                )
            ],
        ),
    ),
    case(
        "quota in GCP for GPUs",
        "unschedulable-gpu",
        bundle(
            pods=[
                pod(created=4000, refused="0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")
            ],
            events=[
                event(
                    "FailedScaleUp",
                    "Node scale up in zones us-east1-b associated with this pod failed: GCE quota exceeded. Pod is at risk of not being scheduled.",
                    source="cluster-autoscaler",
                    count=7,
                )
            ],
        ),
        remedy="raise-quota",
    ),
    case(
        "scale up timed out",
        "unschedulable-gpu",
        bundle(
            pods=[
                pod(created=4000, refused="0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")
            ],
            events=[
                event("TriggeredScaleUp", "pod triggered scale-up: [{g 0->1 (max: 3)}]", ago=3900),
                event(
                    "NotTriggerScaleUp",
                    "pod didn't trigger scale-up: 1 in backoff after failed scale-up, 2 node(s) didn't match Pod's node affinity/selector",
                    ago=100,
                    count=40,
                ),
            ],
        ),
    ),
    case(
        "cpu shortage",
        "unschedulable-other",
        bundle(
            pods=[
                pod(
                    created=700,
                    refused="0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
                )
            ]
        ),
        remedy="fix-resource-requests",
    ),
    case(
        "two models one GPU time",
        "unschedulable-gpu",
        bundle(
            pods=[
                pod(created=700, refused="0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")
            ],
            metrics=[
                sample("kube_node_status_allocatable", 1, resource="nvidia_com_gpu"),
                sample(
                    "kube_pod_container_resource_requests",
                    1,
                    resource="nvidia_com_gpu",
                    pod="other-model-1",
                ),
            ],
        ),
    ),
    case(
        "surge deadlock LLM",
        "rollout-capacity-deadlock",
        bundle(
            llminferenceservice=llm_of(condition("Ready")),
            pods=[
                pod(
                    "chat-kserve-7d9c-aaaaa",
                    created=90000,
                    ready=80000,
                    labels={"app.kubernetes.io/name": "chat", "pod-template-hash": "7d9c"},
                ),
                pod(
                    "chat-kserve-5b8f-bbbbb",
                    created=1500,
                    refused="0/4 nodes are available: 4 Insufficient nvidia.com/gpu.",
                    labels={"app.kubernetes.io/name": "chat", "pod-template-hash": "5b8f"},
                ),
            ],
        ),
    ),
    case(
        "terminating predecessor holds GPU",
        "rollout-capacity-deadlock",
        bundle(
            inferenceservice=isvc(),
            pods=[
                pod(
                    "chat-predictor-aaaa-1",
                    created=90000,
                    statuses=[status("kserve-container", running(80000), ready=True)],
                    meta={"deletionTimestamp": at(-200)},
                ),
                pod(
                    "chat-predictor-bbbb-1",
                    created=300,
                    refused="0/1 nodes are available: 1 Insufficient nvidia.com/gpu.",
                ),
            ],
        ),
    ),
    case(
        "kserve webhook refuses invalid",
        "admission-blocked",
        bundle(
            inferenceservice=isvc(),
            pods=[],
            events=[
                event(
                    "InternalError",
                    'admission webhook "inferenceservice.kserve-webhook-server.validator" denied the request: the InferenceService "chat" is invalid: storageUri, must be one of: [gs://, s3://, pvc://, file://, https://, http://, webhdfs://, azure://]',
                    about="InferenceService/chat",
                )
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_placing(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
