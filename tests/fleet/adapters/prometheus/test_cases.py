"""Recorded pages of real Knative programs, one kind of failure each: who answered, and how often.

The recordings say what callers got; some say what else metrics alone cannot rule out.
"""

from collections import Counter
from typing import Any

import pytest

from fleet.domain.requests.records import Hop, Tally
from tests.fleet.adapters.prometheus import cases

GONE = "client"


@pytest.mark.parametrize("name", cases.names())
def test_each_5xx_is_counted_once_at_the_hop_that_made_it(name: str) -> None:
    found = merged(name)
    wanted = cases.recorded(name)["expected"]
    assert errors_of(found) in (errors_wanted(wanted), errors_fair(wanted))


@pytest.mark.parametrize("name", cases.names())
def test_callers_that_left_are_counted_apart(name: str) -> None:
    found = merged(name)
    wanted = cases.recorded(name)["expected"]
    left = sum(each["count"] for each in wanted if each["hop"] == GONE)
    fair = sum(each["count"] for each in wanted if each["hop"] == GONE and "also_fair" in each)
    assert left - fair <= (found.client_gone or 0) + (found.broken or 0) <= left


@pytest.mark.parametrize("name", cases.names())
def test_streams_that_a_time_out_cut_are_no_server_errors(name: str) -> None:
    wanted = cases.recorded(name)["expected"]
    cut = sum(each["count"] for each in wanted if each.get("kind") == "stream cut")
    assert (merged(name).cut or 0) == cut


@pytest.mark.parametrize("name", cases.names())
def test_every_call_is_a_request_once(name: str) -> None:
    case = cases.recorded(name)
    calls = [call for call in case["client"] if call["status"] not in (404,)]
    if name == "autoscaler-away":
        calls = calls[:1]
    assert merged(name).requests == len(calls)


def test_a_stream_that_ends_unfinished_is_not_laid_at_the_model() -> None:
    found = merged("direct-sse-client-cancel")
    assert (found.broken, found.lost) == (2, 0)


def merged(name: str) -> Tally:
    """All revisions of a case together: only one has calls."""
    found = list(cases.tallies_of_case(name).values()) or [Tally(requests=0)]
    assert len(found) == 1
    return found[0]


def errors_of(tally: Tally) -> dict[tuple[Hop, int], int]:
    return dict(tally.errors)


def errors_wanted(expected: list[dict[str, Any]]) -> dict[tuple[Hop, int], int]:
    counts: Counter[tuple[Hop, int]] = Counter()
    for each in expected:
        if each["code"] >= 500:
            counts[Hop(each["hop"]), each["code"]] += each["count"]
    return dict(counts)


def errors_fair(expected: list[dict[str, Any]]) -> dict[tuple[Hop, int], int]:
    """Where the recording allows another reading: "hop code: why" or "hop: why"."""
    counts: Counter[tuple[Hop, int]] = Counter()
    for each in expected:
        words = str(each.get("also_fair", "")).partition(":")[0].split()
        hop = words[0] if words else each["hop"]
        code = int(words[1]) if len(words) > 1 and words[1].isdigit() else each["code"]
        if code >= 500:
            counts[Hop(hop), code] += each["count"]
    return dict(counts)
