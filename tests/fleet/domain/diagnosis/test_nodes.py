# ruff: noqa: E501 - what programs say, as they say it
"""No node, a node on its way, a node that its own predecessor keeps."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
    event,
    isvc,
    main,
    pod,
)

NO_GPU = "0/5 nodes are available: 2 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 Insufficient nvidia.com/gpu. preemption: 0/5 nodes are available: 2 Preemption is not helpful for scheduling, 3 No preemption victims found for incoming pod."


TAINTED = "0/6 nodes are available: 4 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint {nvidia.com/gpu: present}."


MEMORY = "0/5 nodes are available: 2 Insufficient memory, 3 Insufficient nvidia.com/gpu."


GPU_CONTAINER = [main()]


def pending(message: str, **more: Any) -> dict[str, Any]:
    return pod(created=1200, refused=message, containers=GPU_CONTAINER, **more)


def refused(message: str) -> dict[str, Any]:
    return event("FailedScheduling", message, first=1200, count=9, source="default-scheduler")


CASES = [
    case(
        "no GPU is free and the autoscaler refuses",
        "unschedulable-gpu",
        bundle(
            pods=[pending(NO_GPU)],
            events=[
                refused(NO_GPU),
                event(
                    "NotTriggerScaleUp",
                    "pod didn't trigger scale-up: 1 max node group size reached",
                ),
            ],
        ),
        remedy="add-capacity",
    ),
    case(
        "the GPU nodes are tainted, the others have no GPU",
        "unschedulable-other",
        bundle(pods=[pending(TAINTED)], events=[refused(TAINTED)]),
        remedy="fix-node-selector-or-toleration",
    ),
    case(
        "nodes with a GPU lack memory",
        "unschedulable-other",
        bundle(pods=[pending(MEMORY)], events=[refused(MEMORY)]),
        remedy="fix-resource-requests",
    ),
    case(
        "a selector fits no node",
        "unschedulable-other",
        bundle(
            pods=[
                pending(
                    "0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector. preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling."
                )
            ]
        ),
        remedy="fix-node-selector-or-toleration",
    ),
    case(
        "a MIG slice is asked for that nobody has",
        "unschedulable-gpu",
        bundle(pods=[pending("0/3 nodes are available: 3 Insufficient nvidia.com/mig-3g.20gb.")]),
        remedy="fix-gpu-partitioning",
    ),
    case(
        "Karpenter has nominated a claim",
        "node-provisioning",
        bundle(
            pods=[pending("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")],
            events=[
                event(
                    "Nominated",
                    "Pod should schedule on: nodeclaim/gpu-7xk2p",
                    ago=60,
                    source="karpenter",
                ),
            ],
        ),
        remedy="wait",
    ),
    case(
        "Karpenter finds no instance type",
        "unschedulable-gpu",
        bundle(
            pods=[pending("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")],
            events=[
                event(
                    "FailedScheduling",
                    'Failed to schedule pod, incompatible with nodepool "gpu", daemonset overhead={"cpu":"1"}, no instance type satisfied resources {"nvidia.com/gpu":"8"} and requirements',
                    source="karpenter",
                )
            ],
        ),
    ),
    case(
        "the cloud has run out of the machine type",
        "unschedulable-gpu",
        bundle(
            pods=[pending("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")],
            events=[
                event(
                    "TriggeredScaleUp",
                    "pod triggered scale-up: [{a100 0->1 (max: 4)}]",
                    ago=900,
                    source="cluster-autoscaler",
                ),
                event(
                    "FailedScaleUp",
                    "Node scale up in zones us-central1-a associated with this pod failed: GCE out of resources. Pod is at risk of not being scheduled.",
                    ago=600,
                    source="cluster-autoscaler",
                ),
            ],
        ),
        remedy="add-capacity",
    ),
    case(
        "an autoscaler that was refused once has begun to act since",
        "node-provisioning",
        bundle(
            pods=[pending(NO_GPU)],
            events=[
                event(
                    "NotTriggerScaleUp",
                    "pod didn't trigger scale-up: 1 in backoff after failed scale-up",
                    ago=300,
                ),
                event("TriggeredScaleUp", "pod triggered scale-up: [{gpu 1->2 (max: 4)}]", ago=60),
            ],
        ),
    ),
    case(
        "the new revision waits for what the old one holds",
        "rollout-capacity-deadlock",
        bundle(
            inferenceservice=isvc(mode="Knative"),
            pods=[
                pod(
                    "chat-predictor-00002-deployment-abc",
                    created=900,
                    refused="0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
                    labels={"serving.knative.dev/revision": "chat-predictor-00002"},
                ),
                pod(
                    "chat-predictor-00001-deployment-def",
                    created=90_000,
                    ready=89_000,
                    labels={"serving.knative.dev/revision": "chat-predictor-00001"},
                ),
            ],
        ),
        remedy="free-old-revision-first",
    ),
    case(
        "another replica of the same revision waits: no deadlock",
        "unschedulable-gpu",
        bundle(
            pods=[
                pod("chat-predictor-6c8d9f7b5-aaaaa", created=90_000, ready=89_000),
                pod(
                    "chat-predictor-6c8d9f7b5-bbbbb",
                    created=900,
                    refused="0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
                ),
            ],
        ),
    ),
    case(
        "half of a long start was waiting for a new node",
        "node-provisioning",
        bundle(
            pods=[
                pod(created=900, ready=100, spec={}, conditions=[condition("Initialized", ago=240)])
                | {
                    "status": {
                        "phase": "Running",
                        "conditions": [
                            condition("PodScheduled", ago=300),
                            condition("Ready", ago=100),
                        ],
                    }
                }
            ],
            events=[
                event("TriggeredScaleUp", "pod triggered scale-up: [{gpu 0->1 (max: 4)}]", ago=880),
                event(
                    "RegisteredNode",
                    "Node gpu-1 event: Registered Node gpu-1 in Controller",
                    ago=400,
                    about="Node/gpu-1",
                ),
            ],
        ),
        remedy="keep-warm-nodes",
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_nodes(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
