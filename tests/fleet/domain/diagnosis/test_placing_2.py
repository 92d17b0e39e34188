# ruff: noqa: E501 - what programs say, as they say it
"""More of nodes, volumes, admission and images."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
    ended,
    event,
    isvc,
    knative,
    main,
    pod,
    status,
    waiting,
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
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_placing(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
