"""What is put into a bundle beside a cluster's objects."""

from datetime import timedelta
from typing import Any

import pytest

from fleet.domain.requests.records import Hop, RequestWindow, Tally
from fleet.observe.bundles import samples, seconds_of, whole_bundle
from tests.factories import NOW

HALF = timedelta(seconds=30)


def window(number: int, **tally: Any) -> RequestWindow:
    return RequestWindow(revision="m-00001", at=NOW + number * HALF, tally=Tally(**tally))


def test_what_is_counted_grows_as_a_counter_does() -> None:
    errors = {(Hop.ACTIVATOR, 503): 2}
    found = samples([window(1, requests=5, errors=errors), window(0, requests=10, errors=errors)])
    failed = [each for each in found if each["name"] == "pilotlight_requests_failed"]
    assert [(each["value"], each["t"]) for each in failed] == [
        (0, NOW.isoformat()),
        (2, (NOW + HALF).isoformat()),
        (4, (NOW + 2 * HALF).isoformat()),
    ]
    assert failed[0]["labels"] == {"revision": "m-00001", "hop": "activator", "code": "503"}
    answered = [each["value"] for each in found if each["name"] == "pilotlight_requests_answered"]
    assert answered == [0, 8, 11]


def test_levels_are_told_as_they_are_and_only_where_measured() -> None:
    found = samples([window(0, requests=1, queued=3.0, p95_s=1.5)])
    levels = {each["name"]: each["value"] for each in found if "requests" not in each["name"]}
    assert levels == {"pilotlight_request_queued": 3.0, "pilotlight_request_p95_seconds": 1.5}


def test_a_window_without_errors_tells_of_none() -> None:
    names = {each["name"] for each in samples([window(0, requests=3)])}
    assert names == {"pilotlight_requests_answered"}


def test_limits_of_the_cluster_become_facts() -> None:
    collected = {
        "config": {"observed_at": "now"},
        "configmaps": [
            {
                "metadata": {"name": "config-defaults"},
                "data": {"revision-timeout-seconds": "300", "other": "1"},
            },
            {"metadata": {"name": "config-deployment"}, "data": {"progress-deadline": "10m"}},
        ],
    }
    bundle = whole_bundle(collected, windows=[], start_p95_s=84.04)
    assert bundle["config"] == {
        "observed_at": "now",
        "revision_timeout_s": 300.0,
        "progress_deadline_s": 600.0,
        "observed_pod_start_s": 84.0,
    }
    assert bundle["metrics"] == []


def test_a_limit_that_is_not_said_is_no_fact() -> None:
    assert whole_bundle({}, windows=[], start_p95_s=None)["config"] == {}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("300", 300),
        ("600s", 600),
        ("10m", 600),
        ("1h30m", 5400),
        ("", None),
        ("x", None),
        (3, None),
    ],
)
def test_seconds(text: object, seconds: float | None) -> None:
    assert seconds_of(text) == seconds
