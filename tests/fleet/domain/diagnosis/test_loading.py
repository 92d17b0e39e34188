# ruff: noqa: E501 - what programs say, as they say it
"""Loading that is slow, or stands still."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    main,
    pod,
    running,
    sample,
    status,
)


def loads(
    *lines: str, ago: float, container: dict[str, Any] | None = None, **parts: Any
) -> dict[str, Any]:
    spec = container or main()
    return bundle(
        pods=[
            pod(
                created=ago + 20,
                containers=[spec],
                statuses=[status(spec["name"], running(ago))],
                **parts.pop("of_pod", {}),
            )
        ],
        logs={spec["name"]: list(lines)},
        **parts,
    )


CASES = [
    case(
        "shards come slowly",
        "engine-load-slow",
        loads(
            "Loading safetensors checkpoint shards:  10% Completed | 3/30 [10:02<1:30:00, 200.1s/it]",
            "Loading safetensors checkpoint shards:  23% Completed | 7/30 [23:02<1:16:00, 200.1s/it]",
            ago=1500,
        ),
        remedy="faster-weight-loading",
    ),
    case(
        "compiling took most of the start",
        "engine-load-slow",
        bundle(
            pods=[
                pod(
                    created=1000,
                    ready=60,
                    containers=[main()],
                    statuses=[status("kserve-container", running(980), ready=True)],
                )
            ],
            logs={
                "kserve-container": [
                    "INFO 11-20 11:45:00 [default_loader.py:1] Loading weights took 30.1 seconds",
                    "INFO 11-20 11:57:00 [monitor.py:34] torch.compile takes 640.0 s in total",
                    "INFO:     Application startup complete.",
                ]
            },
        ),
        remedy="persist-compile-cache",
    ),
    case(
        "a rendezvous without end",
        "engine-start-hang",
        loads(
            "INFO 11-20 11:20:00 [parallel_state.py:1] world_size=2 rank=0 local_rank=0 distributed_init_method=tcp://10.0.0.4:5000 backend=nccl",
            "INFO 11-20 11:20:10 [pynccl.py:69] vLLM is using nccl==2.21.5",
            ago=2400,
            metrics=[
                sample("container_fs_reads_bytes_total", 4e7, ago=1500),
                sample("container_fs_reads_bytes_total", 4e7, ago=10),
            ],
        ),
        remedy="fix-collective-communication",
    ),
    case(
        "the waiting line again and again",
        "engine-start-hang",
        loads(
            "INFO 11-20 11:20:10 [shm_broadcast.py:1] No available shared memory broadcast block found in 60 seconds.",
            "INFO 11-20 11:55:10 [shm_broadcast.py:1] No available shared memory broadcast block found in 60 seconds.",
            ago=2400,
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_loading(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
