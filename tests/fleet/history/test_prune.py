"""What is deleted when its time is over, and what stays."""

from datetime import timedelta

import pytest

from fleet.domain.ledger.delta import Delta
from fleet.history import prune as pruning
from fleet.history.batch import Batch, write_batch
from fleet.history.leases import Lease
from fleet.history.prune import prune
from fleet.models import AuditEntry, ColdStart, ProbeFailure, Replica
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
def test_prune_says_how_much_went() -> None:
    assert prune(now=NOW + YEARS_3)["cold starts"] == 1
