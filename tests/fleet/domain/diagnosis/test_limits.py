# ruff: noqa: E501 - what programs say, as they say it
"""Limits shorter than an answer."""

from typing import Any

import pytest

from tests.fleet.domain.diagnosis.asked import case, holds
from tests.fleet.domain.diagnosis.forms import (
    bundle,
    condition,
    isvc,
    knative,
    main,
    pod,
    running,
    status,
)

WARM = pod(
    created=90_000,
    ready=89_000,
    containers=[main()],
    statuses=[status("kserve-container", running(89_900), ready=True)],
)


CASES = [
    case(
        "long answers end at the route's minute",
        "timeout-shorter-than-request",
        bundle(
            inferenceservice=isvc(condition("Ready")),
            pods=[WARM],
            logs={
                "gateway": [
                    '"POST /v1/chat/completions HTTP/1.1" 504 UT upstream_response_timeout - 60002 ms',
                    '"POST /v1/chat/completions HTTP/1.1" 200 - via_upstream - 31220 ms',
                ]
            },
            config={"gateway_request_timeout_s": 60},
        ),
        remedy="raise-client-or-ingress-timeout",
    ),
    case(
        "nobody knows the limit, all end at 60 s",
        "timeout-shorter-than-request",
        bundle(
            pods=[WARM],
            logs={
                "nginx": [
                    'upstream timed out (110: Connection timed out) while reading response header from upstream, request: "POST /v1/completions HTTP/1.1" 504 rt=60.001',
                    '"POST /v1/completions HTTP/1.1" 504 rt=60.002',
                ]
            },
        ),
    ),
    case(
        "a stream cut at the revision's limit",
        "timeout-shorter-than-request",
        bundle(
            inferenceservice=isvc(condition("Ready"), mode="Knative"),
            revision=knative("Revision", condition("Ready"), spec={"timeoutSeconds": 300}),
            pods=[WARM],
            logs={
                "client": [
                    "HTTP 200, stream cut after 300.0s, no finish_reason, last bytes: request timeout"
                ]
            },
        ),
        remedy="raise-revision-timeout",
    ),
]


@pytest.mark.parametrize(("seen", "cause", "second", "remedy"), CASES)
def test_limits(seen: dict[str, Any], cause: str, second: str, remedy: str) -> None:
    holds(seen, cause, second, remedy)
