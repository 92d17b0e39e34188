"""Clusters."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from dashboard.api.shapes.ages import age_s
from fleet.models import Cluster


def cluster(
    row: Cluster, *, models: Mapping[str, int], not_taken: Mapping[str, int], now: datetime
) -> dict[str, Any]:
    """The contract's cluster. models, not_taken: counts by cluster, within the caller's scope."""
    return {
        "name": row.name,
        "state": row.state,
        "data_age_s": age_s(row.last_proof_at, now=now),
        "kubernetes": row.kubernetes or None,
        "kserve": row.kserve or None,
        "knative": row.knative or None,
        "metric_era": row.metric_era or None,
        "missing": row.missing,
        "models": models.get(row.name, 0),
        "not_taken_for_vllm": not_taken.get(row.name, 0),
        "read_only": row.read_only,
    }
