"""Builds what reads metrics, and hands it to the use case."""

import json
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from django.conf import settings

from fleet.adapters.kubernetes.client import Access
from fleet.adapters.prometheus.client import PrometheusAccess
from fleet.adapters.prometheus.pages import PagesReader
from fleet.adapters.prometheus.reader import PrometheusReader
from fleet.adapters.prometheus.shared_pages import shared_pages
from fleet.domain.requests.incidents import IncidentRules
from fleet.domain.requests.pages import Page
from fleet.domain.requests.records import MetricsFacts, SubjectWindow
from fleet.errors import BadInput, FleetError
from fleet.history import metrics_claims
from fleet.history.error_rows import forget_errors
from fleet.history.incidents import end_unseen
from fleet.history.request_pages import replica_pages
from fleet.models import Cluster
from fleet.observe.sampling import FORGET_AFTER, WINDOW, SampleSettings, SampleTask, sample
from fleet.ports import MetricsReader
from fleet.wiring import announcer, now, reader_access, reader_ring, thresholds

# A worker that reads metrics for longer is given up.
SAMPLED_WITHIN = timedelta(seconds=120)
# Connections that are kept between readings.
READERS = 100
SHARED_EVERY_S = 60.0


def clusters_to_sample() -> list[str]:
    """Names of clusters whose metrics have something new, and that nobody reads now."""
    return metrics_claims.due(now=now(), lag=timedelta(seconds=settings.METRICS_LAG_S))


def forget_old_errors() -> None:
    """Errors of clusters whose metrics are not read any more are not known; announce it."""
    lag = timedelta(seconds=settings.METRICS_LAG_S)
    for cluster in metrics_claims.silent(since=now() - FORGET_AFTER - WINDOW - lag):
        if keys := forget_errors(cluster, thresholds=thresholds(), now=now()):
            announcer().changed(cluster=cluster, keys=keys)


def sample_cluster(name: str) -> bool:
    """Read what is new of a cluster's metrics, if nobody does; whether anything was. Raises
    LeaseLost when another worker took over."""
    claim = metrics_claims.claim(name, now=now(), for_=SAMPLED_WITHIN)
    if claim is None:
        return False
    task = SampleTask(
        claim=claim,
        reader=_reader_or_why_not(Cluster.objects.get(pk=claim.cluster_id)),
        announcer=announcer(),
        clock=now,
        settings=SampleSettings(
            lag_s=settings.METRICS_LAG_S, thresholds=thresholds(), incidents=incident_rules()
        ),
    )
    return sample(task)


def incident_rules() -> IncidentRules:
    """When errors are an incident, as the environment sets it; of a busy model when they make it
    Degraded."""
    return IncidentRules(
        quiet_errors=settings.INCIDENT_QUIET_ERRORS,
        busy_errors=settings.DEGRADED_ERRORS,
        busy_share=settings.DEGRADED_SHARE,
        gap=timedelta(seconds=settings.INCIDENT_GAP_S),
    )


def end_unseen_incidents() -> int:
    """Close incidents whose end nobody will see; how many."""
    return end_unseen(now=now())


def metrics_reader(cluster: Cluster) -> MetricsReader:
    """Reads a cluster's metrics where an admin said; raises BadInput where nobody did."""
    if not cluster.metrics_url:
        if not cluster.metrics_pages:
            raise BadInput(f"cluster {cluster.name}: nobody said where its metrics are read")
        return _pages(cluster.name, cluster.context, cluster.server, bytes(cluster.reader_secret))
    return _prometheus(
        cluster.name,
        cluster.metrics_url,
        bytes(cluster.metrics_secret),
        cluster.metrics_ca_pem,
        json.dumps([sorted(cluster.metrics_headers.items()), sorted(cluster.allowed_hosts)]),
        cluster.knative,
    )


class NoReader:
    """Stands for a reader that cannot be made, and says why whenever it is asked: a setting that
    went wrong is trouble of its cluster."""

    def __init__(self, why: FleetError) -> None:
        self._why = why

    def look(self, *, now: datetime) -> MetricsFacts:
        raise self._why

    def windows(
        self, facts: MetricsFacts, *, since: datetime, until: datetime
    ) -> Sequence[SubjectWindow] | None:
        raise self._why

    def close(self) -> None:
        """Nothing is open."""


def _reader_or_why_not(cluster: Cluster) -> MetricsReader:
    try:
        return metrics_reader(cluster)
    except FleetError as error:
        return NoReader(error)


@lru_cache(maxsize=READERS)
def _prometheus(
    name: str, url: str, sealed: bytes, ca_pem: str, rest: str, knative: str
) -> PrometheusReader:
    """One for each way to reach it: connections are kept between readings."""
    headers, allowed = json.loads(rest)
    kept = _metrics_secret(name, sealed)
    access = PrometheusAccess(
        url=url,
        bearer=(lambda: kept["bearer"]) if "bearer" in kept else None,
        basic=(lambda: (kept["username"], kept["password"])) if "username" in kept else None,
        ca_pem=ca_pem,
        headers=dict(headers),
        allowed=allowed,
    )
    return PrometheusReader(access, knative=knative)


@lru_cache(maxsize=READERS)
def _pages(name: str, context: str, server: str, sealed: bytes) -> PagesReader:
    """One for each way to reach it, for as long as the process lives: what happened is the
    difference to the pages of the step before."""
    access = reader_access(Cluster.objects.present().get(name=name))
    shared = SharedPages(access)
    return PagesReader(access, pages=lambda: [*shared(), *replica_pages(name)], clock=now)


class SharedPages:
    """Pages of what all models share, looked for once a minute."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._found: list[Page] = []
        self._again_at = 0.0

    def __call__(self) -> list[Page]:
        if time.monotonic() >= self._again_at:
            self._found = shared_pages(self._access)
            self._again_at = time.monotonic() + SHARED_EVERY_S
        return self._found


def sealed_metrics_secret(cluster: str, secret: Mapping[str, str]) -> bytes:
    """Who we are to a cluster's Prometheus ({"bearer"}, or {"username", "password"}), as it is
    kept in the cluster's row; b"" for nobody."""
    if not secret:
        return b""
    return reader_ring().seal(json.dumps(dict(secret)), about=f"cluster/{cluster}/metrics")


def _metrics_secret(cluster: str, sealed: bytes) -> dict[str, str]:
    if not sealed:
        return {}
    text = reader_ring().open(sealed, about=f"cluster/{cluster}/metrics")
    return {str(name): str(value) for name, value in json.loads(text).items()}


def look_at_metrics(cluster: Cluster) -> MetricsFacts:
    """Test the metrics of a cluster, saved or not; raises fleet.errors."""
    return metrics_reader(cluster).look(now=now())
