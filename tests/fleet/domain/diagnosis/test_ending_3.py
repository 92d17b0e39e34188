# ruff: noqa: E501 - what programs say, as they say it
"""More of starts that end, hang or crawl."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    at,
    bundle,
    condition,
    ended,
    event,
    main,
    pod,
    probe,
    running,
    sample,
    status,
    waiting,
)

P = "chat-predictor-6c8d9f7b5-aaaaa"


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
        "node OOM event kills python",
        "host-oom",
        bundle(
            pods=[
                pod(
                    created=900,
                    containers=[main()],
                    statuses=[
                        status(
                            "kserve-container",
                            waiting("CrashLoopBackOff"),
                            restarts=2,
                            last=ended(137, "Error", ran=200, ago=20),
                        )
                    ],
                )
            ],
            events=[
                event(
                    "SystemOOM",
                    "System OOM encountered, victim process: python3, pid: 4411",
                    about="Node/gpu-1",
                    ago=22,
                )
            ],
        ),
    ),
    case(
        "kv: V1 text",
        "kv-cache-too-small",
        crash(
            "ValueError: To serve at least one request with the models's max seq len (40960), (5.62 GiB KV cache is needed, which is larger than the available KV cache memory (1.98 GiB). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine."
        ),
    ),
    case(
        "sglang kv",
        "kv-cache-too-small",
        crash("RuntimeError: Not enough memory. Please try to increase --mem-fraction-static."),
    ),
    case(
        "oom in graph capture",
        "gpu-oom",
        crash(
            "Capturing CUDA graph shapes:  80%|########  | 54/67",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.10 GiB of which 10.06 MiB is free.",
            ran=300,
        ),
    ),
    case(
        "another pod on the same GPU (time-slicing)",
        "gpu-oom",
        crash(
            "AssertionError: Error in memory profiling. Initial free memory 20.1 GiB, current free memory 22.0 GiB. This happens when other processes sharing the same container release GPU memory while vLLM is profiling during initialization."
        ),
    ),
    case(
        "slow, not hang: last shard stall",
        "engine-load-slow",
        bundle(
            pods=[
                pod(
                    created=4300,
                    containers=[main(startupProbe=probe(periodSeconds=30, failureThreshold=240))],
                    statuses=[status("kserve-container", running(4250))],
                )
            ],
            logs={
                "kserve-container": [
                    "Loading safetensors checkpoint shards: 100% Completed | 64/64 [12:11<00:00, 11.4s/it]"
                ]
            },
            metrics=[
                sample("container_fs_reads_bytes_total", 3e11, ago=3000, pod=P),
                sample("container_fs_reads_bytes_total", 9e11, ago=10, pod=P),
            ],
        ),
    ),
    case(
        "cpu throttled load",
        "engine-load-slow",
        bundle(
            pods=[
                pod(
                    created=1500,
                    ready=30,
                    containers=[main(resources={"limits": {"cpu": "1"}})],
                    statuses=[status("kserve-container", running(1480), ready=True)],
                )
            ],
            logs={
                "kserve-container": [
                    "INFO 11-20 11:58:00 [core.py:1] init engine (profile, create kv cache, warmup model) took 901.33 seconds",
                    "INFO:     Application startup complete.",
                ]
            },
        ),
    ),
    case(
        "deadline: custom 1200 s by annotation",
        "progress-deadline-exceeded",
        bundle(
            revision={
                "kind": "Revision",
                "metadata": {
                    "name": "r",
                    "namespace": "chat",
                    "creationTimestamp": at(1230),
                    "annotations": {"serving.knative.dev/progress-deadline": "1200s"},
                },
                "spec": {},
                "status": {
                    "conditions": [
                        condition(
                            "Ready",
                            "False",
                            "ProgressDeadlineExceeded",
                            "Initial scale was never achieved",
                            ago=20,
                        )
                    ]
                },
            },
            pods=[],
            logs={
                "kserve-container (previous)": [
                    "Loading safetensors checkpoint shards:  85% Completed | 17/20 [17:00<03:00]"
                ]
            },
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_ending(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
