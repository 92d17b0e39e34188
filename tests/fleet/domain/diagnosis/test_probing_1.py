# ruff: noqa: E501 - what programs say, as they say it
"""More of probes, and of readiness that comes too early."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    at,
    bundle,
    ended,
    event,
    isvc,
    main,
    pod,
    probe,
    running,
    sample,
    status,
    waiting,
)

CASES = [
    case(
        "headless LWS worker with HTTP probe",
        "probe-wrong-target",
        bundle(
            llminferenceservice={
                "kind": "LLMInferenceService",
                "metadata": {"name": "chat", "namespace": "chat"},
                "status": {"conditions": []},
            },
            pods=[
                pod(
                    "chat-kserve-mn-0-1",
                    created=1000,
                    containers=[
                        main(
                            "main",
                            args=["vllm serve /mnt/models --headless --data-parallel-size 4"],
                            startupProbe=probe(port=8000, periodSeconds=10, failureThreshold=60),
                        )
                    ],
                    statuses=[
                        status("main", running(100), restarts=1, last=ended(137, ran=610, ago=110))
                    ],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    'Startup probe failed: Get "http://10.0.0.4:8000/health": dial tcp 10.0.0.4:8000: connect: connection refused',
                    container="main",
                    count=70,
                    about="Pod/chat-kserve-mn-0-1",
                ),
                event(
                    "Killing",
                    "Container main failed startup probe, will be restarted",
                    container="main",
                    about="Pod/chat-kserve-mn-0-1",
                ),
            ],
            logs={
                "main": [
                    "INFO 11-20 11:58:30 [core.py:1] Launching 2 data parallel engine(s) in headless mode"
                ]
            },
        ),
    ),
    case(
        "vllm listens 8000, TCP readiness 8080",
        "probe-wrong-target",
        bundle(
            inferenceservice=isvc(),
            pods=[
                pod(
                    created=900,
                    containers=[main(readinessProbe={"tcpSocket": {"port": 8080}})],
                    statuses=[status("kserve-container", running(880))],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    "Readiness probe failed: dial tcp 10.0.0.4:8080: connect: connection refused",
                    container="kserve-container",
                    count=40,
                )
            ],
            logs={
                "kserve-container": [
                    "INFO 11-20 11:50:00 [api_server.py:1] Starting vLLM API server 0 on http://0.0.0.0:8000",
                    "INFO:     Application startup complete.",
                ]
            },
        ),
    ),
    case(
        "chart probes kill 35s",
        "liveness-kills-loading",
        bundle(
            pods=[
                pod(
                    created=600,
                    containers=[
                        main(
                            "vllm",
                            livenessProbe=probe(
                                port=8000,
                                initialDelaySeconds=15,
                                periodSeconds=10,
                                failureThreshold=3,
                            ),
                            readinessProbe=probe(port=8000),
                        )
                    ],
                    statuses=[
                        status(
                            "vllm", waiting("CrashLoopBackOff"), restarts=6, last=ended(137, ran=75)
                        )
                    ],
                )
            ],
            events=[
                event(
                    "Killing",
                    "Container vllm failed liveness probe, will be restarted",
                    container="vllm",
                    count=6,
                )
            ],
            logs={
                "vllm (previous)": [
                    "INFO 11-20 11:50:00 [x.py:1] Starting to load model meta-llama/Llama-3.1-8B...",
                    "KeyboardInterrupt: terminated",
                ]
            },
        ),
    ),
    case(
        "exec probe times out",
        "probe-too-strict",
        bundle(
            pods=[
                pod(
                    created=90000,
                    ready=4,
                    containers=[
                        main(
                            readinessProbe={
                                "exec": {"command": ["python", "health_check.py"]},
                                "timeoutSeconds": 5,
                                "periodSeconds": 5,
                                "failureThreshold": 2,
                            }
                        )
                    ],
                    statuses=[status("kserve-container", running(80000), ready=True)],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    'Readiness probe failed: command timed out: "python health_check.py" timed out after 5s',
                    container="kserve-container",
                    count=60,
                    first=3000,
                )
            ],
            logs={"gateway": ['"POST /v1/chat/completions HTTP/1.1" 503 UH - 0 ms']},
            metrics=[
                sample("vllm:num_requests_running", 128),
                sample("vllm:num_requests_waiting", 10),
            ],
        ),
    ),
    case(
        "decode sidecar ready before vLLM",
        "not-prepared",
        bundle(
            pods=[
                pod(
                    "chat-kserve-1",
                    created=300,
                    ready=250,
                    containers=[
                        main("main", args=["--port", "8001"]),
                        {"name": "llm-d-routing-sidecar", "readinessProbe": probe(port=8000)},
                    ],
                    statuses=[
                        status("main", running(280), ready=True),
                        status("llm-d-routing-sidecar", running(290), ready=True),
                    ],
                )
            ],
            logs={
                "main": [
                    "INFO 11-20 11:59:40 [x.py:1] Loading safetensors checkpoint shards:  50% Completed | 2/4"
                ],
                "llm-d-routing-sidecar": [
                    "http: proxy error: dial tcp 127.0.0.1:8001: connect: connection refused"
                ],
                "gateway": ['"POST /v1/completions HTTP/1.1" 502 - via_upstream - 1 ms'],
            },
        ),
    ),
    case(
        "errors only in first minutes, tcp readiness",
        "not-prepared",
        bundle(
            pods=[
                pod(
                    created=400,
                    ready=200,
                    containers=[main(readinessProbe={"tcpSocket": {"port": 8080}})],
                    statuses=[status("kserve-container", running(390), ready=True)],
                )
            ],
            logs={
                "client": [
                    f"{at(190)} POST /openai/v1/chat/completions -> 503",
                    f"{at(150)} POST /openai/v1/chat/completions -> 503",
                    f"{at(20)} POST /openai/v1/chat/completions -> 200 (0.8s)",
                ]
            },
        ),
    ),
    case(
        "first request compiles kernels",
        "not-prepared",
        bundle(
            pods=[
                pod(
                    created=500,
                    ready=60,
                    containers=[main("vllm", readinessProbe=probe(port=8000))],
                    statuses=[status("vllm", running(480), ready=True)],
                )
            ],
            logs={
                "vllm": [
                    "INFO:     Application startup complete.",
                    "WARNING 11-20 11:59:30 [jit_monitor.py:1] Triton kernel compiled during inference: _fwd_kernel. This causes a latency spike; consider extending warmup to cover this shape.",
                ],
                "client": [
                    f"{at(25)} POST /v1/chat/completions -> 504 Gateway Timeout (30.0s)",
                    f"{at(5)} POST /v1/chat/completions -> 200 (0.9s)",
                ],
            },
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_probing(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
