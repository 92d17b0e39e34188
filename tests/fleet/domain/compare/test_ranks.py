"""Rank tests against values worked out by hand or by counting all cases."""

import random
from itertools import combinations

import pytest

from fleet.domain.compare.numbers import expected_below
from fleet.domain.compare.ranks import fisher_p, holm, mann_whitney_p, shift

LOW = [float(n) for n in range(1, 9)]
HIGH = [float(n) for n in range(11, 19)]


@pytest.mark.parametrize(
    ("one", "other", "chance"),
    [
        # z = (32 - 0.5) / sqrt(8 * 8 * 17 / 12)
        pytest.param(LOW, HIGH, 0.00094, id="wholly apart"),
        pytest.param(HIGH, LOW, 0.00094, id="either way round"),
        pytest.param(LOW, LOW, 1.0, id="the same values"),
        pytest.param([5.0] * 8, [5.0] * 9, 1.0, id="all alike"),
        # u = 16, sum of t^3 - t = 2 * 504: z = 15.5 / sqrt(64 / 12 * (17 - 1008 / 240))
        pytest.param([1.0] * 6 + [2.0] * 2, [1.0] * 2 + [2.0] * 6, 0.0606, id="with many ties"),
    ],
)
def test_mann_whitney(one: list[float], other: list[float], chance: float) -> None:
    assert mann_whitney_p(one, other) == pytest.approx(chance, abs=0.0005)


@pytest.mark.parametrize("seed", range(5))
def test_mann_whitney_is_near_the_exact_one(seed: int) -> None:
    """All 12,870 ways to deal 16 ranks to two sides of eight."""
    chance = random.Random(seed)
    values = chance.sample(range(100), 16)
    one, other = values[:8], values[8:]
    ranks = {value: rank for rank, value in enumerate(sorted(values), 1)}
    off = abs(sum(ranks[value] for value in one) - 68)
    ways = [abs(sum(some) - 68) >= off for some in combinations(range(1, 17), 8)]
    exact = sum(ways) / len(ways)
    assert mann_whitney_p([*map(float, one)], [*map(float, other)]) == pytest.approx(
        exact, abs=0.02
    )


@pytest.mark.parametrize(
    ("before", "after", "seconds"),
    [
        pytest.param([1.0], [4.0], 3.0, id="one and one"),
        pytest.param(LOW, HIGH, 10.0, id="moved by ten"),
        pytest.param(HIGH, LOW, -10.0, id="and back"),
        pytest.param([1.0, 2.0, 3.0], [2.0, 3.0, 900.0], 1.0, id="one wild value moves it little"),
    ],
)
def test_shift(before: list[float], after: list[float], seconds: float) -> None:
    assert shift(before, after) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("hits", "drawn", "marked", "total", "chance"),
    [
        pytest.param(0, 5, 5, 20, 1.0, id="no hit is always reached"),
        pytest.param(3, 3, 3, 6, 1 / 20, id="all three of three among six"),
        pytest.param(2, 3, 3, 6, 10 / 20, id="two or three of them"),
        pytest.param(5, 5, 5, 20, 1 / 15504, id="five of five among twenty"),
        pytest.param(3, 5, 20, 20, 1.0, id="all are marked"),
    ],
)
def test_fisher(hits: int, drawn: int, marked: int, total: int, chance: float) -> None:
    assert fisher_p(hits, drawn, marked=marked, total=total) == pytest.approx(chance)


@pytest.mark.parametrize(
    ("chances", "corrected"),
    [
        pytest.param([], [], id="none"),
        pytest.param([0.01], [0.01], id="one needs no correction"),
        pytest.param([0.04, 0.01, 0.03], [0.06, 0.03, 0.06], id="the surest pays most"),
        pytest.param([0.5, 0.9], [1.0, 1.0], id="never above one"),
    ],
)
def test_holm(chances: list[float], corrected: list[float]) -> None:
    assert holm(chances) == pytest.approx(corrected)


@pytest.mark.parametrize(
    ("ordered", "share", "value"),
    [
        pytest.param([7.0], 0.95, 7.0, id="one value"),
        pytest.param([1.0, 2.0, 3.0], 0.5, 2.0, id="the middle is the median"),
        pytest.param([*map(float, range(1, 20))], 0.95, 19.0, id="the largest of nineteen"),
        pytest.param([*map(float, range(1, 40))], 0.95, 38.0, id="the 38th of 39"),
        pytest.param([1.0, 2.0], 0.01, 1.0, id="never under the smallest"),
    ],
)
def test_expected_below(ordered: list[float], share: float, value: float) -> None:
    assert expected_below(ordered, share) == pytest.approx(value)
