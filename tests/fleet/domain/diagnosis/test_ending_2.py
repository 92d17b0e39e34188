# ruff: noqa: E501 - what programs say, as they say it
"""More of starts that end, hang or crawl."""

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
    probe,
    running,
    sample,
    status,
    waiting,
)

P = "chat-predictor-6c8d9f7b5-aaaaa"


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
        "oom at runtime, restarts",
        "gpu-oom",
        bundle(
            pods=[
                pod(
                    created=90000,
                    containers=[main()],
                    statuses=[
                        status(
                            "kserve-container",
                            running(20),
                            restarts=4,
                            last=ended(1, ran=5000, ago=25),
                        )
                    ],
                )
            ],
            logs={
                "kserve-container (previous)": [
                    "INFO:     Application startup complete.",
                    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
                    "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.",
                ],
                "client": ["HTTP 502 Bad Gateway"],
            },
        ),
    ),
    case(
        "oomkilled under load, restarted hourly",
        "host-oom",
        bundle(
            pods=[
                pod(
                    created=90000,
                    ready=300,
                    containers=[main(resources={"limits": {"memory": "24Gi"}})],
                    statuses=[
                        status(
                            "kserve-container",
                            running(400),
                            ready=True,
                            restarts=7,
                            last=ended(137, "OOMKilled", ran=3600, ago=410),
                        )
                    ],
                )
            ],
            logs={"gateway": ['"POST /v1/completions HTTP/1.1" 502 - upstream_reset 1 ms']},
        ),
    ),
    case(
        "revision failed, crash text in condition, pods gone",
        "crash-loop-config",
        bundle(
            inferenceservice=isvc(
                condition(
                    "Ready",
                    "False",
                    "RevisionFailed",
                    "Revision \"chat-predictor-00002\" failed with message: Container failed with: usage: vllm serve [model_tag] [options] vllm serve: error: argument --tensor-parallel-size/-tp: invalid int value: 'two'.",
                ),
                mode="Knative",
            ),
            revision=revision_of(
                condition(
                    "Ready",
                    "False",
                    "ExitCode2",
                    "Container failed with: vllm serve: error: argument --tensor-parallel-size/-tp: invalid int value: 'two'",
                ),
                condition("ContainerHealthy", "False", "ExitCode2"),
            ),
            pods=[],
        ),
    ),
    case(
        "wake crash loops, Ready stays True",
        "crash-loop-config",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative", spec={"minReplicas": 0}),
            revision=revision_of(condition("Ready"), condition("Active", "Unknown", "Queued")),
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active", "Unknown", "Queued"),
                status={"desiredScale": 1, "actualScale": 0},
            ),
            pods=[
                pod(
                    "chat-predictor-00001-z",
                    created=500,
                    containers=[main()],
                    statuses=[
                        status(
                            "kserve-container",
                            waiting("CrashLoopBackOff"),
                            restarts=5,
                            last=ended(1),
                        ),
                        status("queue-proxy", running(490)),
                    ],
                )
            ],
            logs={
                "kserve-container (previous)": [
                    "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory"
                ]
            },
            metrics=[sample("kn_revision_request_queued", 4)],
        ),
    ),
    case(
        "efs read, shards crawl; started 40 min",
        "engine-load-slow",
        bundle(
            pods=[
                pod(
                    created=2600,
                    containers=[main(startupProbe=probe(periodSeconds=30, failureThreshold=120))],
                    statuses=[status("kserve-container", running(2550))],
                )
            ],
            logs={
                "kserve-container": [
                    "INFO 11-20 11:20:00 [w.py:1] Filesystem type for checkpoints: NFS. Checkpoint size: 640.00 GiB. Available RAM: 900.00 GiB.",
                    "Loading safetensors checkpoint shards:  44% Completed | 80/180 [38:00<47:00, 28.5s/it]",
                ]
            },
        ),
        remedy="faster-weight-loading",
    ),
    case(
        "weights already on disk, FP8 warmup",
        "engine-load-slow",
        bundle(
            pods=[
                pod(
                    created=900,
                    containers=[main()],
                    statuses=[status("kserve-container", running(880))],
                )
            ],
            logs={
                "kserve-container": [
                    "INFO 11-20 11:48:00 [x.py:1] Model loading took 80.1 GiB memory and 90.2 seconds",
                    "DeepGEMM warmup:  62%|######    | 5000/8000 [09:10<05:20]",
                ]
            },
        ),
    ),
    case(
        "exec format error",
        "crash-loop-config",
        crash("exec /usr/bin/python3: exec format error", code=255),
    ),
    case(
        "hang in pynccl with liveness kills",
        "engine-start-hang",
        bundle(
            pods=[
                pod(
                    created=4000,
                    containers=[main("vllm", args=["--tensor-parallel-size=2"])],
                    statuses=[status("vllm", running(2400))],
                )
            ],
            logs={
                "vllm": [
                    "INFO 11-20 11:20:30 [pynccl.py:69] vLLM is using nccl==2.26.2",
                    "INFO 11-20 11:20:31 [custom_all_reduce_utils.py:1] generating GPU P2P access cache in /root/.cache/vllm/gpu_p2p_access_cache_for_0,1.json",
                ]
            },
        ),
    ),
    case(
        "EngineCore wait DEBUG with disk reads growing",
        "engine-load-slow",
        bundle(
            pods=[
                pod(
                    created=1900,
                    containers=[main()],
                    statuses=[status("kserve-container", running(1850))],
                )
            ],
            logs={
                "kserve-container": [
                    "DEBUG 11-20 11:31:00 [core_client.py:1] Waiting for 1 core engine proc(s) to start: {0}",
                    "DEBUG 11-20 11:59:00 [core_client.py:1] Waiting for 1 core engine proc(s) to start: {0}",
                ]
            },
            metrics=[
                sample("container_fs_reads_bytes_total", 1e9, ago=1700, pod=P),
                sample("container_fs_reads_bytes_total", 150e9, ago=20, pod=P),
            ],
        ),
    ),
    case(
        "OOMKilled while a liveness event of long ago",
        "host-oom",
        bundle(
            pods=[
                pod(
                    created=90000,
                    containers=[main(resources={"limits": {"memory": "8Gi"}})],
                    statuses=[
                        status(
                            "kserve-container",
                            waiting("CrashLoopBackOff"),
                            restarts=9,
                            last=ended(137, "OOMKilled", ran=30, ago=20),
                        )
                    ],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    'Liveness probe failed: Get "http://10.0.0.4:8080/health": dial tcp 10.0.0.4:8080: connect: connection refused',
                    container="kserve-container",
                    count=2,
                )
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_ending(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
