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
    isvc,
    knative,
    main,
    pod,
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
        "multi-node leader unreachable",
        "engine-start-hang",
        bundle(
            pods=[
                pod(
                    "chat-0-1",
                    created=3000,
                    containers=[main("main")],
                    statuses=[
                        status("main", running(100), restarts=2, last=ended(1, ran=620, ago=110))
                    ],
                )
            ],
            logs={
                "main (previous)": [
                    "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (chat-0.chat, 29500)."
                ]
            },
        ),
    ),
    case(
        "ray waits for a worker",
        "engine-start-hang",
        bundle(
            pods=[
                pod(
                    "chat-0",
                    created=3000,
                    containers=[main()],
                    statuses=[status("kserve-container", running(2900))],
                )
            ],
            logs={
                "kserve-container": [
                    "INFO 11-20 11:15:00 Waiting for 1 more Ray node to join: active 1/2",
                    "INFO 11-20 11:59:00 Waiting for 1 more Ray node to join: active 1/2",
                ]
            },
        ),
    ),
    case(
        "api servers give up at 600 s while engine compiles",
        "engine-load-slow",
        crash(
            "INFO 11-20 11:40:00 [x.py:1] Model loading took 650.1 GiB and 310.2 seconds",
            "DeepGEMM warmup:  41%|████      | 3300/8000 [05:10<07:20]",
            "TimeoutError: Timed out waiting for engines to send initial message on input socket.",
            ran=640,
        ),
    ),
    case(
        "engine exit code -9",
        "host-oom",
        crash(
            "ERROR 11-20 11:59:00 [multiproc_executor.py:1] Worker proc VllmWorker-1 died unexpectedly, exit code: -9",
            "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore_DP0': -9}",
            container=main(resources={"limits": {"memory": "64Gi"}}),
            metrics=[sample("container_memory_working_set_bytes", 68.6e9, pod=P)],
        ),
    ),
    case(
        "sigill",
        "crash-loop-config",
        crash("Illegal instruction (core dumped)", code=132),
        remedy="change-runtime-image",
    ),
    case(
        "trust remote code",
        "crash-loop-config",
        crash(
            "ValueError: The repository /mnt/models contains custom code which must be executed to correctly load the model. Please pass the argument `trust_remote_code=True` to allow custom code to be run."
        ),
        remedy="fix-runtime-args",
    ),
    case(
        "tp not divisible",
        "crash-loop-config",
        crash(
            "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8)."
        ),
        remedy="fix-runtime-args",
    ),
    case(
        "tp more than gpus",
        "crash-loop-config",
        crash(
            "ValueError: The number of required GPUs exceeds the total number of available GPUs in the placement group."
        ),
    ),
    case(
        "cache dir perms",
        "crash-loop-config",
        crash("PermissionError: [Errno 13] Permission denied: '/.cache'"),
        remedy="fix-runtime-args",
    ),
    case(
        "deadline and slow download",
        "progress-deadline-exceeded",
        bundle(
            inferenceservice=isvc(condition("Ready", "False", "RevisionFailed"), mode="Knative"),
            revision=revision_of(
                condition(
                    "Ready",
                    "False",
                    "ProgressDeadlineExceeded",
                    "Initial scale was never achieved",
                    ago=20,
                ),
                condition(
                    "Active", "False", "TimedOut", "The target could not be activated.", ago=20
                ),
            ),
            pods=[
                pod(
                    "chat-predictor-00001-deployment-q",
                    created=635,
                    inits=[status("storage-initializer", running(620))],
                    statuses=[status("kserve-container", waiting("PodInitializing"))],
                    phase="Pending",
                    meta={"deletionTimestamp": at(0)},
                )
            ],
            logs={
                "storage-initializer": [
                    "Copying contents of s3://m/llama-405b to local",
                    "Downloaded object model-00040-of-00191.safetensors",
                ]
            },
            metrics=[
                sample(
                    "container_network_receive_bytes_total",
                    10e9,
                    ago=500,
                    pod="chat-predictor-00001-deployment-q",
                ),
                sample(
                    "container_network_receive_bytes_total",
                    160e9,
                    ago=30,
                    pod="chat-predictor-00001-deployment-q",
                ),
            ],
            config={"progress_deadline_s": 600},
        ),
        second="model-download-slow",
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_ending(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
