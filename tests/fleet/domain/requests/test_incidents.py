"""When errors are an incident, when it is over, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from fleet.domain.requests.incidents import (
    IncidentRules,
    IncidentSpan,
    Reading,
    Unread,
    by_hop,
    incidents,
    model_windows,
)
from fleet.domain.requests.records import Hop, RequestWindow, Tally

T0 = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
RULES = IncidentRules()
TOLD = frozenset({Hop.ACTIVATOR, Hop.CONTAINER})


def at(windows: float) -> datetime:
    """The beginning of the nth window."""
    return T0 + timedelta(seconds=30 * windows)


def window(n: int, requests: int | None, lost: int = 0, *, revision: str = "r1") -> RequestWindow:
    errors = {(Hop.ACTIVATOR, 503): lost} if lost else {}
    tally = Tally(requests=requests, errors=errors, told=TOLD, client_gone=0)
    return RequestWindow(revision=revision, at=at(n), tally=tally)


def reading(
    windows: Sequence[RequestWindow], read_to: float, *, unread: tuple[Unread, ...] = ()
) -> Reading:
    return Reading(windows=model_windows(windows), after=T0, read_to=at(read_to), unread=unread)


def told(spans: Sequence[IncidentSpan]) -> list[tuple[float, float, int, bool]]:
    """From which window until which, requests lost, over?"""
    return [
        (
            (span.started_at - T0).total_seconds() / 30,
            (span.last_error_at - T0).total_seconds() / 30,
            span.tally.lost,
            span.ended,
        )
        for span in spans
    ]


@pytest.mark.parametrize(
    ("counts", "read_to", "found"),
    [
        pytest.param([], 20, [], id="no request, no incident"),
        pytest.param([(0, 5, 0), (1, 5, 0)], 20, [], id="answers alone are none"),
        pytest.param([(0, 1, 1)], 20, [], id="one error of a quiet model is an accident"),
        pytest.param(
            [(0, 2, 2)], 3, [(0, 1, 2, False)], id="two errors of a quiet model begin one"
        ),
        pytest.param(
            [(0, 1, 1), (9, 1, 1)], 11, [(0, 10, 2, False)], id="two errors within five minutes"
        ),
        pytest.param([(0, 1, 1), (10, 1, 1)], 11, [], id="two errors further apart are accidents"),
        pytest.param([(0, 100, 2)], 3, [], id="two errors of a busy model are none"),
        pytest.param(
            [(0, 300, 3)], 3, [(0, 1, 3, False)], id="three errors that are 1 % begin one"
        ),
        pytest.param([(0, 301, 3)], 3, [], id="three errors that are less than 1 % are none"),
        pytest.param([(0, 19, 2)], 3, [(0, 1, 2, False)], id="19 requests are few"),
        pytest.param([(0, 20, 2)], 3, [], id="20 requests are not few"),
        pytest.param(
            [(0, 0, 0), (1, 200, 0), (2, 10, 4)],
            3,
            [(2, 3, 4, False)],
            id="it begins with the first error, not with what it is judged by",
        ),
        pytest.param([(0, None, 2)], 3, [], id="requests not measured: two are too few"),
        pytest.param([(0, None, 3)], 3, [(0, 1, 3, False)], id="requests not measured: three"),
        pytest.param(
            [(0, 1, 3)], 3, [(0, 1, 3, False)], id="errors that no hop counted as requests"
        ),
        pytest.param([(0, 2, 2)], 10.9, [(0, 1, 2, False)], id="goes on until the gap is whole"),
        pytest.param([(0, 2, 2)], 11, [(0, 1, 2, True)], id="over after five minutes without"),
        pytest.param(
            [(0, 2, 2), (8, 3, 2)], 12, [(0, 9, 4, False)], id="near windows are one incident"
        ),
        pytest.param(
            [(0, 2, 2), (4, 9, 0), (8, 3, 2)], 12, [(0, 9, 4, False)], id="answers do not part it"
        ),
        pytest.param(
            [(0, 2, 2), (11, 3, 2)],
            13,
            [(0, 1, 2, True), (11, 12, 2, False)],
            id="five minutes without part two",
        ),
        pytest.param(
            [(0, 2, 2), (12, 5, 2), (40, 9, 0)],
            40,
            [(0, 1, 2, True), (12, 13, 2, True)],
            id="two that are both over",
        ),
        pytest.param(
            [(0, 100, 50), (4, 1000, 1), (12, 1000, 1)],
            15,
            [(0, 5, 51, True)],
            id="a trickle below the share does not keep it open",
        ),
        pytest.param(
            [(0, 100, 50), (2, 1000, 0), (4, 1000, 1), (6, 500, 40)],
            7,
            [(0, 7, 91, False)],
            id="a trickle between errors is counted",
        ),
    ],
)
def test_windows_make_incidents(
    counts: list[tuple[int, int | None, int]],
    read_to: float,
    found: list[tuple[float, float, int, bool]],
) -> None:
    windows = [window(*each) for each in counts]
    assert told(incidents(None, reading(windows, read_to), RULES)) == found


STORY = [
    *(window(n, 40, 0) for n in range(12)),
    *(window(n, 30, 6) for n in range(12, 20)),
    window(26, 4, 2),
    *(window(n, 40, 0) for n in range(30, 44)),
    *(window(n, 2, 2) for n in range(44, 47)),
    window(60, 1, 0),
]


def stepped(steps: Sequence[float], *, twice: bool = False) -> list[tuple[float, float, int, bool]]:
    """The story as a sampler reads it: step by step, carrying what goes on."""
    kept: dict[datetime, IncidentSpan] = {}
    going_on: IncidentSpan | None = None
    for since, until in pairwise(steps):
        for _ in range(2 if twice else 1):
            ended = [span.last_error_at for span in kept.values() if span.ended]
            after = max(ended, default=T0)
            back = [w for w in STORY if at(since - 10) <= w.at < at(until)]
            seen = Reading(windows=model_windows(back), after=after, read_to=at(until))
            found = incidents(going_on, seen, RULES)
            kept |= {span.started_at: span for span in found}
            going_on = next((span for span in found if not span.ended), None)
    return told(sorted(kept.values(), key=lambda span: span.started_at))


WHOLE = [(12, 27, 50, True), (44, 47, 6, True)]


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([0, 70], id="all at once"),
        pytest.param(list(range(71)), id="window by window"),
        pytest.param([*range(0, 70, 3), 70], id="three windows a step"),
        pytest.param([0, 13, 25, 26, 45, 70], id="uneven steps"),
    ],
)
@pytest.mark.parametrize("twice", [False, True], ids=["once", "each step twice"])
def test_steps_lead_to_the_same_incidents(steps: list[float], twice: bool) -> None:  # noqa: FBT001
    assert stepped(steps, twice=twice) == WHOLE


def test_time_that_was_not_read_does_not_end_an_incident() -> None:
    begun = incidents(None, reading([window(0, 2, 2)], 2), RULES)[-1]
    hole = Unread(since=at(2), until=at(62))
    later = incidents(begun, reading([window(62, 3, 0)], 63, unread=(hole,)), RULES)[-1]
    assert not later.ended
    assert later.unread == (hole,)
    assert later.quiet(until=at(63)) == timedelta(seconds=60)
    end = incidents(later, reading([], 71, unread=(hole,)), RULES)[-1]
    assert (end.ended, end.last_error_at, end.unread) == (True, at(1), (hole,))
    assert not end.at_least, "the hole lies after its newest error"


def test_errors_on_both_sides_of_a_hole_are_one_incident_and_a_lower_bound() -> None:
    hole = Unread(since=at(2), until=at(62))
    begun = incidents(None, reading([window(0, 2, 2)], 2), RULES)[-1]
    went_on = incidents(begun, reading([window(63, 4, 4)], 64, unread=(hole,)), RULES)
    assert told(went_on) == [(0, 64, 6, False)]
    assert went_on[0].at_least


def test_revisions_are_added_up_and_those_with_errors_named() -> None:
    windows = [
        window(0, 10, 1, revision="r1"),
        window(0, 5, 1, revision="r2"),
        window(0, 3, 0, revision="r3"),
    ]
    (span,) = incidents(None, reading(windows, 1), RULES)
    assert span.tally.requests == 18
    assert span.tally.lost == 2
    assert span.revisions == {"r1", "r2"}


def test_callers_that_left_never_count() -> None:
    gone = Tally(requests=9, told=TOLD, client_gone=9, broken=4, cut=3)
    windows = [RequestWindow(revision="r1", at=at(n), tally=gone) for n in range(4)]
    assert incidents(None, reading(windows, 4), RULES) == ()


def test_hops_are_zero_where_they_can_be_told_and_unknown_elsewhere() -> None:
    (span,) = incidents(None, reading([window(0, 4, 4)], 1), RULES)
    assert by_hop(span.tally) == {
        "ingress": None,
        "endpoint-picker": None,
        "activator": 4,
        "queue-proxy": None,
        "container": 0,
    }


def test_a_lower_bound_stays_one() -> None:
    tally = Tally(
        requests=2, errors={(Hop.INGRESS, 503): 2}, told=TOLD, at_least=frozenset({Hop.INGRESS})
    )
    (span,) = incidents(None, reading([RequestWindow(revision="", at=T0, tally=tally)], 1), RULES)
    assert span.at_least
    assert span.revisions == frozenset()
