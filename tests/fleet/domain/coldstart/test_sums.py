"""Buckets that lengths of starts are counted in."""

import random

import pytest

from fleet.domain.coldstart.remaining import percentile
from fleet.domain.coldstart.sums import (
    BOUNDS_S,
    SHORTEST_S,
    bound_place,
    narrow_percentile,
    narrow_place,
    narrow_s,
)


@pytest.mark.parametrize(
    ("seconds", "place"),
    [
        pytest.param(0.0, 0, id="nothing"),
        pytest.param(1.0, 0, id="a bound belongs to its bucket, as Prometheus' le says"),
        pytest.param(1.001, 1, id="just over a bound"),
        pytest.param(3600.0, len(BOUNDS_S) - 1, id="the last bound"),
        pytest.param(3601.0, len(BOUNDS_S), id="the open bucket"),
    ],
)
def test_fixed_buckets(seconds: float, place: int) -> None:
    assert bound_place(seconds) == place


@pytest.mark.parametrize("seconds", [SHORTEST_S, 0.06, 1.0, 84.0, 600.0, 3600.0, 86400.0])
def test_a_narrow_bucket_stands_for_a_length_within_one_percent(seconds: float) -> None:
    assert narrow_s(narrow_place(seconds)) == pytest.approx(seconds, rel=0.0101)


def test_nothing_has_no_percentile() -> None:
    assert narrow_percentile({}, 0.5) is None


@pytest.mark.parametrize("share", [0.5, 0.95])
@pytest.mark.parametrize("seed", range(5))
def test_percentiles_of_days_added_up_are_those_of_all_lengths(seed: int, share: float) -> None:
    draws = random.Random(seed)
    lengths = [draws.lognormvariate(4.4, 0.5) for _ in range(400)]
    days: list[dict[int, int]] = [{}, {}]
    for number, seconds in enumerate(lengths):
        day, place = days[number % 2], narrow_place(seconds)
        day[place] = day.get(place, 0) + 1
    both = {place: days[0].get(place, 0) + days[1].get(place, 0) for place in {*days[0], *days[1]}}
    exact = percentile(sorted(lengths), share)
    assert narrow_percentile(both, share) == pytest.approx(exact, rel=0.03)
