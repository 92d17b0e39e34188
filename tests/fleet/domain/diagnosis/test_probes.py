# ruff: noqa: E501 - what programs say, as they say it
"""Probes in the wrong place, too strict, or killing."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
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


LIVE = main(livenessProbe=probe(initialDelaySeconds=60, periodSeconds=10, failureThreshold=3))


STARTUP = main(
    startupProbe=probe(periodSeconds=10, failureThreshold=30), livenessProbe=probe(periodSeconds=10)
)


REFUSED_8080 = 'probe failed: Get "http://10.0.0.4:8080/health": dial tcp 10.0.0.4:8080: connect: connection refused'


CASES = [
    case(
        "liveness restarts a loading server",
        "liveness-kills-loading",
        crashes(
            "Loading safetensors checkpoint shards:  40% Completed | 4/10",
            code=137,
            container=LIVE,
            ran=95.0,
            events=[
                event(
                    "Unhealthy", f"Liveness {REFUSED_8080}", container="kserve-container", count=12
                ),
                event(
                    "Killing",
                    "Container kserve-container failed liveness probe, will be restarted",
                    container="kserve-container",
                    count=4,
                ),
            ],
        ),
        remedy="add-or-extend-startup-probe",
    ),
    case(
        "liveness kills, without the event, by the clock",
        "liveness-kills-loading",
        crashes(
            "Loading safetensors checkpoint shards:  40% Completed | 4/10",
            code=137,
            container=LIVE,
            ran=118.0,
            events=[
                event(
                    "Unhealthy", f"Liveness {REFUSED_8080}", container="kserve-container", count=12
                )
            ],
        ),
    ),
    case(
        "the startup budget is short",
        "probe-too-strict",
        crashes(
            "Loading safetensors checkpoint shards:  90% Completed | 9/10",
            code=143,
            container=STARTUP,
            ran=330.0,
            events=[
                event(
                    "Killing",
                    "Container kserve-container failed startup probe, will be restarted",
                    container="kserve-container",
                    count=3,
                )
            ],
        ),
        remedy="add-or-extend-startup-probe",
    ),
    case(
        "a startup probe shot a server stuck in NCCL",
        "engine-start-hang",
        bundle(
            pods=[
                pod(
                    created=4000,
                    containers=[STARTUP],
                    statuses=[
                        status(
                            "kserve-container",
                            running(700),
                            restarts=2,
                            last=ended(137, ran=330, ago=710),
                        )
                    ],
                )
            ],
            events=[
                event(
                    "Killing",
                    "Container kserve-container failed startup probe, will be restarted",
                    container="kserve-container",
                    count=2,
                )
            ],
            logs={
                "kserve-container": [
                    "INFO 11-20 11:48:40 [pynccl.py:69] vLLM is using nccl==2.26.2"
                ]
            },
            metrics=[
                sample("DCGM_FI_DEV_FB_USED", 600, ago=500),
                sample("DCGM_FI_DEV_FB_USED", 600, ago=10),
            ],
        ),
    ),
    case(
        "the path is not there",
        "probe-wrong-target",
        loads(
            "INFO:     Application startup complete.",
            ago=400,
            container=main(readinessProbe=probe("/health")),
            events=[
                event(
                    "Unhealthy",
                    "Readiness probe failed: HTTP probe failed with statuscode: 404",
                    container="kserve-container",
                    count=30,
                )
            ],
        ),
        remedy="fix-probe-target",
    ),
    case(
        "the probe has no key",
        "probe-wrong-target",
        loads(
            "INFO:     Application startup complete.",
            'INFO:     10.0.0.1:1 - "GET /v1/models HTTP/1.1" 401 Unauthorized',
            ago=400,
            container=main(startupProbe=probe("/v1/models"), args=["--api-key", "x"]),
            events=[
                event(
                    "Unhealthy",
                    "Startup probe failed: HTTP probe failed with statuscode: 401",
                    container="kserve-container",
                    count=30,
                )
            ],
        ),
    ),
    case(
        "the server listens elsewhere",
        "probe-wrong-target",
        loads(
            "INFO:     Application startup complete.",
            "INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)",
            ago=900,
            container=main(readinessProbe=probe()),
            events=[
                event(
                    "Unhealthy", f"Readiness {REFUSED_8080}", container="kserve-container", count=60
                )
            ],
        ),
    ),
    case(
        "TLS is asked of a plain server",
        "probe-wrong-target",
        loads(
            "INFO:     Application startup complete.",
            ago=400,
            events=[
                event(
                    "Unhealthy",
                    'Readiness probe failed: Get "https://10.0.0.4:8000/health": http: server gave HTTP response to HTTPS client',
                    container="kserve-container",
                    count=20,
                )
            ],
        ),
    ),
    case(
        "curl is not in the image",
        "probe-wrong-target",
        loads(
            "INFO:     Application startup complete.",
            ago=400,
            events=[
                event(
                    "Unhealthy",
                    'Liveness probe errored: rpc error: code = Unknown desc = failed to exec in container: exec: "curl": executable file not found in $PATH: unknown',
                    container="kserve-container",
                    count=20,
                )
            ],
        ),
    ),
    case(
        "a busy server misses a probe of one second",
        "probe-too-strict",
        bundle(
            pods=[
                pod(
                    created=9000,
                    ready=5,
                    containers=[main(readinessProbe=probe(periodSeconds=1, failureThreshold=2))],
                    statuses=[status("kserve-container", running(8000), ready=True)],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    'Readiness probe failed: Get "http://10.0.0.4:8000/health": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
                    container="kserve-container",
                    ago=20,
                    count=40,
                )
            ],
            logs={"gateway": ['"POST /v1/chat/completions HTTP/1.1" 503 UH no_healthy_upstream']},
            metrics=[
                sample("vllm:num_requests_running", 200),
                sample("vllm:num_requests_waiting", 80),
                sample("vllm:kv_cache_usage_perc", 0.97),
            ],
        ),
        second="overload",
        remedy="relax-readiness-probe",
    ),
    case(
        "liveness restarts a busy server",
        "probe-too-strict",
        bundle(
            pods=[
                pod(
                    created=90000,
                    containers=[STARTUP],
                    statuses=[
                        status(
                            "kserve-container",
                            running(40),
                            restarts=5,
                            last=ended(137, ran=9000, ago=42),
                        )
                    ],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    'Liveness probe failed: Get "http://10.0.0.4:8080/health": context deadline exceeded',
                    container="kserve-container",
                    ago=60,
                    count=9,
                ),
                event(
                    "Killing",
                    "Container kserve-container failed liveness probe, will be restarted",
                    container="kserve-container",
                    ago=45,
                    count=5,
                ),
            ],
            logs={
                "kserve-container (previous)": [
                    "INFO:     Application startup complete.",
                    "INFO 11-20 11:58:00 [loggers.py:1] Engine 000: Avg prompt throughput: 9000.0 tokens/s, Avg generation throughput: 2100.1 tokens/s, Running: 250 reqs, Waiting: 31 reqs, GPU KV cache usage: 91.0%",
                ]
            },
        ),
        remedy="relax-liveness-probe",
    ),
    case(
        "refused probes while it loads are as they should be",
        "none",
        loads(
            "INFO 11-20 11:59:10 [x.py:1] Starting to load model /mnt/models...",
            ago=80,
            container=STARTUP,
            events=[
                event("Unhealthy", f"Startup {REFUSED_8080}", container="kserve-container", count=7)
            ],
        ),
    ),
    case(
        "warnings older than Ready",
        "none",
        bundle(
            pods=[
                pod(
                    created=4000,
                    ready=3000,
                    containers=[STARTUP],
                    statuses=[status("kserve-container", running(3300), ready=True)],
                )
            ],
            events=[
                event(
                    "Unhealthy",
                    f"Startup {REFUSED_8080}",
                    container="kserve-container",
                    ago=3050,
                    count=28,
                )
            ],
        ),
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_probes(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
