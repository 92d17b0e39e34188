# ruff: noqa: E501 - what programs say, as they say it
"""A server that ends by itself at its start."""

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
    running,
    status,
    waiting,
)


def crashes(
    *lines: str, code: int = 1, container: dict[str, Any] | None = None, **parts: Any
) -> dict[str, Any]:
    spec = container or main()
    name = spec["name"]
    loop = status(
        name, waiting("CrashLoopBackOff"), restarts=4, last=ended(code, ran=parts.pop("ran", 40.0))
    )
    return bundle(
        pods=[pod(created=900, containers=[spec], statuses=[loop])],
        events=[
            event(
                "BackOff",
                f"Back-off restarting failed container {name} in pod x",
                container=name,
                count=9,
            ),
            *parts.pop("events", []),
        ],
        logs={f"{name} (previous)": list(lines)},
        **parts,
    )


CASES = [
    case(
        "a flag that was renamed",
        "crash-loop-config",
        crashes(
            "usage: api_server.py [-h]",
            "api_server.py: error: unrecognized arguments: --disable-log-requests",
            code=2,
        ),
        remedy="fix-runtime-args",
    ),
    case(
        "shared memory is too small",
        "crash-loop-config",
        crashes(
            "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2027, unhandled system error",
            "Error while creating shared memory segment /dev/shm/nccl-yQ9Kqr (size 33030528), error: No space left on device (28)",
        ),
        remedy="raise-shared-memory",
    ),
    case(
        "the driver is too old",
        "crash-loop-config",
        crashes(
            events=[
                event(
                    "Failed",
                    "Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version",
                    container="kserve-container",
                )
            ],
            code=128,
        ),
        remedy="upgrade-gpu-driver",
    ),
    case(
        "a Service named vllm injects a variable",
        "crash-loop-config",
        crashes(
            "ValueError: VLLM_PORT 'tcp://172.20.1.5:80' appears to be a URI. This may be caused by a Kubernetes service discovery issue"
        ),
        remedy="rename-service-or-disable-service-links",
    ),
    case(
        "no GPU in the container",
        "crash-loop-config",
        crashes(
            "RuntimeError: Failed to infer device type, please set the environment variable `VLLM_LOGGING_LEVEL=DEBUG` to turn on verbose logging"
        ),
    ),
    case(
        "a context longer than the model's",
        "crash-loop-config",
        crashes(
            "ValueError: User-specified max_model_len (65536) is greater than the derived max_model_len (max_position_embeddings=32768)."
        ),
        remedy="lower-max-model-len",
    ),
    case(
        "bfloat16 on an old card",
        "crash-loop-config",
        crashes(
            "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has compute capability 7.5. You can use float16 instead by explicitly setting the `dtype` flag in CLI"
        ),
        remedy="fix-runtime-args",
    ),
    case(
        "a secret that is not there",
        "crash-loop-config",
        bundle(
            pods=[
                pod(
                    containers=[main()],
                    statuses=[
                        status(
                            "kserve-container",
                            waiting("CreateContainerConfigError", 'secret "hf-token" not found'),
                        )
                    ],
                )
            ]
        ),
    ),
    case(
        "the revision carries the exit",
        "crash-loop-config",
        bundle(
            inferenceservice=isvc(mode="Knative"),
            revision=knative(
                "Revision",
                condition(
                    "Ready",
                    "False",
                    "ExitCode1",
                    "Container failed with: ModuleNotFoundError: No module named 'flash_attn'",
                ),
            ),
            pods=[],
        ),
        remedy="change-runtime-image",
    ),
    case(
        "only a wrapper is known",
        "insufficient-evidence",
        crashes(
            "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"
        ),
    ),
    case(
        "a restart an hour ago and well since",
        "none",
        bundle(
            pods=[
                pod(
                    ready=3000,
                    created=9000,
                    containers=[main()],
                    statuses=[
                        status(
                            "kserve-container",
                            running(3400),
                            ready=True,
                            restarts=1,
                            last=ended(1, ago=3410),
                        )
                    ],
                )
            ],
            logs={"kserve-container (previous)": ["ValueError: something"]},
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_crashes(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
