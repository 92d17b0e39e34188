"""What a start in flight promises, in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dashboard.charts.eta import SOURCES, start_eta
from fleet.domain.compare.like import Kin

BEGAN = datetime(2026, 11, 30, 12, tzinfo=UTC)
# As a row told it when the start was 20 s old.
FLIGHT: dict[str, Any] = {
    "elapsed_s": 20.0,
    "eta_p50_s": 40.0,
    "eta_p95_s": 70.0,
    "eta_from": "revision",
    "eta_n": 25,
    "eta_p95_from": "revision",
    "eta_p95_n": 25,
    "eta_confidence": "own",
    "late_after_s": 95.0,
    "overdue_after_s": 190.0,
    "deadline_s": None,
}


@pytest.mark.parametrize(
    ("age_s", "changes", "tone", "says"),
    [
        pytest.param(31, {}, "", "ready in 29 s–59 s", id="from p50 to p95"),
        pytest.param(31, {"eta_p95_s": None}, "", "ready in 29 s", id="no p95 known"),
        pytest.param(70, {}, "", "ready within 20 s", id="past its p50"),
        pytest.param(92, {}, "", "longer than usual", id="past both, and not late yet"),
        pytest.param(95, {}, "", "longer than usual", id="at the limit is not over it"),
        pytest.param(107, {}, "late", "late: 12 s past its p95", id="past p95"),
        pytest.param(
            191, {}, "overdue", "overdue: over twice its p95 of 1:35", id="past twice its p95"
        ),
        pytest.param(
            121,
            {"deadline_s": 120.0, "overdue_after_s": 120.0},
            "overdue",
            "overdue: past its deadline of 2:00",
            id="past its deadline, which comes before twice its p95",
        ),
        pytest.param(
            191,
            {"deadline_s": 600.0},
            "overdue",
            "overdue: over twice its p95 of 1:35",
            id="a deadline that is far away is not the reason",
        ),
    ],
)
def test_what_it_says_as_time_passes(
    age_s: int, changes: dict[str, Any], tone: str, says: str
) -> None:
    eta = start_eta(FLIGHT | changes, BEGAN, now=BEGAN + timedelta(seconds=age_s))
    assert (eta.tone, eta.says) == (tone, says)


@pytest.mark.parametrize(
    ("changes", "source", "briefly"),
    [
        pytest.param({}, "from 25 starts of this revision", "from 25 starts", id="its revision"),
        pytest.param(
            {"eta_from": "model", "eta_n": 1},
            "from 1 start of this model",
            "from 1 start",
            id="one start of the model",
        ),
        pytest.param(
            {"eta_from": "fleet", "eta_n": 40, "eta_confidence": "widened"},
            "from 40 starts of like models in the fleet: low confidence",
            "fleet: low confidence",
            id="the fleet",
        ),
        pytest.param(
            {"eta_n": 6, "eta_p95_from": "cluster", "eta_p95_n": 26, "eta_confidence": "widened"},
            "from 6 starts of this revision, its slow end from 26 starts of like models: "
            "low confidence",
            "from 6 starts",
            id="others stand in for the slow end",
        ),
        pytest.param(
            {"eta_from": None, "eta_n": 0},
            "too few starts to tell",
            "too few starts to tell",
            id="none",
        ),
    ],
)
def test_it_names_the_starts_that_it_is_from(
    changes: dict[str, Any], source: str, briefly: str
) -> None:
    eta = start_eta(FLIGHT | changes, BEGAN, now=BEGAN)
    assert (eta.source, eta.briefly) == (source, briefly)


def test_a_start_that_its_row_does_not_know_yet_promises_nothing() -> None:
    eta = start_eta({}, BEGAN, now=BEGAN + timedelta(hours=1))
    assert (eta.tone, eta.says, eta.late_s, eta.overdue_s) == ("", "", None, None)
    assert (eta.source, eta.briefly) == ("", "")


def test_each_kin_has_words() -> None:
    assert set(SOURCES) == set(Kin)
