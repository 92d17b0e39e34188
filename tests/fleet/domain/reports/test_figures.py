"""What a tally says."""

from collections.abc import Sequence
from typing import Any

import pytest

from fleet.domain.reports.figures import Figures, figures_of
from fleet.domain.reports.tally import CountedStart, Tally, summed
from tests.fleet.domain.reports.made import failed, start, tally

PARTIAL = start(None, outcome="partial")
RUNNING = start(30.0, outcome="running")
ABORTED = start(30.0, outcome="aborted")


@pytest.mark.parametrize(
    ("starts", "says"),
    [
        pytest.param([], {"starts": 0, "p50_s": None, "longest_s": None, "waited_s": 0}, id="none"),
        pytest.param([start()] * 4, {"starts": 4, "p50_s": None}, id="four are too few for p50"),
        pytest.param([start()] * 5, {"p50_s": 60.0, "p95_s": None}, id="five tell p50, not p95"),
        pytest.param(
            [start(float(n)) for n in range(1, 21)],
            {"p50_s": 10.5, "p95_s": 19.05, "longest_s": 20.0, "waited_s": 210.0},
            id="twenty tell both",
        ),
        pytest.param(
            [start()] * 5 + [failed(600.0)],
            {"starts": 6, "failed": 1, "p50_s": 60.0, "waited_s": 900.0, "failed_s": 600.0},
            id="a failed start is waited for, and no percentile",
        ),
        pytest.param(
            [PARTIAL, RUNNING, ABORTED],
            {"starts": 3, "partial": 1, "running": 1, "aborted": 1, "measured": 0, "waited_s": 0},
            id="without an end of their own: counted, without a length",
        ),
        pytest.param(
            [start(None)] * 9, {"ready": 9, "measured": 0, "p50_s": None}, id="lengths not known"
        ),
        pytest.param(
            [failed(failure_class="")], {"failures": {"unknown": 1}}, id="a failure without class"
        ),
        pytest.param(
            [failed(), failed(), failed(failure_class="image-pull")],
            {"failures": {"crash": 2, "image-pull": 1}},
            id="the most frequent failure first",
        ),
        pytest.param(
            [start(lost=4), start(lost=0), start(), failed(lost=7)],
            {"requests_lost": 11, "lost_known": 3},
            id="requests lost, of the starts of which that is known",
        ),
        pytest.param(
            [start()], {"requests_lost": None, "lost_known": 0}, id="requests are not measured"
        ),
        pytest.param(
            [start(2.0, phases_s={"route": 9.0, "load-engine": 2.0}), PARTIAL, failed(1.0)],
            {"phases_s": {"load-engine": 3.0, "route": 9.0}},
            id="phases of ready and failed starts",
        ),
    ],
)
def test_figures(starts: Sequence[CountedStart], says: dict[str, Any]) -> None:
    figures = figures_of(tally(*starts))
    assert {name: getattr(figures, name) for name in says} == says


def test_start_modes_are_never_mixed() -> None:
    cold = [start(300.0, start_mode="cold")] * 5
    warm = [start(30.0, start_mode="cached-both")] * 5
    odd = [start(1.0, start_mode="of-a-later-release")]
    modes = figures_of(tally(*odd, *warm, *cold)).modes
    assert [(m.start_mode, m.measured, m.p50_s) for m in modes] == [
        ("cold", 5, 300.0),
        ("cached-both", 5, 30.0),
        ("of-a-later-release", 1, None),
    ]


def test_the_order_of_starts_and_models_changes_nothing() -> None:
    starts = [start(n * 1.1, phases_s={"route": n / 3}) for n in range(30)] + [failed(0.1)] * 3
    parts = [tally(*starts[:7]), tally(*starts[7:])]
    turned = [tally(*starts[:6:-1]), tally(*starts[6::-1])]
    assert summed(parts) == summed(turned) == tally(*starts)
    assert figures_of(summed(parts)) == figures_of(tally(*starts))


def test_summing_leaves_the_parts_alone() -> None:
    one = tally(start())
    summed([one, one])
    assert one == tally(start())


def test_nothing_summed_is_nothing() -> None:
    assert summed([]) == Tally()
    assert isinstance(figures_of(Tally()), Figures)
