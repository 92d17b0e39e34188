"""The fleet and its clusters as tables: what they say depends on how old a cluster's data is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from dashboard.api.shapes.ages import age_s
from dashboard.row_reasons import reason_of
from dashboard.staleness import shown_state
from dashboard.tables.columns import Table, column
from fleet.models import Cluster, ServedModel


def fleet_table(*, stale: frozenset[str]) -> Table[ServedModel]:
    """stale: clusters whose models read Unknown."""
    return Table(
        name="fleet",
        columns=(
            column("state", lambda row: shown_state(row.state, row.cluster, stale=stale).value),
            column("cluster"),
            column("kind"),
            column("namespace"),
            column("name"),
            column("mode"),
            column("team"),
            column("environment"),
            column("ready"),
            column("desired"),
            column("min"),
            column("max"),
            column("starts_7d", lambda row: row.count_7d),
            column("failed_7d"),
            column("p50_s"),
            column("p95_s"),
            column("probe_failures_1h_at_least", _probe_failures),
            column("requests_5min", lambda row: _told(row).get("requests")),
            column("errors_5xx_5min", lambda row: _told(row).get("lost")),
            column("share_5xx_5min", lambda row: _told(row).get("share_5xx")),
            column("errors_5xx_at_least", _bound),
            column("reason", lambda row: _reason(row, stale=stale)),
        ),
    )


def _told(row: ServedModel) -> Mapping[str, Any]:
    """What the row tells of the last five minutes; empty = not measured."""
    return row.errors or {}


def _bound(row: ServedModel) -> bool | None:
    return bool(row.errors["at_least"]) if row.errors else None


def _probe_failures(row: ServedModel) -> int:
    return row.probe_starting_1h + row.probe_serving_1h


def _reason(row: ServedModel, *, stale: frozenset[str]) -> str:
    return reason_of(row, stale=row.cluster in stale)


def clusters_table(
    *, models: Mapping[str, int], not_taken: Mapping[str, int], now: datetime
) -> Table[Cluster]:
    """models, not_taken: counts by cluster, within the reader's scope."""
    return Table(
        name="clusters",
        columns=(
            column("name"),
            column("state", lambda row: "paused" if row.paused else row.state),
            column("data_age_s", lambda row: age_s(row.last_proof_at, now=now)),
            column("kubernetes"),
            column("kserve"),
            column("knative"),
            column("metric_era"),
            column("metrics_age_s", lambda row: age_s(row.metrics_read_to, now=now)),
            column("missing", lambda row: ", ".join(each["permission"] for each in row.missing)),
            column("models", lambda row: models.get(row.name, 0)),
            column("not_taken_for_vllm", lambda row: not_taken.get(row.name, 0)),
            column("read_only"),
        ),
    )
