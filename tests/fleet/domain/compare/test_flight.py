"""A start in flight: from which starts its end is known, and how late it is."""

import pytest

from fleet.domain.compare.eta import Progress
from fleet.domain.compare.flight import (
    Confidence,
    Lateness,
    LateReason,
    Limits,
    chosen,
    eta,
    lateness,
)
from fleet.domain.compare.like import Kin
from fleet.domain.compare.records import Compared
from tests.fleet.domain.compare.made import made, phased

SUBJECT = made(999, outcome="running")
NOW = Progress(elapsed_s=10.0, phase="load-engine", in_phase_s=5.0)


def own(count: int, load_s: float = 40.0) -> list[Compared]:
    phases_s = {"fetch-model": 20.0, "load-engine": load_s}
    return [phased(n, phases_s, revision_uid="rev-1") for n in range(count)]


def others(count: int, load_s: float = 100.0) -> list[Compared]:
    return [phased(500 + n, {"load-engine": load_s}, model_uid="other") for n in range(count)]


@pytest.mark.parametrize(
    ("pool", "p50_s", "p95_s", "kin", "p95_kin", "confidence"),
    [
        pytest.param([], None, None, None, None, Confidence.NONE, id="nothing to judge by"),
        pytest.param(own(4), None, None, None, None, Confidence.NONE, id="four are too few"),
        pytest.param(
            own(5), 35.0, None, Kin.REVISION, None, Confidence.OWN, id="five give the middle"
        ),
        pytest.param(
            own(20), 35.0, 35.5, Kin.REVISION, Kin.REVISION, Confidence.OWN, id="twenty give both"
        ),
        pytest.param(
            [*own(5), *others(20)],
            35.0,
            95.5,
            Kin.REVISION,
            Kin.CLUSTER,
            Confidence.WIDENED,
            id="the middle of its own, the end of others, with less confidence",
        ),
        pytest.param(
            others(20),
            95.0,
            95.5,
            Kin.CLUSTER,
            Kin.CLUSTER,
            Confidence.WIDENED,
            id="none of its own",
        ),
        pytest.param(
            [*own(5), *others(40, load_s=7.0)],
            35.0,
            None,
            Kin.REVISION,
            Kin.CLUSTER,
            Confidence.WIDENED,
            id="others that are quicker than it say nothing of its end",
        ),
    ],
)
def test_eta(
    pool: list[Compared],
    p50_s: float | None,
    p95_s: float | None,
    kin: Kin | None,
    p95_kin: Kin | None,
    confidence: Confidence,
) -> None:
    found = eta(NOW, chosen(SUBJECT, pool))
    assert (found.p50_s, found.p95_s) == (p50_s, p95_s)
    assert (found.kin, found.p95_kin, found.confidence) == (kin, p95_kin, confidence)


def test_the_same_starts_for_both_where_this_model_has_twenty() -> None:
    older = [phased(n, {"load-engine": 30.0}, revision_uid="rev-0") for n in range(20)]
    choice = chosen(SUBJECT, [*older, *[made(100 + n) for n in range(6)]])
    assert choice.typical == choice.slow
    assert (choice.slow.kin, choice.slow.n) == (Kin.MODEL, 26)
    assert len(choice.starts) == 52


def test_an_assumed_mode_is_less_sure() -> None:
    subject = made(999, outcome="running", start_mode="unknown")
    assert eta(NOW, chosen(subject, own(20))).confidence is Confidence.WIDENED


def test_it_says_how_long_the_present_phase_takes_as_a_rule() -> None:
    assert eta(NOW, chosen(SUBJECT, own(5))).usual_phase_s == 40.0


def test_no_limit_from_others_that_are_quicker() -> None:
    assert eta(NOW, chosen(SUBJECT, own(20))).limits.p95_s == 60.5
    assert eta(NOW, chosen(SUBJECT, [*own(5), *others(40, load_s=7.0)])).limits.p95_s is None


@pytest.mark.parametrize(
    ("elapsed_s", "limits", "state", "reason"),
    [
        pytest.param(9.0, Limits(), Lateness.UNKNOWN, None, id="nothing to judge by"),
        pytest.param(100.0, Limits(p95_s=100.0), Lateness.ON_TIME, None, id="at the limit"),
        pytest.param(100.1, Limits(p95_s=100.0), Lateness.LATE, LateReason.PAST_P95, id="late"),
        pytest.param(200.0, Limits(p95_s=100.0), Lateness.LATE, LateReason.PAST_P95, id="at twice"),
        pytest.param(
            200.1, Limits(p95_s=100.0), Lateness.OVERDUE, LateReason.PAST_TWICE_P95, id="overdue"
        ),
        pytest.param(
            61.0,
            Limits(p95_s=100.0, deadline_s=60.0),
            Lateness.OVERDUE,
            LateReason.PAST_DEADLINE,
            id="past its deadline, however slow such starts are",
        ),
        pytest.param(
            601.0,
            Limits(deadline_s=600.0),
            Lateness.OVERDUE,
            LateReason.PAST_DEADLINE,
            id="a deadline needs no other starts",
        ),
    ],
)
def test_lateness(
    elapsed_s: float, limits: Limits, state: Lateness, reason: LateReason | None
) -> None:
    assert lateness(elapsed_s, limits) == (state, reason)


@pytest.mark.parametrize(
    ("limits", "overdue_s"),
    [
        pytest.param(Limits(), None, id="none"),
        pytest.param(Limits(p95_s=100.0), 200.0, id="twice the 95th percentile"),
        pytest.param(Limits(p95_s=100.0, deadline_s=150.0), 150.0, id="or the deadline before it"),
    ],
)
def test_overdue_from(limits: Limits, overdue_s: float | None) -> None:
    assert limits.overdue_s == overdue_s
