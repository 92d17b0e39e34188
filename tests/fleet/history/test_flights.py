"""Starts in flight, as rows tell of them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fleet.domain.coldstart.start import ColdStart as Start
from fleet.domain.coldstart.start import Outcome, StartMode
from fleet.history.facts import keep_starts
from fleet.history.flights import flights
from fleet.models import ColdStart
from tests.fleet.history.samples import KEY, NOW, UID, ago, start

pytestmark = pytest.mark.django_db

RUNNING = start(99, Outcome.RUNNING, total_s=20.0, began=NOW - timedelta(seconds=20))


def flight(*starts: Start, running: Start = RUNNING) -> dict[str, object]:
    """The one start in flight among the kept ones."""
    keep_starts([*starts, running])
    found = flights(list(ColdStart.objects.running()), now=NOW)
    assert len(found) == 1
    return next(iter(found.values()))


def own(count: int, **more: object) -> list[Start]:
    return [start(n, **more) for n in range(count)]  # type: ignore[arg-type]


def elsewhere(count: int) -> list[Start]:
    other = replace(KEY, name="other")
    return [
        replace(start(n, total_s=90.0), model=other, model_uid="other", replica_uid=f"other-{n}")
        for n in range(count)
    ]


def test_alone_it_has_a_place_and_no_end_in_sight() -> None:
    alone = flight()
    assert (alone["phase"], alone["elapsed_s"]) == ("load-engine", 20.0)
    assert (alone["eta_p50_s"], alone["eta_from"], alone["eta_n"]) == (None, None, 0)
    assert (alone["eta_confidence"], alone["late"], alone["late_reason"]) == (
        "none",
        "unknown",
        None,
    )


def test_its_own_starts_tell_its_end() -> None:
    told = flight(*own(25))
    assert (told["eta_p50_s"], told["eta_p95_s"]) == (40.0, 40.5)
    assert (told["eta_from"], told["eta_n"], told["eta_confidence"]) == ("revision", 25, "own")
    assert (told["late"], told["late_after_s"], told["overdue_after_s"]) == ("on-time", 60.5, 121.0)
    assert told["usual_phase_s"] == 60.0


def test_starts_of_another_mode_tell_nothing() -> None:
    assert flight(*own(25, mode=StartMode.COLD))["eta_from"] is None


def test_other_models_stand_in_for_the_slow_end() -> None:
    told = flight(*own(6), *elsewhere(20))
    assert (told["eta_from"], told["eta_n"]) == ("revision", 6)
    assert (told["eta_p95_from"], told["eta_p95_n"]) == ("cluster", 26)
    assert (told["eta_p50_s"], told["eta_confidence"]) == (40.0, "widened")


def test_older_than_thirty_days_is_another_time() -> None:
    old = [start(n, began=ago(days=31, hours=n)) for n in range(25)]
    assert flight(*old)["eta_from"] is None


@pytest.mark.parametrize(
    ("age_s", "deadline_s", "late", "reason"),
    [
        pytest.param(70, None, "late", "past-p95", id="past the 95th percentile"),
        pytest.param(130, None, "overdue", "past-twice-p95", id="past twice that"),
        pytest.param(31, 30.0, "overdue", "past-deadline", id="past its deadline"),
    ],
)
def test_late(age_s: int, deadline_s: float | None, late: str, reason: str) -> None:
    running = start(99, Outcome.RUNNING, began=NOW - timedelta(seconds=age_s))
    told = flight(*own(25), running=replace(running, progress_deadline_s=deadline_s))
    assert (told["late"], told["late_reason"]) == (late, reason)


def test_one_query_for_each_model_and_two_for_all(django_assert_num_queries: Any) -> None:
    running = [
        replace(RUNNING, replica_uid=f"flying-{n}", model_uid=f"uid-{n % 7}") for n in range(30)
    ]
    keep_starts([*own(25), *elsewhere(20), *running])
    rows = list(ColdStart.objects.running())
    with django_assert_num_queries(7 + 2):
        assert len(flights(rows, now=NOW)) == 30


def test_a_models_own_starts_are_found_by_its_index() -> None:
    """Not by walking all recent starts of the fleet."""
    recent = ColdStart.objects.ready().started_since(ago(days=30))
    of_one = recent.filter(cluster="one", model_uid=UID).newest_first()[:200]
    assert connection.vendor != "sqlite" or "cold_starts_of_model_uid" in of_one.explain()


def test_none_in_flight_asks_nothing() -> None:
    with CaptureQueriesContext(connection) as asked:
        assert flights([], now=NOW) == {}
    assert len(asked) == 0
