# ruff: noqa: E501 - what programs say, as they say it
"""More of fetching."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
    ended,
    isvc,
    main,
    pod,
    running,
    sample,
    status,
    waiting,
)

P = "chat-predictor-6c8d9f7b5-aaaaa"

CASES = [
    case(
        "vllm says time spent downloading",
        "model-download-slow",
        bundle(
            pods=[
                pod(
                    created=1000,
                    ready=30,
                    containers=[main("vllm")],
                    statuses=[status("vllm", running(990), ready=True)],
                )
            ],
            logs={
                "vllm": [
                    "INFO 11-20 11:57:00 [weight_utils.py:1] Time spent downloading weights for Qwen/Qwen3-235B: 724.123456 seconds",
                    "INFO 11-20 11:58:00 [x.py:1] Loading weights took 32.1 seconds",
                    "INFO:     Application startup complete.",
                ]
            },
        ),
    ),
    case(
        "gcs 403 in modelStatus only",
        "model-download-denied",
        bundle(
            inferenceservice=isvc(
                condition("Ready", "False"),
                status={
                    "modelStatus": {
                        "transitionStatus": "BlockedByFailedLoad",
                        "states": {"targetModelState": "FailedToLoad"},
                        "lastFailureInfo": {
                            "reason": "ModelLoadFailed",
                            "exitCode": 1,
                            "message": "google.api_core.exceptions.Forbidden: 403 GET https://storage.googleapis.com/...: does not have storage.objects.list access",
                        },
                    }
                },
            ),
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
        ),
    ),
    case(
        "azure container missing",
        "model-download-failed",
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
                    "azure.core.exceptions.ResourceNotFoundError: The specified container does not exist. ErrorCode:ContainerNotFound"
                ]
            },
        ),
    ),
    case(
        "s3 slow down",
        "upstream-hub-rate-limit",
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
                    "botocore.exceptions.ClientError: An error occurred (SlowDown) when calling the GetObject operation (reached max retries: 4): Please reduce your request rate."
                ]
            },
        ),
    ),
    case(
        "download zero bytes, server",
        "model-download-slow",
        bundle(
            pods=[
                pod(
                    created=13000,
                    containers=[main("vllm", args=["serve", "Qwen/Qwen3-32B"])],
                    statuses=[status("vllm", running(12600))],
                )
            ],
            logs={
                "vllm": [
                    "INFO 11-20 08:30:10 [gpu_model_runner.py:1] Starting to load model Qwen/Qwen3-32B..."
                ]
            },
            metrics=[
                sample("container_network_receive_bytes_total", 4.1e9, ago=9000, pod=P),
                sample("container_network_receive_bytes_total", 4.1e9, ago=20, pod=P),
                sample("DCGM_FI_DEV_FB_USED", 600, ago=9000),
                sample("DCGM_FI_DEV_FB_USED", 600, ago=20),
            ],
        ),
    ),
    case(
        "rate limited anonymous docker + other",
        "upstream-hub-rate-limit",
        bundle(
            pods=[
                pod(
                    created=600,
                    statuses=[
                        status(
                            "main",
                            waiting(
                                "ErrImagePull",
                                'failed to pull and unpack image "docker.io/vllm/vllm-openai:latest": failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/...: 429 Too Many Requests',
                            ),
                        )
                    ],
                    phase="Pending",
                )
            ]
        ),
    ),
    case(
        "hf 429 in init",
        "upstream-hub-rate-limit",
        bundle(
            pods=[
                pod(
                    created=600,
                    inits=[
                        status(
                            "storage-initializer",
                            running(20),
                            restarts=3,
                            last=ended(
                                1,
                                message="429 Client Error: Too Many Requests for url: https://huggingface.co/api/models/x/tree/main",
                            ),
                        )
                    ],
                    phase="Pending",
                )
            ]
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_fetching(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
