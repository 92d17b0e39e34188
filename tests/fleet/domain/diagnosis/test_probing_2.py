# ruff: noqa: E501 - what programs say, as they say it
"""More of probes, and of readiness that comes too early."""

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
    status,
    waiting,
)


def llm_of(*conditions: Any, **spec: Any) -> dict[str, Any]:
    meta = {"name": "chat", "namespace": "chat", "creationTimestamp": at(90000)}
    return {
        "kind": "LLMInferenceService",
        "metadata": meta,
        "spec": {"replicas": 1, **spec},
        "status": {"conditions": list(conditions)},
    }


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
        "liveness kills and download by server",
        "liveness-kills-loading",
        crash(
            "INFO 11-20 11:50:00 [x.py:1] Starting to load model Qwen/Qwen3-32B...",
            "Fetching 17 files:  12%|#2        | 2/17 [00:50<06:12]",
            "KeyboardInterrupt: terminated",
            code=137,
            ran=110,
            container=main(
                "vllm", livenessProbe=probe(port=8000, initialDelaySeconds=60, periodSeconds=10)
            ),
            events=[
                event(
                    "Killing",
                    "Container vllm failed liveness probe, will be restarted",
                    container="vllm",
                    count=5,
                )
            ],
        ),
    ),
    case(
        "startup probe on port name missing",
        "probe-wrong-target",
        bundle(
            pods=[
                pod(
                    created=500,
                    containers=[main()],
                    statuses=[status("kserve-container", running(480))],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    'Startup probe errored: couldn\'t find port "http1" in container',
                    container="kserve-container",
                    count=30,
                )
            ],
        ),
    ),
    case(
        "405 on HEAD path",
        "probe-wrong-target",
        bundle(
            pods=[
                pod(
                    created=500,
                    containers=[main()],
                    statuses=[status("kserve-container", running(480))],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    "Readiness probe failed: HTTP probe failed with statuscode: 405",
                    container="kserve-container",
                    count=30,
                )
            ],
        ),
    ),
    case(
        "liveness kills loading with startup tcp",
        "liveness-kills-loading",
        bundle(
            pods=[
                pod(
                    created=800,
                    containers=[
                        main(
                            "vllm",
                            livenessProbe=probe(
                                port=8000, periodSeconds=10, initialDelaySeconds=30
                            ),
                        )
                    ],
                    statuses=[
                        status("vllm", running(20), restarts=5, last=ended(143, ran=70, ago=22))
                    ],
                )
            ],
            events=[
                event(
                    "Killing",
                    "Container vllm failed liveness probe, will be restarted",
                    container="vllm",
                    count=5,
                    ago=22,
                ),
                event(
                    "Unhealthy",
                    'Liveness probe failed: Get "http://10.0.0.4:8000/health": dial tcp 10.0.0.4:8000: connect: connection refused',
                    container="vllm",
                    count=15,
                    ago=22,
                ),
            ],
        ),
    ),
    case(
        "startup probe kills download in server",
        "probe-too-strict",
        bundle(
            pods=[
                pod(
                    created=900,
                    containers=[
                        main(
                            "vllm",
                            startupProbe=probe(port=8000, periodSeconds=10, failureThreshold=12),
                        )
                    ],
                    statuses=[
                        status("vllm", running(30), restarts=6, last=ended(137, ran=150, ago=31))
                    ],
                )
            ],
            events=[
                event(
                    "Killing",
                    "Container vllm failed startup probe, will be restarted",
                    container="vllm",
                    count=6,
                    ago=31,
                )
            ],
            logs={"vllm (previous)": ["Downloading shards:  25%|##5       | 1/4 [01:20<04:00]"]},
        ),
    ),
    case(
        "readiness flaps under prefill, 1 s",
        "probe-too-strict",
        bundle(
            llminferenceservice=llm_of(condition("Ready")),
            pods=[
                pod(
                    "chat-kserve-1",
                    created=90000,
                    ready=8,
                    containers=[
                        main(
                            "main",
                            readinessProbe=probe(
                                port=8000, periodSeconds=1, failureThreshold=2, timeoutSeconds=1
                            ),
                        )
                    ],
                    statuses=[status("main", running(89000), ready=True)],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    'Readiness probe failed: Get "https://10.0.0.4:8000/health": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
                    container="main",
                    count=25,
                    ago=10,
                    about="Pod/chat-kserve-1",
                )
            ],
            logs={
                "epp": [
                    '{"level":"error","error":"failed to find candidate endpoints for serving the request"}'
                ],
                "main": [
                    "INFO 11-20 11:59:50 [loggers.py:1] Engine 000: Avg prompt throughput: 31000.0 tokens/s, Avg generation throughput: 200.0 tokens/s, Running: 20 reqs, Waiting: 0 reqs, GPU KV cache usage: 45.0%"
                ],
            },
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_probing(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
