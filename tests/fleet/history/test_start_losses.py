"""Requests lost, joined to the start in whose time they fell."""

from datetime import timedelta

import pytest

from fleet.domain.coldstart.start import Outcome
from fleet.domain.ledger.delta import Delta
from fleet.domain.requests.records import Hop
from fleet.domain.requests.states import Thresholds
from fleet.history.batch import Batch, write_batch
from fleet.history.leases import Lease
from fleet.history.metrics_claims import Claim, claim
from fleet.history.request_hours import Span
from fleet.history.request_step import Step, write_step
from fleet.models import Cluster, ColdStart, ServedModel
from tests.fleet.history.request_samples import KNATIVE, OWNER, tally, window
from tests.fleet.history.samples import NOW, ago, start, status

HELD = tally(8, {(Hop.ACTIVATOR, 503): 4})
FOUR = {
    "ingress": None,
    "endpoint-picker": None,
    "activator": 4,
    "queue-proxy": 0,
    "container": 0,
}


@pytest.fixture
def reading(lease: Lease) -> Claim:
    """A model that starts, on a cluster whose metrics this test reads."""
    running = start(1, Outcome.RUNNING, began=ago(seconds=70))
    write_batch(lease, Batch(delta=Delta(models=(status(),), starts=(running,))), now=NOW)
    Cluster.objects.update(metrics_url="http://prometheus", metrics_read_to=ago(minutes=5))
    held = claim("one", now=NOW, for_=timedelta(seconds=60))
    assert held is not None
    return held


def read(reading: Claim, *, unread: Span | None = None, told: frozenset[Hop] = KNATIVE) -> None:
    step = Step(
        since=ago(minutes=5),
        until=NOW,
        windows={OWNER: [window(ago(seconds=60), HELD)]} if told else {},
        told=told,
        unread=unread,
    )
    write_step(reading, step, thresholds=Thresholds(), now=NOW)


def test_a_running_start_tells_what_it_has_cost(reading: Claim) -> None:
    read(reading)
    assert ColdStart.objects.get().requests_lost == FOUR
    last = ServedModel.objects.get().last_start
    assert last is not None
    assert last["requests_lost"] == FOUR


def test_measuring_the_start_again_keeps_what_was_lost(reading: Claim, lease: Lease) -> None:
    read(reading)
    ready = start(1, began=ago(seconds=70), total_s=60)
    write_batch(lease, Batch(delta=Delta(starts=(ready,))), now=NOW)
    row = ColdStart.objects.get()
    assert (row.outcome, row.requests_lost) == ("ready", FOUR)


def test_a_start_that_fell_into_a_hole_is_not_known(reading: Claim) -> None:
    ColdStart.objects.update(started_at=ago(minutes=8), revision="another")
    read(reading, unread=Span(ago(minutes=7), ago(minutes=5)))
    assert ColdStart.objects.get().requests_lost is None


def test_where_nothing_is_measured_nothing_is_said(reading: Claim) -> None:
    read(reading, told=frozenset())
    assert ColdStart.objects.get().requests_lost is None


def test_two_starts_at_once_share_without_doubling(reading: Claim, lease: Lease) -> None:
    second = start(2, Outcome.RUNNING, began=ago(seconds=65))
    write_batch(lease, Batch(delta=Delta(starts=(second,))), now=NOW)
    read(reading)
    lost = [row.requests_lost for row in ColdStart.objects.order_by("started_at")]
    assert lost == [FOUR, FOUR | {"activator": 0}]
