# ruff: noqa: E501 - what programs say, as they say it
"""Memory of the device, of its cache, of the host."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    ended,
    event,
    main,
    pod,
    sample,
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
        "the device is too small",
        "gpu-oom",
        crashes(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 448.00 MiB. GPU 0 has a total capacity of 23.57 GiB",
            "RuntimeError: Engine core initialization failed. See root cause above.",
            ran=120.0,
        ),
        remedy="more-or-larger-gpu",
    ),
    case(
        "somebody else holds the device",
        "gpu-oom",
        crashes(
            "ValueError: Free memory on device (2.1/79.2 GiB) on startup is less than desired GPU memory utilization (0.9, 71.3 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes."
        ),
        remedy="lower-gpu-memory-utilization",
    ),
    case(
        "the sampler's warm-up",
        "gpu-oom",
        crashes(
            "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine."
        ),
    ),
    case(
        "one request of full length does not fit",
        "kv-cache-too-small",
        crashes(
            "ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (9.52 GiB). Based on the available memory, the estimated maximum model length is 77984."
        ),
        remedy="lower-max-model-len",
    ),
    case(
        "the server is killed for its memory",
        "host-oom",
        bundle(
            pods=[
                pod(
                    created=900,
                    containers=[
                        main(resources={"limits": {"memory": "16Gi", "nvidia.com/gpu": "1"}})
                    ],
                    statuses=[
                        status(
                            "kserve-container",
                            waiting("CrashLoopBackOff"),
                            restarts=3,
                            last=ended(137, "OOMKilled", ran=70),
                        )
                    ],
                )
            ],
            logs={
                "kserve-container (previous)": [
                    "Loading safetensors checkpoint shards:  25% Completed | 2/8"
                ]
            },
        ),
        remedy="raise-container-memory",
    ),
    case(
        "137 with the working set at the limit",
        "host-oom",
        bundle(
            pods=[
                pod(
                    created=900,
                    containers=[main(resources={"limits": {"memory": "16Gi"}})],
                    statuses=[
                        status(
                            "kserve-container",
                            waiting("CrashLoopBackOff"),
                            restarts=3,
                            last=ended(137, "Error", ran=70),
                        )
                    ],
                )
            ],
            metrics=[
                sample(
                    "container_memory_working_set_bytes",
                    17.1e9,
                    pod="chat-predictor-6c8d9f7b5-aaaaa",
                )
            ],
        ),
    ),
    case(
        "137 and nobody says why",
        "insufficient-evidence",
        bundle(
            pods=[
                pod(
                    created=900,
                    containers=[main()],
                    statuses=[
                        status(
                            "kserve-container",
                            waiting("CrashLoopBackOff"),
                            restarts=3,
                            last=ended(137, "Error", ran=70),
                        )
                    ],
                )
            ]
        ),
    ),
    case(
        "the node ran out of memory",
        "host-oom",
        bundle(
            pods=[
                pod(
                    phase="Failed",
                    reason="Evicted",
                    message="The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi.",
                )
            ]
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_memory(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
