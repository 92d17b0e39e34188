# ruff: noqa: E501 - what programs say, as they say it
"""Replicas that are taken away or stopped."""

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
    running,
    sample,
    status,
)

WARM = pod(
    created=90_000,
    ready=89_000,
    containers=[main()],
    statuses=[status("kserve-container", running(89_900), ready=True)],
)


GONE = {"deletionTimestamp": at(20)}


CASES = [
    case(
        "the spot machine is taken",
        "preemption",
        bundle(
            pods=[
                pod(
                    created=9000,
                    phase="Failed",
                    reason="Terminated",
                    conditions=[
                        condition(
                            "DisruptionTarget",
                            "True",
                            "TerminationByKubelet",
                            "Pod was terminated in response to imminent node shutdown.",
                            ago=60,
                        )
                    ],
                    statuses=[status("kserve-container", ended(137, ago=50))],
                )
            ],
            events=[
                event(
                    "SpotInterruption",
                    "Spot Instance interruption notice received",
                    about="Node/spot-1",
                    ago=90,
                )
            ],
        ),
        remedy="use-non-preemptible-capacity",
    ),
    case(
        "somebody more important needs the place",
        "preemption",
        bundle(
            pods=[
                pod(
                    created=100,
                    refused="0/2 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: not eligible",
                )
            ],
            events=[
                event(
                    "Preempted",
                    "Preempted by pod 7c1 on node gpu-1",
                    ago=110,
                    about="Pod/chat-predictor-6c8d9f7b5-zzzzz",
                    source="default-scheduler",
                )
            ],
        ),
    ),
    case(
        "a node is emptied under the only replica",
        "draining",
        bundle(
            pods=[pod(created=60, statuses=[status("kserve-container", running(50))])],
            events=[
                event(
                    "NodeNotSchedulable",
                    "Node gpu-1 status is now: NodeNotSchedulable",
                    about="Node/gpu-1",
                    ago=80,
                ),
                event(
                    "Killing",
                    "Stopping container kserve-container",
                    ago=70,
                    about="Pod/chat-predictor-6c8d9f7b5-zzzzz",
                ),
            ],
            metrics=[sample("istio_requests_total", 41, response_code="503", response_flags="UH")],
        ),
        remedy="add-disruption-budget",
    ),
    case(
        "a rollout breaks answers in hand",
        "draining",
        bundle(
            pods=[
                WARM,
                pod(
                    "chat-predictor-5b-old",
                    created=90_000,
                    containers=[main()],
                    statuses=[status("kserve-container", running(89_000), ready=True)],
                    meta=GONE,
                ),
            ],
            events=[
                event(
                    "Killing",
                    "Stopping container kserve-container",
                    ago=20,
                    about="Pod/chat-predictor-5b-old",
                )
            ],
            logs={
                "client": [
                    f"{at(18)} POST /v1/chat/completions -> 502 upstream connection reset by peer"
                ]
            },
        ),
        remedy="add-prestop-and-grace",
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_stops(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
