"""Reading a cluster's metrics: which windows, what is kept, what is said when it fails."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from fleet.domain.ledger.delta import Delta
from fleet.domain.requests.records import (
    Era,
    Hop,
    MetricsFacts,
    Subject,
    SubjectKind,
    SubjectWindow,
)
from fleet.errors import ClusterUnreachable, FleetError
from fleet.history.batch import Batch, write_batch
from fleet.history.leases import Lease
from fleet.history.metrics_claims import claim, due, silent
from fleet.history.metrics_facts import facts_of
from fleet.history.request_hours import Span
from fleet.history.requests import unread, windows_between
from fleet.models import Cluster, ServedModel
from fleet.observe.sampling import NEVER_READ, SampleSettings, SampleTask, reading, sample
from tests.fleet.history.conftest import cluster, lease
from tests.fleet.history.request_samples import KNATIVE, tally
from tests.fleet.history.samples import KEY, NOW, ago, status
from tests.fleet.observe.conftest import Bell

__all__ = ["cluster", "lease"]

LAG = timedelta(seconds=45)
READ_TO = ago(seconds=60)
POD = Subject("chat", SubjectKind.SERVICE, "llama-predictor")


class Metrics:
    """A reader that answers what the test says."""

    def __init__(self, *, source: str = "prometheus") -> None:
        self.found: Sequence[SubjectWindow] | None = ()
        self.asked: list[Span] = []
        self.looks = 0
        self.trouble: FleetError | None = None
        self._source = source

    def look(self, *, now: datetime) -> MetricsFacts:
        if self.trouble is not None:
            raise self.trouble
        self.looks += 1
        era = Era.OPENTELEMETRY
        return MetricsFacts(source=self._source, asked_at=now, era=era, told=KNATIVE)

    def windows(
        self, facts: MetricsFacts, *, since: datetime, until: datetime
    ) -> Sequence[SubjectWindow] | None:
        if self.trouble is not None:
            raise self.trouble
        self.asked.append(Span(since, until))
        return self.found

    def close(self) -> None:
        pass


@pytest.fixture
def measured(lease: Lease) -> None:
    """A warm model on a cluster with a Prometheus that was read a minute ago."""
    write_batch(lease, Batch(delta=Delta(models=(status(),))), now=NOW)
    Cluster.objects.update(metrics_url="http://prometheus", metrics_read_to=READ_TO)


def sampled(reader: Metrics, *, now: datetime = NOW) -> tuple[bool, list[str]]:
    """One reading; whether anything was read, and the keys that were rung for."""
    held = claim("one", now=now, for_=timedelta(seconds=60))
    assert held is not None
    bell = Bell()
    task = SampleTask(
        claim=held, reader=reader, announcer=bell, clock=lambda: now, settings=SampleSettings()
    )
    return sample(task), bell.keys


def errors_of_model() -> dict[str, object] | None:
    found = ServedModel.objects.get().errors
    return None if found is None else dict(found)


@pytest.mark.parametrize(
    ("read_to", "now", "since", "until", "jumped"),
    [
        pytest.param(-60, 0, -60, -60, None, id="nothing new before a scrape lag is over"),
        pytest.param(-60, 15, -60, -30, None, id="one window"),
        pytest.param(-60, 50, -60, 0, None, id="two windows"),
        pytest.param(-7200, 15, -3630, -30, -7200, id="after a gap an hour, the rest is unread"),
    ],
)
def test_what_is_to_be_read(
    read_to: float, now: float, since: float, until: float, jumped: float | None
) -> None:
    def at(seconds: float) -> datetime:
        return NOW + timedelta(seconds=seconds)

    found = reading(at(read_to), now=at(now), lag_s=45, back=timedelta(hours=1))
    expected = Span(at(since), at(until)) if since < until else None
    assert (found and found.span) == expected
    assert (found and found.unread) == (None if jumped is None else Span(at(jumped), at(since)))


def test_the_first_reading_looks_back_an_hour() -> None:
    found = reading(None, now=NOW, lag_s=45, back=timedelta(hours=1))
    first = ago(hours=1, seconds=60)
    assert found == (Span(first, ago(seconds=60)), Span(first - NEVER_READ, first))


@pytest.mark.usefixtures("measured")
def test_what_was_counted_becomes_windows_and_rows() -> None:
    reader = Metrics()
    counted = tally(100, {(Hop.CONTAINER, 500): 5})
    reader.found = [SubjectWindow(subject=POD, at=READ_TO, tally=counted)]
    read, rung = sampled(reader, now=NOW + timedelta(seconds=15))
    assert (read, rung) == (True, ["one", str(KEY)])
    (window,) = windows_between(KEY, READ_TO, NOW)
    assert (window.at, window.tally) == (READ_TO, counted)
    row = ServedModel.objects.get()
    assert (row.state, row.state_code) == ("Degraded", "some-errors")
    kept = Cluster.objects.get()
    assert (kept.metrics_read_to, kept.metric_era) == (ago(seconds=30), "opentelemetry")
    facts = facts_of(kept)
    assert facts is not None
    assert facts.told == KNATIVE


@pytest.mark.usefixtures("measured")
def test_metrics_are_looked_at_every_ten_minutes() -> None:
    reader = Metrics()
    for minutes in (0, 1, 9, 10, 11):
        sampled(reader, now=NOW + timedelta(minutes=minutes))
    assert reader.looks == 2


@pytest.mark.usefixtures("measured")
def test_trouble_is_said_once_and_ends() -> None:
    reader = Metrics()
    reader.trouble = ClusterUnreachable("Prometheus at prometheus did not answer within 5 s")
    assert sampled(reader) == (False, ["one"])
    kept = Cluster.objects.get().metrics_trouble
    assert (kept["code"], kept["text"][:10]) == ("unreachable", "Prometheus")
    assert sampled(reader, now=NOW + timedelta(seconds=15)) == (False, [])
    reader.trouble = None
    read, rung = sampled(reader, now=NOW + timedelta(seconds=30))
    assert read
    assert "one" in rung
    assert Cluster.objects.get().metrics_trouble == {}
    assert reader.asked[0].since == READ_TO


@pytest.mark.usefixtures("measured")
def test_errors_are_forgotten_while_nothing_can_be_read() -> None:
    reader = Metrics()
    sampled(reader, now=NOW + timedelta(seconds=15))
    assert errors_of_model() is not None
    reader.trouble = ClusterUnreachable("away")
    sampled(reader, now=NOW + timedelta(seconds=90))
    assert errors_of_model() is not None
    _, rung = sampled(reader, now=NOW + timedelta(minutes=5))
    assert rung == [str(KEY)]
    assert errors_of_model() is None


@pytest.mark.usefixtures("measured")
def test_an_outage_of_metrics_is_a_hole_and_its_counts_are_lower_bounds() -> None:
    reader = Metrics()
    later = NOW + timedelta(hours=3)
    sampled(reader, now=later)
    (hole, *_) = unread("one", ago(hours=1), later - LAG)
    assert hole == Span(READ_TO, later - timedelta(hours=1, seconds=60))


@pytest.mark.usefixtures("measured")
def test_pages_that_were_read_but_once_tell_nothing() -> None:
    reader = Metrics(source="pages")
    reader.found = None
    Cluster.objects.update(metrics_url="", metrics_pages=True)
    assert sampled(reader)[0]
    assert reader.asked == [Span(ago(seconds=30), NOW)]
    assert unread("one", READ_TO, NOW) == [Span(READ_TO, NOW)]
    reader.found = ()
    sampled(reader, now=NOW + timedelta(seconds=30))
    errors = errors_of_model()
    assert errors is not None
    assert (errors["requests"], errors["requests_at_least"]) == (0, True)


@pytest.mark.usefixtures("measured")
def test_who_is_due() -> None:
    assert due(now=NOW, lag=LAG) == []
    assert due(now=NOW + timedelta(seconds=15), lag=LAG) == ["one"]
    claim("one", now=NOW, for_=timedelta(seconds=60))
    assert due(now=NOW + timedelta(seconds=15), lag=LAG) == []
    assert due(now=NOW + timedelta(seconds=61), lag=LAG) == ["one"]


@pytest.mark.usefixtures("measured")
def test_who_is_silent() -> None:
    assert silent(since=READ_TO) == []
    assert silent(since=NOW) == ["one"]
    Cluster.objects.update(metrics_url="")
    assert silent(since=READ_TO) == ["one"]
