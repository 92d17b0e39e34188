"""What a cluster's metrics can tell, and how reading them goes, in the cluster's own row."""

import logging
from datetime import datetime
from typing import Any

import msgspec

from fleet.domain.requests.records import MetricsFacts
from fleet.history.fitting import plain
from fleet.models import Cluster

logger = logging.getLogger(__name__)

LONGEST_TEXT = 500


def facts_of(row: Cluster) -> MetricsFacts | None:
    """What was found by asking; None = never asked, or kept by a release that told other things."""
    if not row.metrics:
        return None
    try:
        return msgspec.convert(row.metrics, MetricsFacts)
    except msgspec.ValidationError as error:
        logger.warning("skipped facts of metrics cluster=%s because=%s", row.name, error)
        return None


def facts_columns(facts: MetricsFacts) -> dict[str, Any]:
    """Columns of the cluster's row."""
    told = msgspec.to_builtins(facts)
    told["told"] = sorted(told["told"])
    return {"metrics": plain(told), "metric_era": facts.era.value[:40]}


def trouble_column(code: str, text: str, *, at: datetime) -> dict[str, Any]:
    """What went wrong with the last reading."""
    said = {"code": code, "text": text[:LONGEST_TEXT], "at": at.isoformat()}
    return {"metrics_trouble": plain(said)}


NO_TROUBLE: dict[str, Any] = {"metrics_trouble": {}}
