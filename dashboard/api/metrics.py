"""`/metrics`: what this process and the rows tell, for Prometheus; needs a token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import (
    GC_COLLECTOR,
    PLATFORM_COLLECTOR,
    PROCESS_COLLECTOR,
    CollectorRegistry,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from dashboard.access import Grant, clusters_within, within
from dashboard.api.callers import grant_of_request
from dashboard.api.problems import problem_response
from dashboard.api.shapes.ages import age_s, ages
from dashboard.api.start_metrics import start_histograms
from fleet.models import Action, Cluster, ColdStart, Incident, ServedModel

TEXT = "text/plain; version=0.0.4; charset=utf-8"


class FleetCollector(Collector):
    """Families from the rows in a grant's scope, read when asked."""

    def __init__(self, grant: Grant, *, now: datetime) -> None:
        self.grant = grant
        self.now = now

    def collect(self) -> Iterable[Metric]:
        """All families."""
        yield from self._clusters()
        yield self._models()
        yield self._starts()
        yield self._actions()
        yield self._incidents()
        yield from start_histograms(self.grant)

    def _clusters(self) -> Iterator[GaugeMetricFamily]:
        age = GaugeMetricFamily(
            "pilotlight_cluster_data_age_seconds",
            "Seconds since the last proof of being in step; absent before the first.",
            labels=["cluster"],
        )
        followed = GaugeMetricFamily(
            "pilotlight_cluster_followed",
            "1 while a worker holds the cluster's lease.",
            labels=["cluster"],
        )
        read = GaugeMetricFamily(
            "pilotlight_metrics_read_age_seconds",
            "Seconds since the end of the newest requests that were read; absent without metrics.",
            labels=["cluster"],
        )
        for row in clusters_within(Cluster.objects.present(), self.grant).order_by("name"):
            seconds = age_s(row.last_proof_at, now=self.now)
            if seconds is not None:
                age.add_metric([row.name], seconds)
            seconds = age_s(row.metrics_read_to, now=self.now)
            if seconds is not None and (row.metrics_url or row.metrics_pages):
                read.add_metric([row.name], seconds)
            held = row.lease_expires_at is not None and row.lease_expires_at > self.now
            followed.add_metric([row.name], float(held))
        return iter((age, followed, read))

    def _models(self) -> GaugeMetricFamily:
        gauge = GaugeMetricFamily(
            "pilotlight_models", "Models by cluster and state.", labels=["cluster", "state"]
        )
        seen = ages(now=self.now)
        rows = within(ServedModel.objects.present(), self.grant).order_by()
        counted: Counter[tuple[str, str]] = Counter()
        for cluster, state, count in rows.values_list("cluster", "state").annotate(Count("id")):
            counted[cluster, seen.state(state, cluster)] += count
        for (cluster, state), count in sorted(counted.items()):
            gauge.add_metric([cluster, state], count)
        return gauge

    def _starts(self) -> GaugeMetricFamily:
        gauge = GaugeMetricFamily("pilotlight_starts_running", "Cold starts that run now.")
        gauge.add_metric([], within(ColdStart.objects.running(), self.grant).count())
        return gauge

    def _incidents(self) -> GaugeMetricFamily:
        gauge = GaugeMetricFamily(
            "pilotlight_incidents_ongoing",
            "Models whose callers get errors now, by cluster.",
            labels=["cluster"],
        )
        rows = within(Incident.objects.ongoing(), self.grant)
        for cluster, count in sorted(Counter(rows.values_list("cluster", flat=True)).items()):
            gauge.add_metric([cluster], count)
        return gauge

    def _actions(self) -> GaugeMetricFamily:
        gauge = GaugeMetricFamily("pilotlight_actions_unfinished", "Actions not at their end.")
        gauge.add_metric([], within(Action.objects.unfinished(), self.grant).count())
        return gauge


@never_cache
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus text, of what the token may see."""
    grant = grant_of_request(request)
    if grant is None:
        return problem_response(401, "Send `Authorization: Bearer <token>`.")
    registry = CollectorRegistry(auto_describe=False)
    for collector in (PROCESS_COLLECTOR, PLATFORM_COLLECTOR, GC_COLLECTOR):
        registry.register(collector)
    registry.register(FleetCollector(grant, now=datetime.now(UTC)))
    return HttpResponse(generate_latest(registry), content_type=TEXT)
