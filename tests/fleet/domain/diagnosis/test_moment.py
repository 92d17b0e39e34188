# ruff: noqa: E501 - what programs say, as they say it
"""Files without the moment at which they were taken, and what came late or contradicts."""

from typing import Any

import pytest

from fleet.domain.diagnosis.reading.bundle import evidence_from_bundle
from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    at,
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

TIMED_OUT = '"POST /v1/chat/completions HTTP/1.1" 504 UT response_timeout - 15001 ms'
WARM = pod(
    created=9000,
    ready=8700,
    statuses=[status("kserve-container", running(8990), ready=True)],
)
LOADING = pod(created=2400, statuses=[status("kserve-container", running(2390))])
SHARDS = "Loading safetensors checkpoint shards:  26% Completed | 10/38 [30:12<1:24:30, 181.1s/it]"
HPA = "HorizontalPodAutoscaler/chat"


def untold(**parts: Any) -> dict[str, Any]:
    """A bundle as kubectl gives it: nobody wrote down when."""
    return bundle(**parts, config={"observed_at": None, "gateway_request_timeout_s": 15})


def late(name: str) -> dict[str, Any]:
    return pod(
        name,
        created=300,
        ready=180,
        statuses=[status("kserve-container", running(290), ready=True)],
    )


CASES = [
    case(
        "a request without a time is not taken for one of the start that is the file's newest moment",
        "timeout-shorter-than-request",
        untold(pods=[WARM], logs={"gateway": [TIMED_OUT, TIMED_OUT]}),
    ),
    case(
        "nobody knows how old a start is that nothing else tells of",
        "insufficient-evidence",
        untold(pods=[LOADING]),
    ),
    case(
        "a bar of the loader tells how long it has been going on",
        "engine-load-slow",
        untold(pods=[LOADING], logs={"kserve-container": [SHARDS]}),
    ),
    case(
        "replicas that the scaler ordered serve only after requests failed",
        "autoscaler-lag",
        bundle(
            pods=[WARM, late("chat-predictor-6c8d9f7b5-late1")],
            events=[
                event("SuccessfulRescale", "New size: 2; reason: above target", ago=301, about=HPA)
            ],
            logs={"gateway": [f"{at(240)} POST /v1/completions 503 UO overflow"]},
        ),
    ),
    case(
        "a scaler that complains now and then and acts meanwhile is well",
        "none",
        bundle(
            pods=[WARM],
            events=[
                event(
                    "FailedGetExternalMetric",
                    "unable to get external metric",
                    ago=60,
                    first=8000,
                    count=17,
                    about=HPA,
                ),
                event(
                    "SuccessfulRescale",
                    "New size: 1; reason: All metrics below target",
                    ago=600,
                    about=HPA,
                ),
            ],
        ),
    ),
    case(
        "two scalers undo each other's steps",
        "config-conflict",
        bundle(
            events=[
                event(
                    "KEDAScaleTargetActivated",
                    "Scaled apps/v1.Deployment chat/chat from 27 to 50",
                    ago=30,
                    first=1500,
                    count=6,
                    about="ScaledObject/chat",
                ),
                event(
                    "SuccessfulRescale",
                    "New size: 27; reason: Current number of replicas above Spec.MaxReplicas",
                    ago=20,
                    first=1490,
                    count=6,
                    about=HPA,
                ),
            ],
        ),
    ),
    case(
        "a Deployment says that its pods cannot be made",
        "admission-blocked",
        bundle(
            pods=[],
            deployment={
                "kind": "Deployment",
                "metadata": {"name": "chat-predictor", "namespace": "chat"},
                "spec": {"replicas": 1},
                "status": {
                    "conditions": [
                        condition(
                            "ReplicaFailure",
                            "True",
                            "FailedCreate",
                            'failed calling webhook "pod-mutator": no endpoints available for service "kserve-webhook-server-service"',
                        )
                    ]
                },
            },
        ),
    ),
    case(
        "the activator hears a reset from pods that are Ready",
        "mesh-or-network",
        bundle(
            pods=[WARM],
            logs={
                "activator": [
                    '{"message":"Failed probing pods","error":"error roundtripping http://10.0.0.9:8012/healthz: read: connection reset by peer"}'
                ]
            },
        ),
    ),
    case(
        "a long compilation that liveness ended is slow beside it",
        "liveness-kills-loading",
        bundle(
            pods=[
                pod(
                    created=1900,
                    containers=[
                        main(livenessProbe=probe(initialDelaySeconds=800, periodSeconds=10))
                    ],
                    statuses=[
                        status(
                            "kserve-container",
                            running(20),
                            restarts=1,
                            last=ended(137, ran=830, ago=25),
                        )
                    ],
                )
            ],
            events=[
                event(
                    "Killing",
                    "Container kserve-container failed liveness probe, will be restarted",
                    ago=55,
                )
            ],
            logs={
                "kserve-container (previous)": [
                    "INFO [backends.py:319] Compiling a graph for compile range (1, 8000) takes 642.43 s"
                ]
            },
        ),
        second="engine-load-slow",
    ),
    case(
        "a spot machine is taken and no other is to be had",
        "preemption",
        bundle(
            pods=[
                pod(created=600, refused="0/6 nodes are available: 6 Insufficient nvidia.com/gpu.")
            ],
            events=[
                event(
                    "SpotInterrupted",
                    "Spot interruption warning was triggered",
                    ago=700,
                    about="Node/spot-1",
                    source="karpenter",
                )
            ],
        ),
        second="unschedulable-gpu",
    ),
    case(
        "a wake whose container ends again and again is no mere wait",
        "insufficient-evidence",
        bundle(
            podautoscaler=knative(
                "PodAutoscaler",
                condition("Active", "Unknown", "Queued", ago=500),
                status={"desiredScale": 1, "actualScale": 0},
            ),
            pods=[
                pod(
                    created=500,
                    statuses=[
                        status(
                            "kserve-container",
                            waiting("CrashLoopBackOff"),
                            restarts=4,
                            last=ended(1),
                        )
                    ],
                )
            ],
            metrics=[sample("kn_revision_request_queued", 9)],
        ),
        remedy="collect-more-evidence",
    ),
    case(
        "the last words of a container stand on the service",
        "crash-loop-config",
        bundle(
            inferenceservice=isvc(
                condition(
                    "PredictorReady",
                    "False",
                    "RevisionFailed",
                    "Container failed with: ValueError: model type `new` but Transformers does not recognize this architecture",
                ),
            )
        ),
    ),
    case(
        "a gateway keeps an empty pool while pods are Ready",
        "routing-misconfigured",
        bundle(
            pods=[WARM],
            logs={
                "gateway-controller": [
                    '{"level":"error","error":"no endpoints found for InferencePool chat/chat"}'
                ],
                "client": ["HTTP/1.1 500 Internal Server Error"],
            },
        ),
    ),
    case(
        "the bar of a file shows that the engine downloads",
        "model-download-slow",
        bundle(
            pods=[pod(created=760, statuses=[status("kserve-container", running(750))])],
            logs={
                "kserve-container": [
                    "model-00010-of-00030.safetensors:  33%|###3      | 1.64G/4.97G [04:10<08:30, 6.52MB/s]"
                ]
            },
            metrics=[sample("up", 1)],
        ),
    ),
]


@pytest.mark.parametrize(("evidence", "cause", "second", "remedy"), CASES)
def test_what_is_said_of(evidence: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(evidence, cause, second, remedy)


def test_a_pod_that_is_ready_since_nobody_knows_when_is_not_starting() -> None:
    warm = pod(created=9000, ready=8700)
    for each in warm["status"]["conditions"]:
        del each["lastTransitionTime"]
    holds(bundle(pods=[warm], logs={"gateway": [TIMED_OUT]}), "insufficient-evidence", "", "")


def test_a_balancer_tells_no_length_of_what_its_limit_ended() -> None:
    line = '0.001 -1 -1 504 - 900 200 "POST https://chat.example.com:443/v1/completions HTTP/2.0"'
    seen = bundle(pods=[WARM], logs={"alb": [line]}, config={"alb_idle_timeout_s": 60})
    holds(seen, "timeout-shorter-than-request", "", "raise-client-or-ingress-timeout")


def test_the_newest_moment_of_all_is_taken_for_now() -> None:
    seen = evidence_from_bundle(untold(pods=[LOADING], logs={"a": [f"{at(60)} a line"]}))
    assert not seen.moment_told
    assert seen.observed_at.isoformat() == at(60).replace("Z", "+00:00")
