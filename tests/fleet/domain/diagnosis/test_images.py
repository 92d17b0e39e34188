# ruff: noqa: E501 - what programs say, as they say it
"""Images that cannot be had, or come slowly."""

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

NO_GPU = "0/5 nodes are available: 2 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 Insufficient nvidia.com/gpu. preemption: 0/5 nodes are available: 2 Preemption is not helpful for scheduling, 3 No preemption victims found for incoming pod."


GPU_CONTAINER = [main()]


def pending(message: str, **more: Any) -> dict[str, Any]:
    return pod(created=1200, refused=message, containers=GPU_CONTAINER, **more)


def refused(message: str) -> dict[str, Any]:
    return event("FailedScheduling", message, first=1200, count=9, source="default-scheduler")


KNATIVE_PENDING = knative(
    "Revision", condition("Ready", "Unknown", "Deploying"), condition("Active", "Unknown", "Queued")
)


CASES = [
    case(
        "the tag does not exist",
        "image-pull-failed",
        bundle(
            revision=KNATIVE_PENDING,
            pods=[
                pod(
                    statuses=[
                        status(
                            "kserve-container",
                            waiting(
                                "ErrImagePull",
                                'rpc error: code = NotFound desc = failed to pull and unpack image "registry.example.com/vllm:v9": not found',
                            ),
                        )
                    ],
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "Failed",
                    'Failed to pull image "registry.example.com/vllm:v9": rpc error: code = NotFound desc = not found',
                    container="kserve-container",
                    count=3,
                )
            ],
        ),
        remedy="fix-image-reference-or-pull-secret",
    ),
    case(
        "the registry wants a password",
        "image-pull-failed",
        bundle(
            pods=[pod(statuses=[status("main", waiting("ImagePullBackOff"))], phase="Pending")],
            events=[
                event(
                    "Failed",
                    'Failed to pull image "ghcr.io/x/y:1": failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized',
                    container="main",
                )
            ],
        ),
    ),
    case(
        "the registry counts pulls",
        "upstream-hub-rate-limit",
        bundle(
            pods=[
                pod(
                    statuses=[
                        status(
                            "main",
                            waiting(
                                "ImagePullBackOff",
                                'Back-off pulling image "vllm/vllm-openai:v0.8.5"',
                            ),
                        )
                    ],
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "Failed",
                    'Failed to pull image "vllm/vllm-openai:v0.8.5": toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
                    container="main",
                    count=7,
                )
            ],
        ),
        remedy="use-registry-mirror",
    ),
    case(
        "the pull goes on for eight minutes",
        "image-pull-slow",
        bundle(
            pods=[
                pod(
                    created=520,
                    statuses=[status("kserve-container", waiting("PodInitializing"))],
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "Pulling",
                    'Pulling image "registry.example.com/vllm:big"',
                    ago=480,
                    container="kserve-container",
                )
            ],
        ),
        remedy="prepull-image",
    ),
    case(
        "the pull took twelve minutes of a start of fourteen",
        "image-pull-slow",
        bundle(
            pods=[
                pod(
                    created=900,
                    ready=60,
                    containers=GPU_CONTAINER,
                    statuses=[status("kserve-container", running(150), ready=True)],
                )
            ],
            events=[
                event(
                    "Pulled",
                    'Successfully pulled image "registry.example.com/vllm:big" in 12m10.5s (12m11s including waiting). Image size: 21000000000 bytes.',
                    ago=155,
                    container="kserve-container",
                )
            ],
        ),
    ),
    case(
        "a pull of half a minute is nothing",
        "none",
        bundle(
            pods=[
                pod(
                    created=60,
                    statuses=[status("kserve-container", waiting("ContainerCreating"))],
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "Pulling",
                    'Pulling image "registry.example.com/vllm:big"',
                    ago=30,
                    container="kserve-container",
                )
            ],
        ),
    ),
    case(
        "the disk of the node is full of images",
        "disk-full",
        bundle(
            pods=[pod(statuses=[status("main", waiting("ImagePullBackOff"))], phase="Pending")],
            events=[
                event(
                    "Failed",
                    'Failed to pull image "x": failed to register layer: write /usr/lib/libtorch.so: no space left on device',
                    container="main",
                )
            ],
        ),
        remedy="raise-disk",
    ),
    case(
        "evicted for its ephemeral storage",
        "disk-full",
        bundle(
            pods=[
                pod(
                    phase="Failed",
                    reason="Evicted",
                    message="The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 2Gi. Container storage-initializer was using 48Gi, request is 0.",
                )
            ],
            events=[event("Evicted", "The node was low on resource: ephemeral-storage.")],
        ),
        remedy="raise-disk",
    ),
    case(
        "the empty directory of the model is too small",
        "disk-full",
        bundle(
            pods=[
                pod(
                    phase="Failed",
                    reason="Evicted",
                    message='Usage of EmptyDir volume "kserve-provision-location" exceeds the limit "20Gi".',
                )
            ],
        ),
    ),
    case(
        "the sandbox gets no address",
        "mesh-or-network",
        bundle(
            pods=[
                pod(
                    statuses=[status("main", waiting("ContainerCreating"))],
                    created=400,
                    phase="Pending",
                )
            ],
            events=[
                event(
                    "FailedCreatePodSandBox",
                    'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "1": plugin type="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
                    count=20,
                )
            ],
        ),
    ),
    case(
        "a wake whose image is missing says so on the pod alone",
        "image-pull-failed",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"minReplicas": 0}),
            revision=knative(
                "Revision", condition("Ready"), condition("Active", "Unknown", "Queued")
            ),
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active", "Unknown", "Queued"),
                status={"desiredScale": 1, "actualScale": 0},
            ),
            pods=[
                pod(
                    statuses=[
                        status("kserve-container", waiting("ImagePullBackOff")),
                        status("queue-proxy", waiting("PodInitializing")),
                    ],
                    phase="Pending",
                )
            ],
            events=[event("Failed", "Error: ImagePullBackOff", container="kserve-container")],
            metrics=[sample("kn_revision_request_queued", 3)],
        ),
    ),
    case(
        "the times of events are enough for a clock",
        "unschedulable-gpu",
        {"pods": [pending(NO_GPU)], "events": [refused(NO_GPU) | {"eventTime": at(0)}]},
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_images(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
