"""Which start a lost request belongs to."""

from datetime import UTC, datetime, timedelta

import pytest

from fleet.domain.requests.lost import Attempt, lost_to_starts, was_read
from fleet.domain.requests.records import Hop, RequestWindow, Tally

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
QUIET = Tally(requests=0, told=frozenset({Hop.ACTIVATOR}))


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def start(id_: int, began: float, ended: float | None, *, revision: str = "") -> Attempt:
    return Attempt(
        id=id_,
        revision=revision,
        started_at=at(began),
        ended_at=None if ended is None else at(ended),
    )


def lost(seconds: float, count: int, *, revision: str = "") -> RequestWindow:
    tally = Tally(
        requests=count, errors={(Hop.ACTIVATOR, 503): count}, told=frozenset({Hop.ACTIVATOR})
    )
    return RequestWindow(revision=revision, at=at(seconds), tally=tally)


@pytest.mark.parametrize(
    ("starts", "windows", "found"),
    [
        pytest.param([start(1, 0, 90)], [lost(30, 4)], {1: 4}, id="within the start"),
        pytest.param([start(1, 40, 90)], [lost(30, 4)], {1: 4}, id="the window it begins in"),
        pytest.param([start(1, 60, 90)], [lost(30, 4)], {1: 0}, id="just before it"),
        pytest.param([start(1, 0, 45)], [lost(60, 4)], {1: 4}, id="within half a minute after it"),
        pytest.param([start(1, 0, 30)], [lost(60, 4)], {1: 0}, id="later than that"),
        pytest.param([start(1, 0, None)], [lost(900, 4)], {1: 4}, id="it still runs"),
        pytest.param(
            [start(2, 20, 90), start(1, 0, 60)],
            [lost(30, 4), lost(90, 2)],
            {1: 4, 2: 2},
            id="two at once: to the one that began first while it lasts",
        ),
        pytest.param(
            [start(1, 0, 90, revision="a"), start(2, 0, 90, revision="b")],
            [lost(30, 4, revision="b"), lost(60, 3, revision="c")],
            {1: 0, 2: 4},
            id="requests of another revision are not its own",
        ),
        pytest.param(
            [start(1, 0, 90, revision="a")],
            [lost(30, 4)],
            {1: 4},
            id="counts that know no revision may be its own",
        ),
    ],
)
def test_lost_to_starts(
    starts: list[Attempt], windows: list[RequestWindow], found: dict[int, int]
) -> None:
    tallies = lost_to_starts(starts, windows, none=QUIET)
    assert {id_: tally.lost for id_, tally in tallies.items()} == found


def test_nothing_is_counted_twice() -> None:
    starts = [start(n, n * 7, 100 + n * 11) for n in range(6)]
    windows = [lost(30.0 * n, n) for n in range(10)]
    tallies = lost_to_starts(starts, windows, none=QUIET)
    touched = [w for w in windows if any(s.concerns(w) for s in starts)]
    assert sum(t.lost for t in tallies.values()) == sum(w.tally.lost for w in touched)


@pytest.mark.parametrize(
    ("hole", "known"),
    [
        pytest.param((at(-60), at(0)), True, id="before it"),
        pytest.param((at(10), at(40)), False, id="within it"),
        pytest.param((at(100), at(130)), False, id="in the half minute after it"),
        pytest.param((at(120), at(150)), True, id="later"),
    ],
)
def test_what_was_not_read_is_not_known(hole: tuple[datetime, datetime], known: bool) -> None:
    assert was_read(start(1, 0, 90), [hole], until=at(600)) is known
