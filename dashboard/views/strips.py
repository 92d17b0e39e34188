"""What stands above the fleet table: starts in flight, and clusters with the age of their data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from dashboard.access.rules import Grant
from dashboard.access.scope import clusters_within, within
from dashboard.charts.bars import StartBar, start_bar
from dashboard.charts.eta import StartEta
from dashboard.charts.spoken import age_text
from dashboard.past_text import past_progress
from dashboard.staleness import too_old
from dashboard.views.model_row import eta_of, expected_s, model_url, start_shape
from fleet.domain.records.keys import ModelKey
from fleet.models import Cluster, ColdStart, ServedModel

MOST_STARTS = 4
# A follower proves itself at least every 5 s; twice that without a word is late.
LATE_S = 12.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """One start in flight above the table."""

    key: ModelKey
    url: str
    bar: StartBar
    eta: StartEta


@dataclass(frozen=True, slots=True, kw_only=True)
class Flights:
    """The longest starts in flight, and how many there are in all."""

    shown: tuple[Flight, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterLine:
    """One cluster and how fresh its data is. tone: live, late or old. trouble: "" = none. past: how
    far a recorded past was read, "" = none is being read."""

    name: str
    version: str
    tone: str
    trouble: str
    proof_ms: int | None
    age: str
    past: str = ""


def flights(grant: Grant, *, now: datetime) -> Flights:
    """Starts in flight in scope, the longest first."""
    running = within(ColdStart.objects.running(), grant)
    longest = list(running.order_by("started_at")[:MOST_STARTS])
    uids = [start.model_uid for start in longest]
    found = ServedModel.objects.present().filter(model_uid__in=uids)
    rows = {(row.cluster, row.model_uid): row for row in found}
    total = running.count() if len(longest) == MOST_STARTS else len(longest)
    by_start = [(start, rows.get((start.cluster, start.model_uid))) for start in longest]
    shown = (_flight(start, row, now=now) for start, row in by_start)
    return Flights(shown=tuple(shown), total=total)


def _flight(start: ColdStart, row: ServedModel | None, *, now: datetime) -> Flight:
    typical, slow = (None, None) if row is None else expected_s(row, start.pk)
    bar = start_bar(start_shape(start), now=now, expected_s=typical, slow_s=slow)
    eta = eta_of(row, start, now=now)
    return Flight(key=start.key, url=model_url(start.key), bar=bar, eta=eta)


def cluster_lines(grant: Grant, *, now: datetime) -> tuple[ClusterLine, ...]:
    """The clusters in scope by name."""
    rows = clusters_within(Cluster.objects.present(), grant).order_by("name")
    return tuple(cluster_line(row, now=now) for row in rows)


def proofs(grant: Grant) -> dict[str, int | None]:
    """When each cluster in scope was last in step, ms since 1970; None = never."""
    rows = clusters_within(Cluster.objects.present(), grant)
    return {name: _ms(proof) for name, proof in rows.values_list("name", "last_proof_at")}


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1000)


def cluster_line(cluster: Cluster, *, now: datetime) -> ClusterLine:
    """How a cluster's freshness reads at `now`."""
    proof = cluster.last_proof_at
    age_s = None if proof is None else (now - proof).total_seconds()
    return ClusterLine(
        name=cluster.name,
        version=_version(cluster),
        tone=_tone(cluster, age_s, now=now),
        trouble=_trouble(cluster, age_s),
        proof_ms=_ms(proof),
        age="" if age_s is None else age_text(age_s),
        past=past_progress(cluster.past),
    )


def _version(cluster: Cluster) -> str:
    if cluster.knative:
        return f"Knative {cluster.knative}"
    return f"KServe {cluster.kserve}" if cluster.kserve else ""


def _tone(cluster: Cluster, age_s: float | None, *, now: datetime) -> str:
    if cluster.paused:
        return "paused"
    if too_old(cluster.last_proof_at, now=now):
        return "old"
    late = age_s is not None and age_s > LATE_S
    return "late" if late or cluster.state != "live" else "live"


def _trouble(cluster: Cluster, age_s: float | None) -> str:
    if cluster.paused:
        return _("paused")
    if cluster.state == "connecting":
        return _("connecting")
    if cluster.state == "slow":
        return _("API slow, retrying")
    if cluster.state == "unreachable":
        return _unreachable(cluster.state_detail)
    return _("no news") if age_s is None or age_s > LATE_S else ""


def _unreachable(detail: Mapping[str, Any]) -> str:
    if detail.get("code") == "credentials-expired":
        return _("token refused, retrying")
    return _("unreachable, retrying")
