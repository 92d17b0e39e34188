"""What is deleted when its time is over, and what stays."""

from datetime import timedelta
from typing import Any

import pytest

from fleet.domain.ledger.delta import Delta
from fleet.history import prune as pruning
from fleet.history.batch import Batch, write_batch
from fleet.history.leases import Lease
from fleet.history.prune import prune
from fleet.history.start_counts import count_starts
from fleet.models import (
    AuditEntry,
    ColdStart,
    Incident,
    ProbeFailure,
    Replica,
    StartDay,
    StartTally,
)
from tests.factories import make_incident, make_model, make_start
from tests.fleet.history.samples import NOW, ago, failure, replica, start

YEARS_3 = timedelta(days=3 * 365 + 2)


@pytest.fixture
def _kept(lease: Lease) -> None:
    delta = Delta(
        replicas=(replica(1, gone_at=ago(hours=1)), replica(2)),
        starts=(start(1),),
        probe_failures=(failure(3, first=ago(minutes=9), last=ago(minutes=5)),),
    )
    write_batch(lease, Batch(delta=delta), now=NOW)
    AuditEntry.objects.create(at=NOW, who="me", what="raise-min", outcome="done")


@pytest.mark.usefixtures("_kept")
@pytest.mark.parametrize(
    ("after", "replicas", "failures", "starts"),
    [
        pytest.param(timedelta(days=29), 2, 1, 1, id="within 30 days everything"),
        pytest.param(timedelta(days=31), 1, 0, 1, id="then facts of what is gone"),
        pytest.param(YEARS_3, 1, 0, 0, id="after three years starts too"),
    ],
)
def test_prune(
    monkeypatch: pytest.MonkeyPatch, after: timedelta, replicas: int, failures: int, starts: int
) -> None:
    monkeypatch.setattr(pruning, "ROWS_AT_ONCE", 1)
    prune(now=NOW + after)
    left = (Replica.objects.count(), ProbeFailure.objects.count(), ColdStart.objects.count())
    assert left == (replicas, failures, starts)
    assert AuditEntry.objects.count() == 1


@pytest.mark.usefixtures("_kept")
def test_counting_deletes_nothing() -> None:
    assert prune(now=NOW + YEARS_3, only_count=True)["cold starts"] == 1
    assert ColdStart.objects.count() == 1


@pytest.mark.parametrize(
    ("gone_for", "left"),
    [
        pytest.param(None, 1, id="of a model that is there"),
        pytest.param(timedelta(days=29), 1, id="of one that went lately"),
        pytest.param(timedelta(days=31), 0, id="of one that is gone for long"),
    ],
)
@pytest.mark.django_db
def test_counters_go_with_their_model(gone_for: timedelta | None, left: int) -> None:
    model = make_model(gone_at=gone_for and NOW - gone_for)
    make_start(model, started_at=NOW - timedelta(days=40))
    count_starts(now=NOW)
    assert StartTally.objects.filter(phase="").count() == 1
    prune(now=NOW)
    assert StartTally.objects.filter(phase="").count() == left


@pytest.mark.django_db
def test_sums_of_days_go_with_the_starts() -> None:
    make_start(make_model())
    count_starts(now=NOW + timedelta(hours=1))
    prune(now=NOW + timedelta(days=3 * 365))
    assert StartDay.objects.count() == 2
    prune(now=NOW + YEARS_3)
    assert StartDay.objects.count() == 0


@pytest.mark.usefixtures("_kept")
def test_prune_says_how_much_went() -> None:
    assert prune(now=NOW + YEARS_3)["cold starts"] == 1


@pytest.mark.parametrize(
    ("age", "kept", "left"),
    [
        pytest.param(YEARS_3, {}, 1, id="after three years only what goes on is left"),
        pytest.param(timedelta(days=8), {"incidents": timedelta(days=7)}, 1, id="or as set"),
        pytest.param(timedelta(days=8), {}, 2, id="within it all stay"),
    ],
)
@pytest.mark.django_db
def test_incidents_have_a_time_of_their_own(
    age: timedelta, kept: dict[str, Any], left: int
) -> None:
    model = make_model()
    make_incident(model)
    make_incident(model, ended_at=None)
    prune(now=NOW + age, **kept)
    assert Incident.objects.count() == left
