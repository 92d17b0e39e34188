# ruff: noqa: E501 - what programs say, as they say it
"""More of nodes, volumes, admission and images."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
    event,
    isvc,
    knative,
    pod,
    status,
    waiting,
)


def revision_of(*conditions: Any, **parts: Any) -> dict[str, Any]:
    return knative("Revision", *conditions, **parts)


CASES = [
    case(
        "PVC provisioning fails",
        "volume-attach",
        bundle(
            pods=[
                pod(
                    created=900,
                    refused="0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
                )
            ],
            events=[
                event(
                    "ProvisioningFailed",
                    'failed to provision volume with StorageClass "efs-sc": rpc error: code = Internal desc = Failed to create Access point',
                    about="PersistentVolumeClaim/models",
                    count=9,
                )
            ],
        ),
    ),
    case(
        "new node without device plugin yet",
        "node-provisioning",
        bundle(
            pods=[
                pod(
                    created=400,
                    refused="0/4 nodes are available: 3 node(s) didn't match Pod's node affinity/selector, 1 Insufficient nvidia.com/gpu.",
                )
            ],
            events=[
                event(
                    "NodeReady",
                    "Node gpu-new status is now: NodeReady",
                    about="Node/gpu-new",
                    ago=90,
                ),
                event(
                    "RegisteredNode",
                    "Node gpu-new event: Registered Node gpu-new in Controller",
                    about="Node/gpu-new",
                    ago=120,
                ),
            ],
        ),
    ),
    case(
        "anti affinity",
        "unschedulable-other",
        bundle(
            pods=[
                pod(
                    created=400,
                    refused="0/4 nodes are available: 2 node(s) didn't match pod anti-affinity rules, 2 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }.",
                )
            ]
        ),
    ),
    case(
        "DRA claim",
        "unschedulable-gpu",
        bundle(
            pods=[
                pod(
                    created=400,
                    refused="0/4 nodes are available: 4 cannot allocate all claims. preemption: 0/4 nodes are available: 4 No preemption victims found.",
                )
            ]
        ),
    ),
    case(
        "kueue holds",
        "admission-blocked",
        bundle(
            pods=[
                pod(
                    created=400,
                    node="",
                    phase="Pending",
                    conditions=[
                        condition(
                            "PodScheduled",
                            "False",
                            "SchedulingGated",
                            "Scheduling is blocked due to non-empty scheduling gates",
                        )
                    ],
                )
            ],
            events=[
                event(
                    "Pending",
                    "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor h100, 4 more needed",
                    about="Workload/chat",
                )
            ],
        ),
    ),
    case(
        "limit range",
        "admission-blocked",
        bundle(
            pods=[],
            inferenceservice=isvc(),
            events=[
                event(
                    "FailedCreate",
                    'Error creating: pods "chat" is forbidden: maximum memory usage per Container is 32Gi, but limit is 64Gi',
                    about="ReplicaSet/chat",
                    count=15,
                )
            ],
        ),
    ),
    case(
        "node then slow image",
        "node-provisioning",
        bundle(
            pods=[
                pod(
                    created=900,
                    conditions=[],
                    statuses=[status("kserve-container", waiting("ContainerCreating"))],
                    phase="Pending",
                )
                | {
                    "status": {
                        "phase": "Pending",
                        "conditions": [
                            condition("PodScheduled", ago=420),
                            condition("Ready", "False", ago=420),
                        ],
                        "containerStatuses": [
                            status("kserve-container", waiting("ContainerCreating"))
                        ],
                    }
                }
            ],
            events=[
                event("TriggeredScaleUp", "pod triggered scale-up: [{gpu 0->1 (max: 4)}]", ago=880),
                event(
                    "NodeReady", "Node gpu-1 status is now: NodeReady", about="Node/gpu-1", ago=430
                ),
                event("Pulling", 'Pulling image "x:1"', ago=400, container="kserve-container"),
            ],
        ),
        second="image-pull-slow",
    ),
    case(
        "revision Unschedulable, no scaler",
        "unschedulable-gpu",
        bundle(
            inferenceservice=isvc(condition("Ready", "False", "RevisionMissing"), mode="Knative"),
            revision=revision_of(
                condition(
                    "Ready",
                    "False",
                    "Unschedulable",
                    "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
                ),
                condition(
                    "ResourcesAvailable",
                    "False",
                    "Unschedulable",
                    "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
                ),
            ),
            pods=[],
        ),
    ),
    case(
        "ECR token expired",
        "image-pull-failed",
        bundle(
            pods=[pod(statuses=[status("main", waiting("ImagePullBackOff"))], phase="Pending")],
            events=[
                event(
                    "Failed",
                    'Failed to pull image "123.dkr.ecr.us-east-1.amazonaws.com/vllm:1": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials',
                    container="main",
                    count=5,
                )
            ],
        ),
    ),
    case(
        "arm image on amd",
        "image-pull-failed",
        bundle(
            pods=[
                pod(
                    statuses=[
                        status(
                            "main",
                            waiting("ErrImagePull", "no match for platform in manifest: not found"),
                        )
                    ],
                    phase="Pending",
                )
            ]
        ),
    ),
    case(
        "modelcar image missing",
        "image-pull-failed",
        bundle(
            inferenceservice=isvc(),
            pods=[
                pod(
                    inits=[
                        status(
                            "modelcar-init",
                            waiting(
                                "ImagePullBackOff", 'Back-off pulling image "quay.io/org/model:1"'
                            ),
                        )
                    ],
                    statuses=[
                        status("kserve-container", waiting("PodInitializing")),
                        status("modelcar", waiting("PodInitializing")),
                    ],
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "Failed",
                    'Failed to pull image "quay.io/org/model:1": rpc error: code = NotFound desc = not found',
                    container="modelcar-init",
                )
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_placing(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
