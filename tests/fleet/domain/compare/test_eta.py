"""What remains of a start, and how often that is right."""

import random
from itertools import accumulate

import pytest

from fleet.domain.compare.eta import Progress, Remains, remains
from fleet.domain.compare.records import Compared
from tests.fleet.domain.compare.made import drawn, made, phased

TWO = {"fetch-model": 20.0, "load-engine": 40.0}


def alike(count: int, phases_s: dict[str, float] = TWO) -> list[Compared]:
    return [phased(n, phases_s) for n in range(count)]


@pytest.mark.parametrize(
    ("progress", "starts", "left"),
    [
        pytest.param(Progress(elapsed_s=1.0), [], Remains(), id="nothing to compare with"),
        pytest.param(
            Progress(elapsed_s=5.0, phase="fetch-model", in_phase_s=5.0),
            alike(5),
            Remains(p50_s=55.0, p95_s=55.5),
            id="the rest of this phase and what follows",
        ),
        pytest.param(
            Progress(elapsed_s=300.0, phase="load-engine", in_phase_s=10.0),
            alike(5),
            Remains(p50_s=30.0, p95_s=30.5),
            id="what was lost earlier does not shorten what follows",
        ),
        pytest.param(
            Progress(elapsed_s=20.0),
            alike(5),
            Remains(p50_s=40.0, p95_s=40.5),
            id="without a phase its age counts",
        ),
        pytest.param(
            Progress(elapsed_s=20.0, phase="unexplained", in_phase_s=20.0),
            alike(5),
            Remains(p50_s=40.0, p95_s=40.5),
            id="nor does an unexplained one say where it is",
        ),
        pytest.param(
            Progress(elapsed_s=99.0, phase="load-engine", in_phase_s=41.0),
            alike(5),
            Remains(),
            id="longer than any of few",
        ),
        pytest.param(
            Progress(elapsed_s=2.0, phase="fetch-model", in_phase_s=2.0),
            alike(5, {"fetch-model": 3.0, "unexplained": 4.0, "become-ready": 5.0}),
            Remains(p50_s=10.0, p95_s=10.5),
            id="what nothing explained counts where it came after",
        ),
        pytest.param(
            Progress(elapsed_s=2.0, phase="load-engine", in_phase_s=2.0),
            alike(5, {"unexplained": 4.0, "load-engine": 5.0, "route": 7.0}),
            Remains(p50_s=3.0, p95_s=3.5),
            id="not what came before, nor what comes after ready",
        ),
    ],
)
def test_remains(progress: Progress, starts: list[Compared], left: Remains) -> None:
    assert remains(progress, starts) == left


def test_a_start_a_little_slower_than_all_others_still_has_an_end_in_sight() -> None:
    chance = random.Random(5)
    starts = [drawn(n, chance) for n in range(20)]
    longest = max(start.phases_s["load-engine"] for start in starts)
    now = Progress(elapsed_s=99.0, phase="load-engine", in_phase_s=longest + 2.0)
    left = remains(now, starts)
    assert left.p50_s is not None
    assert 0.0 < left.p50_s < 30.0


def test_what_is_beyond_all_measure_has_none() -> None:
    starts = [drawn(n, random.Random(n)) for n in range(20)]
    now = Progress(elapsed_s=999.0, phase="load-engine", in_phase_s=900.0)
    assert remains(now, starts) == Remains()


def where(start: Compared, elapsed_s: float) -> Progress:
    """Where the start was at that age."""
    ends = list(accumulate(start.phases_s.values()))
    place = next(n for n, end in enumerate(ends) if end > elapsed_s)
    began = ends[place - 1] if place else 0.0
    return Progress(
        elapsed_s=elapsed_s, phase=list(start.phases_s)[place], in_phase_s=elapsed_s - began
    )


@pytest.mark.parametrize("seen", [20, 40])
def test_nine_of_ten_true_ends_are_under_the_95th_percentile(seen: int) -> None:
    """After 20 starts, at nine moments of each of 60 more; and the span is no wider than 0.6 of
    the middle."""
    chance = random.Random(seen)
    under, spans = [], []
    for _ in range(60):
        *before, now = (drawn(n, chance) for n in range(seen + 1))
        for tenth in range(1, 10):
            elapsed_s = (now.total_s or 0.0) * tenth / 10
            left = remains(where(now, elapsed_s), before)
            if left.p50_s and left.p95_s is not None:
                under.append((now.total_s or 0.0) - elapsed_s <= left.p95_s)
                spans.append((left.p95_s - left.p50_s) / left.p50_s)
    assert len(under) > 500
    assert sum(under) / len(under) >= 0.9
    assert sorted(spans)[len(spans) // 2] <= 0.6


@pytest.mark.parametrize("seed", range(20))
def test_the_middle_is_never_above_the_95th_percentile_nor_below_nothing(seed: int) -> None:
    chance = random.Random(seed)
    starts = [drawn(n, chance) for n in range(30)]
    for phase in ("fetch-model", "load-engine"):
        for spent_s in range(0, 90, 3):
            left = remains(Progress(elapsed_s=99.0, phase=phase, in_phase_s=spent_s), starts)
            assert left == Remains() or 0.0 <= (left.p50_s or 0.0) <= (left.p95_s or 0.0)


def test_a_start_of_no_known_length_is_of_no_use() -> None:
    assert remains(Progress(elapsed_s=1.0), [made(1, total_s=None)]) == Remains()
