"""Verdicts between revisions: calm, and never on thin data."""

import random
from typing import Any

import pytest

from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.records import Compared
from fleet.domain.compare.regression import Verdict, regression
from fleet.domain.compare.two_revisions import two_revisions
from tests.fleet.domain.compare.made import MODE, drawn, made, phased


def deployed(*load_s: float, each: int = 12, seed: int = 1, **more: Any) -> list[Compared]:
    """Revision after revision, each with `each` starts that load for about so long."""
    chance = random.Random(seed)
    return [
        drawn(
            100 * place + n,
            chance,
            load_s=seconds,
            revision=f"r{place}",
            revision_uid=f"u{place}",
            **more,
        )
        for place, seconds in enumerate(load_s, 1)
        for n in range(each)
    ]


def verdicts(starts: list[Compared]) -> list[str]:
    return [change.verdict.value for change in regression(starts, mode=MODE).changes]


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        pytest.param([], [], id="nothing known, nothing said"),
        pytest.param(deployed(60), ["too-few"], id="a first revision has nothing before it"),
        pytest.param(deployed(60, 60), ["too-few", "none"], id="no difference"),
        pytest.param(deployed(60, 100), ["too-few", "slower"], id="slower"),
        pytest.param(deployed(100, 60), ["too-few", "faster"], id="faster"),
        pytest.param(deployed(60, 100, each=7), ["too-few", "too-few"], id="seven say nothing"),
        pytest.param(
            deployed(60, 63, each=60), ["too-few", "none"], id="sure but not worth a word"
        ),
        pytest.param(
            [*deployed(60), *[made(900 + n, revision="thin", revision_uid="t") for n in range(3)]],
            ["too-few", "too-few"],
            id="a thin revision is not judged",
        ),
        pytest.param(
            [*deployed(60), *deployed(60, 100, start_mode="cold")[12:]],
            ["too-few"],
            id="another start mode is never mixed in",
        ),
        pytest.param(
            [phased(n, {"load-engine": 10.0}, revision_uid="a") for n in range(9)]
            + [phased(50 + n, {"load-engine": 14.9}, revision_uid="b") for n in range(9)],
            ["too-few", "none"],
            id="under five seconds is not worth a word",
        ),
    ],
)
def test_verdicts(starts: list[Compared], expected: list[str]) -> None:
    assert verdicts(starts) == expected


def test_a_thin_revision_is_stepped_over() -> None:
    starts = [*deployed(60, 60, 100)]
    thin = [start for start in starts if start.revision != "r2" or start.id % 100 < 3]
    found = regression(thin, mode=MODE)
    assert verdicts(thin) == ["too-few", "too-few", "slower"]
    assert found.newest is not None
    assert found.newest.before is not None
    assert found.newest.before.name == "r1"


def test_it_says_which_phase_grew_and_by_how_much() -> None:
    change = regression(deployed(60, 100), mode=MODE).standing
    assert change is not None
    assert change.phases[0].phase is Phase.LOAD_ENGINE
    assert change.phases[0].seconds == pytest.approx(40.0, abs=6.0)
    assert change.effect_s == pytest.approx(40.0, abs=10.0)
    assert (change.after.name, change.after.n) == ("r2", 12)


@pytest.mark.parametrize(
    ("load_s", "first_bad"),
    [
        pytest.param([60, 60, 60], None, id="none"),
        pytest.param([60, 100, 100], "r2", id="still slow since"),
        pytest.param([60, 100, 60], None, id="mended"),
        pytest.param([60, 100, 90], "r2", id="mended in part is not mended"),
        pytest.param([60, 100, 160], "r2", id="the first of two"),
        pytest.param([60, 100, 60, 110], "r4", id="mended, then broken anew"),
    ],
)
def test_first_bad_revision(load_s: list[float], first_bad: str | None) -> None:
    standing = regression(deployed(*load_s), mode=MODE).standing
    assert (standing and standing.after.name) == first_bad


def test_starts_that_do_not_differ_are_almost_never_told_apart() -> None:
    """100 models of six revisions without any difference: calm."""
    told = [
        verdict
        for seed in range(100)
        for verdict in verdicts(deployed(60, 60, 60, 60, 60, 60, each=10, seed=seed))
        if verdict in {Verdict.SLOWER, Verdict.FASTER}
    ]
    assert len(told) <= 1


def test_a_third_more_of_loading_is_found_nearly_always() -> None:
    found = [verdicts(deployed(60, 85, each=12, seed=seed))[1] for seed in range(100)]
    assert found.count("slower") >= 90


def test_the_order_of_starts_does_not_matter() -> None:
    starts = deployed(60, 100, 90)
    mixed = random.Random(3).sample(starts, len(starts))
    assert regression(mixed, mode=MODE) == regression(starts, mode=MODE)


def test_two_revisions_side_by_side() -> None:
    found = two_revisions(deployed(60, 100, 80, each=24), before="r1", after="r2", mode=MODE)
    assert found is not None
    assert (found.total.before.n, found.total.after.n) == (24, 24)
    load = next(pair for pair in found.phases if pair.phase is Phase.LOAD_ENGINE)
    assert load.shift_s == pytest.approx(40.0, abs=6.0)
    assert load.after.p95_s is not None
    assert found.change.verdict is Verdict.SLOWER
    assert Phase.PULL_IMAGE not in {pair.phase for pair in found.phases}


@pytest.mark.parametrize(
    ("each", "p50", "p95", "told"),
    [
        pytest.param(4, False, False, False, id="four give no figure"),
        pytest.param(5, True, False, True, id="five a median and a shift"),
        pytest.param(20, True, True, True, id="twenty a 95th percentile"),
    ],
)
def test_figures_of_a_side(each: int, *, p50: bool, p95: bool, told: bool) -> None:
    found = two_revisions(deployed(60, 100, each=each), before="r1", after="u2", mode=MODE)
    assert found is not None
    total = found.total
    assert (total.after.p50_s is not None, total.after.p95_s is not None) == (p50, p95)
    assert (total.shift_s is not None) is told


def test_no_pair_where_one_of_them_never_started() -> None:
    assert two_revisions(deployed(60), before="r1", after="r9", mode=MODE) is None
