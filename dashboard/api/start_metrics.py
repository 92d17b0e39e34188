"""Histograms of how long starts took, for Prometheus: counters kept in rows, so that a restart of
this process is no reset, and every process tells the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from prometheus_client.core import HistogramMetricFamily

from dashboard.access import Grant, within
from fleet.domain.coldstart.sums import BOUNDS_S
from fleet.models import StartTally

# With the kind: two models of one name in a namespace would be one series told twice.
LABELS = ("cluster", "kind", "namespace", "model", "start_mode", "outcome")
BOUNDS = (*(str(bound) for bound in BOUNDS_S), "+Inf")


def start_histograms(grant: Grant) -> Iterator[HistogramMetricFamily]:
    """Whole starts, and each of their phases, in the grant's scope."""
    starts = HistogramMetricFamily(
        "pilotlight_start_seconds",
        "Cold starts that are over: from the demand to Ready, or to their end. Models beyond the "
        "first 500 are counted as _other.",
        labels=LABELS,
    )
    phases = HistogramMetricFamily(
        "pilotlight_start_phase_seconds",
        "Phases of cold starts that are over.",
        labels=("phase", *LABELS),
    )
    rows = within(StartTally.objects.all(), grant).order_by("pk")
    for row in rows.iterator():
        labels = (row.cluster, row.kind, row.namespace, row.name, row.start_mode, row.outcome)
        if row.phase:
            phases.add_metric((row.phase, *labels), _buckets(row.counts), row.sum_s)
        else:
            starts.add_metric(labels, _buckets(row.counts), row.sum_s)
    yield from (starts, phases)


def _buckets(counts: Sequence[int]) -> list[tuple[str, float]]:
    """Cumulated, as Prometheus wants them."""
    return [(bound, float(n)) for bound, n in zip(BOUNDS, accumulate(counts), strict=True)]
