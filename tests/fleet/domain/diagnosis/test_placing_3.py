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
    pod,
    status,
    waiting,
)

CASES = [
    case(
        "scc",
        "admission-blocked",
        bundle(
            pods=[],
            events=[
                event(
                    "FailedCreate",
                    'Error creating: pods "chat-predictor-1-" is forbidden: unable to validate against any security context constraint: [provider "restricted-v2": .spec.securityContext.fsGroup: Invalid value]',
                    about="ReplicaSet/chat",
                    count=12,
                )
            ],
        ),
    ),
    case(
        "serviceaccount missing",
        "admission-blocked",
        bundle(
            pods=[],
            events=[
                event(
                    "FailedCreate",
                    'Error creating: pods "chat-" is forbidden: error looking up service account chat/kserve-sa: serviceaccount "kserve-sa" not found',
                    about="ReplicaSet/chat",
                    count=12,
                )
            ],
        ),
    ),
    case(
        "init image slow",
        "image-pull-slow",
        bundle(
            pods=[
                pod(
                    created=500,
                    inits=[status("storage-initializer", waiting("PodInitializing"))],
                    statuses=[status("kserve-container", waiting("PodInitializing"))],
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "Pulling",
                    'Pulling image "kserve/storage-initializer:v0.15"',
                    ago=480,
                    container="storage-initializer",
                )
            ],
        ),
    ),
    case(
        "volume: rwo during rollout",
        "volume-attach",
        bundle(
            inferenceservice=isvc(),
            pods=[
                pod("chat-predictor-old-1", created=90000, ready=89000, node="gpu-1"),
                pod(
                    "chat-predictor-new-1",
                    created=900,
                    node="gpu-2",
                    statuses=[status("kserve-container", waiting("ContainerCreating"))],
                    phase="Pending",
                ),
            ],
            events=[
                event(
                    "FailedAttachVolume",
                    'Multi-Attach error for volume "pvc-9" Volume is already used by pod(s) chat-predictor-old-1',
                    about="Pod/chat-predictor-new-1",
                    count=8,
                )
            ],
        ),
        remedy="release-volume",
    ),
    case(
        "efs mount dns",
        "volume-attach",
        bundle(
            pods=[
                pod(
                    created=900,
                    statuses=[status("kserve-container", waiting("ContainerCreating"))],
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "FailedMount",
                    'MountVolume.SetUp failed for volume "efs" : rpc error: code = Internal desc = Could not mount "fs-1:/" at "/var/lib": mount failed: exit status 1 Failed to resolve "fs-1.efs.us-east-1.amazonaws.com"',
                    count=12,
                )
            ],
        ),
    ),
    case(
        "secret volume missing",
        "volume-attach",
        bundle(
            pods=[
                pod(
                    created=900,
                    statuses=[status("kserve-container", waiting("ContainerCreating"))],
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "FailedMount",
                    'MountVolume.SetUp failed for volume "tls-certs" : secret "chat-kserve-self-signed-certs" not found',
                    count=12,
                )
            ],
        ),
    ),
    case(
        "admission vs unschedulable: both pods and quota",
        "admission-blocked",
        bundle(
            inferenceservice=isvc(
                condition(
                    "PredictorReady",
                    "False",
                    "FailedCreate",
                    'pods "chat-x" is forbidden: exceeded quota: team, requested: requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=7, limited: requests.nvidia.com/gpu=8',
                )
            ),
            pods=[],
            deployment={
                "kind": "Deployment",
                "metadata": {"name": "chat-predictor"},
                "spec": {"replicas": 1},
                "status": {
                    "conditions": [
                        condition(
                            "ReplicaFailure",
                            "True",
                            "FailedCreate",
                            'pods "chat-x" is forbidden: exceeded quota: team',
                        )
                    ]
                },
            },
        ),
        remedy="raise-quota",
    ),
    case(
        "model unsupported by runtime",
        "admission-blocked",
        bundle(
            inferenceservice=isvc(
                condition("Ready", "Unknown"),
                status={
                    "modelStatus": {
                        "transitionStatus": "InvalidSpec",
                        "lastFailureInfo": {
                            "reason": "RuntimeDisabled",
                            "message": "Runtime kserve-vllmserver is disabled",
                        },
                    }
                },
            ),
            pods=[],
            events=[
                event(
                    "InternalError",
                    "fails to reconcile predictor: specified runtime kserve-vllmserver is disabled",
                    about="InferenceService/chat",
                )
            ],
        ),
        remedy="fix-runtime-selection",
    ),
    case(
        "knative crd missing",
        "admission-blocked",
        bundle(
            inferenceservice=isvc(),
            pods=[],
            events=[
                event(
                    "ServerlessModeRejected",
                    "It is not possible to use Serverless deployment mode when Knative Services are not available",
                    about="InferenceService/chat",
                )
            ],
        ),
    ),
    case(
        "disk: image gc failing pressure taint",
        "disk-full",
        bundle(
            pods=[
                pod(
                    created=600,
                    statuses=[status("main", waiting("ImagePullBackOff"))],
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "Failed",
                    'Failed to pull image "x": write /var/lib/containerd/tmpmounts: no space left on device',
                    container="main",
                    count=4,
                ),
                event(
                    "FreeDiskSpaceFailed",
                    "Failed to garbage collect required amount of images.",
                    about="Node/gpu-1",
                ),
            ],
        ),
    ),
    case(
        "both: gpu short and gated",
        "unschedulable-gpu",
        bundle(
            pods=[
                pod(
                    created=900,
                    refused="0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
                    labels={"serving.kserve.io/inferenceservice": "chat"},
                )
            ]
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_placing(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
