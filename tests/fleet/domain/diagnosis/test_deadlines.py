# ruff: noqa: E501 - what programs say, as they say it
"""Starts that a deadline ended."""

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
    status,
    waiting,
)


def init_fails(*lines: str, last: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    loop = status(
        "storage-initializer", waiting("CrashLoopBackOff"), restarts=5, last=last or ended(1)
    )
    held = status("kserve-container", waiting("PodInitializing"))
    return bundle(
        inferenceservice=isvc(condition("Ready", "False", "MinimumReplicasUnavailable")),
        pods=[pod(inits=[loop], statuses=[held], phase="Pending", **more)],
        logs={"storage-initializer (previous)": list(lines)},
    )


CASES = [
    case(
        "the deadline ended an advancing load",
        "progress-deadline-exceeded",
        bundle(
            inferenceservice=isvc(condition("Ready", "False", "RevisionFailed"), mode="Knative"),
            revision=knative(
                "Revision",
                condition(
                    "Ready", "False", "ProgressDeadlineExceeded", "Initial scale was never achieved"
                ),
            ),
            pods=[
                pod(
                    created=640,
                    containers=[main()],
                    statuses=[status("kserve-container", running(500))],
                )
            ],
            logs={
                "kserve-container": ["Loading safetensors checkpoint shards:  60% Completed | 6/10"]
            },
        ),
        remedy="raise-progress-deadline",
    ),
    case(
        "the Deployment of an LLM service is called failed at ten minutes",
        "progress-deadline-exceeded",
        bundle(
            deployment={
                "kind": "Deployment",
                "metadata": {"name": "chat-kserve", "namespace": "chat"},
                "spec": {"progressDeadlineSeconds": 600},
                "status": {
                    "conditions": [
                        condition(
                            "Progressing",
                            "False",
                            "ProgressDeadlineExceeded",
                            'ReplicaSet "chat-kserve-6c8d9f7b5" has timed out progressing.',
                        )
                    ]
                },
            },
            pods=[
                pod(
                    created=700,
                    containers=[
                        main("main", startupProbe=probe(periodSeconds=10, failureThreshold=180))
                    ],
                    statuses=[status("main", running(650))],
                )
            ],
            logs={
                "main": [
                    "Loading safetensors checkpoint shards:  50% Completed | 8/16 [08:02<08:00, 60.1s/it]"
                ]
            },
        ),
    ),
    case(
        "scaled to zero at the deadline, nothing else is known",
        "progress-deadline-exceeded",
        bundle(
            revision=knative("Revision", condition("Ready", "False", "Deploying"), created=660),
            pods=[],
            events=[
                event(
                    "ScalingReplicaSet",
                    "Scaled down replica set chat-predictor-00001-deployment-6c8 from 1 to 0",
                    ago=30,
                    about="Deployment/chat-predictor-00001-deployment",
                )
            ],
            config={"progress_deadline_s": 600},
        ),
    ),
    case(
        "what ended it is the missing bucket, not the deadline",
        "model-download-failed",
        init_fails("NoSuchBucket: The specified bucket does not exist")
        | {
            "revision": knative(
                "Revision",
                condition(
                    "Ready", "False", "ProgressDeadlineExceeded", "Initial scale was never achieved"
                ),
            )
        },
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_deadlines(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
