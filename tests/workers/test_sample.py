"""Reading metrics: a simulated cluster's Prometheus over HTTP, read by the task, told by rows."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from fleet import wiring_metrics
from fleet.history.access import Deed
from fleet.history.metrics_settings import MetricsPlace, set_metrics
from fleet.models import Cluster, RequestHour, ServedModel
from simulator.prometheus.scraping import EVERY_S, Scraper
from simulator.prometheus.server import PrometheusServer
from simulator.world.calling import Affliction
from simulator.world.cluster import Ingress
from tests.factories import make_cluster, make_model, make_revision
from tests.simulator.metering.metered import Metered, metered
from tests.simulator.world.worlds import MODEL
from workers import sample
from workers.schedule import SCHEDULE

pytestmark = pytest.mark.django_db
REVISION = "llama-predictor-00001"


@contextmanager
def serving(server: PrometheusServer) -> Iterator[str]:
    """The server, in an event loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
        yield server.url
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


def lived(at: Metered) -> Scraper:
    """Three minutes in which every third answer is a 500, scraped."""
    scraper = Scraper(at.scraped, at.at.world.timeline, EVERY_S)
    scraper.begin()
    at.at.run(60)
    for turn in range(60):
        status = 500 if turn % 3 == 0 else None
        at.callers.afflictions[MODEL.key] = Affliction(status=status)
        at.call()
        at.at.run(3)
    at.at.run(120)
    return scraper


def known(url: str, *, now: datetime) -> None:
    """What a follower would have kept of that cluster."""
    make_cluster("one", now=now, context="one", knative="1.21")
    model = make_model("llama", cluster="one", now=now, revision=REVISION)
    make_revision(model, revision=REVISION)
    set_metrics("one", MetricsPlace(url=url), b"", Deed(by="test", now=now))


def test_what_was_answered_is_told_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    at = metered(knative=(1, 21), ingress=Ingress.ISTIO)
    with serving(PrometheusServer(lived(at))) as url:
        now = at.at.world.timeline.now()
        monkeypatch.setattr(wiring_metrics, "now", lambda: now)
        known(url, now=now)
        assert wiring_metrics.clusters_to_sample() == ["one"]
        sample.sample_cluster("one")
        wiring_metrics.metrics_reader(Cluster.objects.get()).close()
    truth = at.told()
    hours = RequestHour.objects.all()
    assert sum(hour.requests or 0 for hour in hours) == truth["requests"] == 60
    assert sum(hour.lost for hour in hours) == 20
    row = ServedModel.objects.get()
    assert row.errors is not None
    assert (row.errors["lost"], row.errors["by_hop"]["container"]) == (20, 20)
    assert (row.state, row.state_code) == ("Degraded", "some-errors")
    assert Cluster.objects.get().metric_era == "opentelemetry"
    assert wiring_metrics.clusters_to_sample() == []


def test_a_prometheus_that_is_away_is_trouble_and_no_failure() -> None:
    known("http://127.0.0.1:9", now=datetime.now(UTC))
    sample.sample_cluster("one")
    trouble = Cluster.objects.get().metrics_trouble
    assert trouble["code"] == "unreachable"
    assert "refused" in trouble["text"]


def test_a_setting_that_went_wrong_is_trouble_of_its_cluster() -> None:
    known("http://127.0.0.1:9", now=datetime.now(UTC))
    Cluster.objects.update(metrics_ca_pem="nonsense")
    sample.sample_cluster("one")
    row = Cluster.objects.get()
    assert "no PEM certificate" in row.metrics_trouble["text"]
    assert row.metrics_claimed_until is None


def test_a_sweep_rings_for_clusters_with_something_new(monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[str] = []
    monkeypatch.setattr(sample, "enqueue", rung.append)
    known("http://127.0.0.1:9", now=datetime.now(UTC))
    sample.sweep()
    Cluster.objects.update(metrics_read_to=datetime.now(UTC))
    sample.sweep()
    assert rung == ["one"]


def test_beat_asks_for_it_within_a_window() -> None:
    assert SCHEDULE["sample"]["task"] == sample.sweep.name
    assert SCHEDULE["sample"]["schedule"] <= 15
