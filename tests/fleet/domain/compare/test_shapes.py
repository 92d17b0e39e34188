"""Ghost, spread, and lengths over time."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest

from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.ghost import ghost
from fleet.domain.compare.over_time import bucket_for, first_seen, over_time
from fleet.domain.compare.records import Attribute, Compared
from fleet.domain.compare.spread import Spread, spreads
from tests.fleet.domain.compare.made import EPOCH, MODE, made, phased


def some(count: int, first: int = 1, **changes: Any) -> list[Compared]:
    return [made(first + n, total_s=10.0 + n, **changes) for n in range(count)]


def test_the_ghost_is_the_median_of_the_last_twenty() -> None:
    slow = [phased(n, {"load-engine": 90.0}) for n in range(20)]
    usual = [phased(50 + n, {"fetch-model": 5.0, "load-engine": 40.0 + n}) for n in range(20)]
    found = ghost(made(999), [*slow, *usual])
    assert found is not None
    assert (found.n, found.total_s) == (20, 54.5)
    assert [(p.phase, p.p50_s) for p in found.phases] == [
        (Phase.FETCH_MODEL, 5.0),
        (Phase.LOAD_ENGINE, 49.5),
    ]
    assert found.since == EPOCH + timedelta(hours=50)


def test_a_phase_that_most_do_not_pass_is_no_part_of_it() -> None:
    starts = [phased(n, {"load-engine": 40.0}) for n in range(4)]
    starts += [phased(9 + n, {"provision-node": 90.0, "load-engine": 40.0}) for n in range(3)]
    found = ghost(made(999), starts)
    assert found is not None
    assert [p.phase for p in found.phases] == [Phase.LOAD_ENGINE]


@pytest.mark.parametrize(
    "pool",
    [
        pytest.param(some(4), id="four are too few"),
        pytest.param(some(9, start_mode="cold"), id="another start mode"),
        pytest.param(some(9, model_uid="other"), id="another model is no ghost of this one"),
    ],
)
def test_no_ghost(pool: list[Compared]) -> None:
    assert ghost(made(999), pool) is None


def one_spread(starts: Iterable[Compared]) -> Spread:
    """Of starts of one revision."""
    (found,) = spreads(starts, Attribute.REVISION, mode=MODE)
    return found


def test_dots_under_twenty() -> None:
    found = one_spread(reversed(some(19)))
    assert [dot.total_s for dot in found.dots] == [10.0 + n for n in range(19)]
    assert (found.ecdf, found.box) == ((), None)


def test_a_curve_and_a_box_from_twenty_on() -> None:
    found = one_spread(some(21))
    assert found.box is not None
    assert (found.dots, len(found.ecdf)) == ((), 21)
    assert (found.ecdf[0], found.ecdf[-1]) == ((10.0, 1 / 21), (30.0, 1.0))
    assert (found.box.p5_s, found.box.p50_s, found.box.p95_s) == (11.0, 20.0, 29.0)


def test_a_curve_of_many_is_thinned_and_still_ends_at_all() -> None:
    found = one_spread(some(1001))
    assert len(found.ecdf) <= 201
    assert found.ecdf[-1] == (1010.0, 1.0)


def test_one_spread_for_each_value_the_newest_first() -> None:
    starts = [*some(3, revision="a"), *some(2, 50, revision="b"), *some(9, 70, start_mode="cold")]
    found = spreads(starts, Attribute.REVISION, mode=MODE)
    assert [(one.value, one.n) for one in found] == [("b", 2), ("a", 3)]


def test_nothing_to_spread() -> None:
    assert spreads(some(9, outcome="failed"), Attribute.REVISION, mode=MODE) == ()


@pytest.mark.parametrize(
    ("span", "bucket"),
    [
        pytest.param(timedelta(hours=6), timedelta(hours=1), id="hours of a day"),
        pytest.param(timedelta(days=7), timedelta(hours=6), id="quarters of a day of a week"),
        pytest.param(timedelta(days=90), timedelta(days=1), id="days of a quarter"),
    ],
)
def test_buckets_by_span(span: timedelta, bucket: timedelta) -> None:
    assert bucket_for(span) == bucket


def day(starts: list[Compared]) -> Any:
    return over_time(starts, mode=MODE, since=EPOCH, until=EPOCH + timedelta(days=1))


@pytest.mark.parametrize(
    ("count", "p50_s", "p95_s"),
    [
        pytest.param(4, None, None, id="four give no figure"),
        pytest.param(5, 60.0, None, id="five give a median"),
        pytest.param(20, 60.0, 60.0, id="twenty give both"),
    ],
)
def test_figures_of_a_bucket(count: int, p50_s: float | None, p95_s: float | None) -> None:
    at = EPOCH + timedelta(hours=3)
    starts = [made(n, started_at=at + timedelta(minutes=n)) for n in range(count)]
    [bucket] = day(starts).buckets
    assert (bucket.at, bucket.n, bucket.p50_s, bucket.p95_s) == (at, count, p50_s, p95_s)


def test_only_starts_of_the_mode_and_of_the_time_make_buckets() -> None:
    found = day([*some(1, 24), *some(1, 30), *some(3, 2, start_mode="cold")])
    assert (found.buckets, found.bucket) == ((), timedelta(hours=1))


def test_marks_say_what_is_new_of_a_model() -> None:
    starts = [
        made(1, revision="a", image_digest="x"),
        made(2, revision="b", image_digest="x", outcome="failed"),
        made(3, revision="a", image_digest="y"),
        made(4, revision="b", image_digest=""),
        made(5, revision="z", model_uid="other"),
    ]
    assert [(mark.start_id, mark.attribute, mark.value) for mark in first_seen(starts)] == [
        (2, Attribute.REVISION, "b"),
        (3, Attribute.IMAGE_DIGEST, "y"),
    ]


def test_what_was_there_before_is_not_new_within() -> None:
    before = made(-5, revision="a")
    found = day([before, made(3, revision="a"), made(4, revision="b")])
    assert [mark.value for mark in found.marks] == ["b"]
