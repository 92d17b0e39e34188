"""What slow starts have in common, and when nothing is said."""

import random
from typing import Any

import pytest

from fleet.domain.compare.records import Attribute, Compared
from fleet.domain.compare.slow_set import slow_set
from tests.fleet.domain.compare.made import made


def group(count: int, first: int, around_s: float, **more: Any) -> list[Compared]:
    """Lengths that differ a little."""
    return [made(first + n, total_s=around_s + n / 10, **more) for n in range(count)]


def telling(starts: list[Compared]) -> list[tuple[str, str]]:
    return [(one.attribute.value, one.value) for one in slow_set(starts).telling]


SLOW_NODE = [*group(60, 0, 60.0, node="gpu-1"), *group(20, 100, 120.0, node="gpu-2")]


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        pytest.param([], [], id="nothing known, nothing said"),
        pytest.param(group(80, 0, 60.0), [], id="all alike"),
        pytest.param(SLOW_NODE, [("node", "gpu-2")], id="a slow node"),
        pytest.param(SLOW_NODE[:6] + SLOW_NODE[60:63], [], id="too few to say"),
        pytest.param(
            [*group(60, 0, 60.0), *group(20, 100, 300.0, model_uid="large", node="gpu-2")],
            [],
            id="a large model is slow among others, not among its own",
        ),
        pytest.param(
            [*group(60, 0, 60.0), *group(20, 100, 300.0, start_mode="cold", node="gpu-1")],
            [("start_mode", "cold")],
            id="a full pull shows as start mode and as nothing else",
        ),
        pytest.param(
            [*group(60, 0, 60.0, node=""), *group(20, 100, 120.0, node="")],
            [],
            id="what is not known is nothing in common",
        ),
        pytest.param(
            [*group(60, 0, 60.0, node="gpu-1"), *group(7, 100, 120.0, model_uid="x", node="gpu-2")],
            [],
            id="a kind of seven has no slow ones",
        ),
        pytest.param(
            [*SLOW_NODE, *group(40, 300, 900.0, outcome="failed", node="gpu-3")],
            [("node", "gpu-2")],
            id="failed ones are not slow ones",
        ),
    ],
)
def test_what_is_said(starts: list[Compared], expected: list[tuple[str, str]]) -> None:
    assert telling(starts) == expected


def test_shares_and_lift() -> None:
    starts = [*group(30, 0, 60.0, node="gpu-1"), *group(10, 50, 60.5, node="gpu-2")]
    starts += group(20, 100, 120.0, node="gpu-2")
    found = slow_set(starts)
    one = next(one for one in found.common if one.value == "gpu-2")
    assert (found.n_slow, found.n_rest) == (15, 45)
    assert (one.slow, one.rest, one.share_slow) == (15, 15, 1.0)
    assert one.lift == pytest.approx(3.0)
    assert one.chance < 0.001


def test_chance_alone_is_almost_never_taken_for_a_cause() -> None:
    """50 fleets of 200 starts on ten nodes, three pools and two versions, all alike."""
    said = 0
    for seed in range(50):
        chance = random.Random(seed)
        starts = [
            made(
                n,
                total_s=chance.lognormvariate(4.0, 0.2),
                node=f"gpu-{chance.randrange(10)}",
                node_pool=f"pool-{chance.randrange(3)}",
                engine_version=chance.choice(["0.11.0", "0.12.0"]),
            )
            for n in range(200)
        ]
        said += len(slow_set(starts).telling)
    assert said <= 1


def test_only_the_attributes_asked_for() -> None:
    found = slow_set(SLOW_NODE, [Attribute.TRIGGER])
    assert (found.n_slow, found.common) == (20, ())
