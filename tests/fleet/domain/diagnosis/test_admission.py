# ruff: noqa: E501 - what programs say, as they say it
"""Pods that are never made."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
    event,
    isvc,
)

CASES = [
    case(
        "a quota holds pods back",
        "admission-blocked",
        bundle(
            inferenceservice=isvc(condition("PredictorReady", "False", "FailedCreate")),
            pods=[],
            events=[
                event(
                    "FailedCreate",
                    'Error creating: pods "chat-predictor-1" is forbidden: exceeded quota: gpu-quota, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=4, limited: requests.nvidia.com/gpu=4',
                    about="ReplicaSet/chat-predictor-6c8d9f7b5",
                    count=12,
                )
            ],
        ),
        remedy="raise-quota",
    ),
    case(
        "KServe's webhook does not answer",
        "admission-blocked",
        bundle(
            inferenceservice=isvc(),
            pods=[],
            events=[
                event(
                    "FailedCreate",
                    'Error creating: Internal error occurred: failed calling webhook "inferenceservice.kserve-webhook-server.pod-mutator": failed to call webhook: Post "https://kserve-webhook-server-service.kserve.svc:443/mutate-pods?timeout=10s": x509: certificate has expired or is not yet valid',
                    about="ReplicaSet/chat-predictor-6c8d9f7b5",
                )
            ],
        ),
        remedy="fix-admission-webhook",
    ),
    case(
        "pod security refuses",
        "admission-blocked",
        bundle(
            pods=[],
            events=[
                event(
                    "FailedCreate",
                    'Error creating: pods "chat-1" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
                    about="ReplicaSet/chat",
                )
            ],
        ),
    ),
    case(
        "a preset of the LLM service is missing",
        "admission-blocked",
        bundle(
            llminferenceservice={
                "kind": "LLMInferenceService",
                "metadata": {"name": "chat", "namespace": "chat"},
                "status": {
                    "conditions": [
                        condition(
                            "PresetsCombined",
                            "False",
                            "ConfigNotFound",
                            'LLMInferenceServiceConfig "kserve-config-llm-template" not found',
                        ),
                        condition("Ready", "False", "ConfigNotFound"),
                    ]
                },
            },
            pods=[],
        ),
    ),
    case(
        "no runtime for the format",
        "admission-blocked",
        bundle(
            inferenceservice=isvc(
                condition("Ready", "Unknown"),
                status={
                    "modelStatus": {
                        "transitionStatus": "InvalidSpec",
                        "lastFailureInfo": {
                            "reason": "RuntimeNotRecognized",
                            "message": "Specified runtime name not recognized",
                        },
                    }
                },
            ),
            pods=[],
        ),
        remedy="fix-runtime-selection",
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_admission(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
