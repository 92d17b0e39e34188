"""Tallies put together: each request counted once, lower bounds kept."""

import pytest

from fleet.domain.requests.records import Hop, Tally
from fleet.domain.requests.sums import in_front_of, in_turn, is_worth_keeping, side_by_side

A, Q, C, I = Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER, Hop.INGRESS  # noqa: E741
BOTH = frozenset({A, Q})


@pytest.mark.parametrize(
    ("tallies", "whole"),
    [
        pytest.param([], Tally(), id="of nothing, nothing is known"),
        pytest.param(
            [
                Tally(requests=4, errors={(A, 503): 1}, told=BOTH, client_gone=1, in_flight=2.0),
                Tally(requests=6, errors={(A, 503): 2, (Q, 502): 1}, told=BOTH, in_flight=5.0),
            ],
            Tally(
                requests=10,
                errors={(A, 503): 3, (Q, 502): 1},
                told=BOTH,
                client_gone=1,
                in_flight=5.0,
            ),
            id="numbers add up, the depth is the highest",
        ),
        pytest.param(
            [
                Tally(requests=4, errors={(Q, 502): 1}, told=BOTH),
                Tally(requests=6, told=frozenset({A})),
            ],
            Tally(
                requests=10,
                errors={(Q, 502): 1},
                told=frozenset({A}),
                at_least=frozenset({Q}),
            ),
            id="a hop that was not told all the time is a lower bound",
        ),
        pytest.param(
            [Tally(requests=4, told=BOTH), Tally(told=BOTH)],
            Tally(requests=4, told=BOTH, requests_at_least=True),
            id="a window without a number of requests makes it a lower bound",
        ),
        pytest.param(
            [Tally(requests=4, told=BOTH), Tally(queued=3.0)],
            Tally(requests=4, told=BOTH, requests_at_least=True, queued=3.0),
            id="a window that tells a depth alone has no say on hops",
        ),
        pytest.param(
            [Tally(requests=4, told=BOTH, at_least=frozenset({A})), Tally(requests=1, told=BOTH)],
            Tally(requests=5, told=BOTH, at_least=frozenset({A})),
            id="one lower bound makes the sum one",
        ),
    ],
)
def test_in_turn(tallies: list[Tally], whole: Tally) -> None:
    assert in_turn(tallies) == whole


def test_side_by_side_the_depths_add_up() -> None:
    both = side_by_side([Tally(in_flight=2.0, queued=1.0), Tally(in_flight=5.0)])
    assert (both.in_flight, both.queued) == (7.0, 1.0)


def test_what_is_counted_in_front_is_not_counted_again_behind() -> None:
    front = Tally(requests=10, errors={(I, 503): 2}, told=frozenset({I}), client_gone=0)
    behind = Tally(
        requests=8, errors={(C, 500): 1, (I, 503): 9}, told=frozenset({C, I}), in_flight=3.0
    )
    assert in_front_of(front, behind) == Tally(
        requests=10,
        errors={(I, 503): 2, (C, 500): 1},
        told=frozenset({I, C}),
        client_gone=0,
        in_flight=3.0,
    )


def test_a_front_that_counts_no_requests_takes_those_behind() -> None:
    both = in_front_of(Tally(queued=1.0), Tally(requests=8, requests_at_least=True))
    assert (both.requests, both.requests_at_least, both.queued) == (8, True, 1.0)


@pytest.mark.parametrize(
    ("tally", "worth"),
    [
        pytest.param(Tally(), False, id="nothing known"),
        pytest.param(Tally(requests=0, told=BOTH, client_gone=0), False, id="nothing happened"),
        pytest.param(Tally(requests=1), True, id="a request"),
        pytest.param(Tally(requests=0, client_gone=1), True, id="a caller that left"),
        pytest.param(Tally(requests=0, queued=1.0), True, id="a request that waits"),
    ],
)
def test_what_is_worth_keeping(tally: Tally, worth: bool) -> None:
    assert is_worth_keeping(tally) is worth
