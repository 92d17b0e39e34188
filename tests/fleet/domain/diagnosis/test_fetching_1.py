# ruff: noqa: E501 - what programs say, as they say it
"""More of fetching."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    ended,
    event,
    isvc,
    main,
    pod,
    running,
    status,
    waiting,
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
        "PVC subPath missing",
        "model-download-failed",
        bundle(
            inferenceservice=isvc(),
            pods=[
                pod(
                    statuses=[
                        status(
                            "kserve-container",
                            waiting(
                                "CreateContainerConfigError",
                                'failed to prepare subPath for volumeMount "kserve-pvc-source" of container "kserve-container"',
                            ),
                        )
                    ]
                )
            ],
            events=[
                event(
                    "Failed",
                    'Error: failed to prepare subPath for volumeMount "kserve-pvc-source" of container "kserve-container"',
                    container="kserve-container",
                    count=20,
                )
            ],
        ),
    ),
    case(
        "leftovers after reboot",
        "model-download-failed",
        bundle(
            pods=[
                pod(
                    inits=[
                        status(
                            "storage-initializer",
                            waiting("CrashLoopBackOff"),
                            restarts=7,
                            last=ended(1),
                        )
                    ],
                    statuses=[status("kserve-container", waiting("PodInitializing"))],
                    phase="Pending",
                )
            ],
            logs={
                "storage-initializer (previous)": [
                    "FileExistsError: [Errno 17] File exists: '/mnt/models/model.safetensors'"
                ]
            },
        ),
    ),
    case(
        "init fails, only terminated message",
        "model-download-denied",
        bundle(
            pods=[
                pod(
                    inits=[
                        status(
                            "storage-initializer",
                            waiting("CrashLoopBackOff"),
                            restarts=7,
                            last=ended(
                                1,
                                message="RuntimeError: Failed to fetch model. An error occurred (AccessDenied) when calling the ListObjectsV2 operation: Access Denied",
                            ),
                        )
                    ],
                    statuses=[status("kserve-container", waiting("PodInitializing"))],
                    phase="Pending",
                )
            ]
        ),
    ),
    case(
        "model path on emptyDir missing config",
        "model-download-failed",
        crash(
            "OSError: /mnt/models does not appear to have a file named config.json. Checkout 'https://huggingface.co//mnt/models/tree/main' for available files."
        ),
    ),
    case(
        "hub offline flag",
        "model-download-failed",
        crash(
            "huggingface_hub.errors.LocalEntryNotFoundError: Cannot find the requested files in the disk cache and outgoing traffic has been disabled."
        ),
    ),
    case(
        "tls to store",
        "model-download-failed",
        bundle(
            pods=[
                pod(
                    inits=[
                        status(
                            "storage-initializer",
                            waiting("CrashLoopBackOff"),
                            restarts=7,
                            last=ended(1),
                        )
                    ],
                    phase="Pending",
                )
            ],
            logs={
                "storage-initializer (previous)": [
                    "botocore.exceptions.SSLError: SSL validation failed for https://minio.ns:9000/ [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self signed certificate"
                ]
            },
        ),
    ),
    case(
        "hf xet stall in init",
        "model-download-slow",
        bundle(
            pods=[
                pod(
                    created=12000,
                    inits=[status("storage-initializer", running(11900))],
                    statuses=[status("kserve-container", waiting("PodInitializing"))],
                    phase="Pending",
                )
            ],
            logs={
                "storage-initializer": ["Fetching 30 files:  93%|#########3| 28/30 [05:11<00:22]"]
            },
        ),
        remedy="download-timeout-and-retry",
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_fetching(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
