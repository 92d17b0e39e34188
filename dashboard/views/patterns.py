"""The pattern page, in debug only: every partial in every state, in one look."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.charts.bars import StartBar, start_bar
from dashboard.charts.eta import StartEta, start_eta
from dashboard.charts.pattern_figures import pattern_figures
from dashboard.reasons import NOT_TAKEN_REASONS, STATE_REASONS, reason_text
from dashboard.views.row_errors import RowErrors, row_errors
from dashboard.views.strips import ClusterLine, cluster_line
from dashboard.words import STATE_LABELS
from fleet.domain.coldstart.start import Outcome, Phase, StartMode
from fleet.models import Cluster, ServedModel

EXAMPLE = {
    "phase": "load-engine",
    "trigger": "scale-from-zero",
    "reason": "0/4 nodes are available: 4 Insufficient nvidia.com/gpu.",
    "revision": "llama-3-8b-predictor-00004",
    "ready": 2,
    "desired": 3,
}
AGES = (("live", 0.8), ("live", 30), ("connecting", 2), ("slow", 41), ("unreachable", 900))
# A start in flight that 14 like it tell the end of, at these ages: on time, late, overdue.
FLIGHT: dict[str, Any] = {
    "elapsed_s": 0.0,
    "eta_p50_s": 60.0,
    "eta_p95_s": 95.0,
    "eta_from": "revision",
    "eta_n": 14,
    "late_after_s": 100.0,
    "overdue_after_s": 180.0,
    "deadline_s": 180.0,
}
FLIGHT_AGES_S = (20, 70, 130, 200)


def patterns(request: HttpRequest) -> HttpResponse:
    """States, reasons, bars and ages."""
    if not settings.DEBUG:
        raise Http404
    now = datetime.now(UTC)
    context = {
        "states": tuple(STATE_LABELS.items()),
        "reasons": [(code, reason_text(code, EXAMPLE)) for code in STATE_REASONS],
        "rules": tuple(NOT_TAKEN_REASONS.items()),
        "bars": [_bar(outcome, now=now) for outcome in Outcome],
        "lines": [_line(state, age_s, now=now) for state, age_s in AGES],
        "figures": pattern_figures(now),
        "row_errors": _row_errors(),
        "etas": [_eta(age_s, now=now) for age_s in FLIGHT_AGES_S],
    }
    return render(request, "pages/patterns.html", context)


def _bar(outcome: Outcome, *, now: datetime) -> StartBar:
    """A start with every phase, five seconds each."""
    began = now - timedelta(seconds=5 * len(Phase))
    phases: list[dict[str, Any]] = [
        {
            "phase": phase,
            "started_at": began + timedelta(seconds=5 * n),
            "ended_at": began + timedelta(seconds=5 * (n + 1)),
            "seconds": 5.0,
            "source": "event",
            "error_s": 0.5,
        }
        for n, phase in enumerate(Phase)
    ]
    if outcome is Outcome.RUNNING:
        phases[-1]["ended_at"] = None
    start = {
        "started_at": began,
        "outcome": outcome,
        "start_mode": StartMode.CACHED_IMAGE,
        "ended_in_phase": Phase.LOAD_ENGINE,
        "total_s": 45.0,
        "phases": phases,
    }
    return start_bar(start, now=now, expected_s=90.0)


def _row_errors() -> list[tuple[str, RowErrors]]:
    """5xx of a row: not measured, no traffic, none, some, many, a lower bound, only counted."""
    spark = [[20, max(0, n - 20)] for n in range(30)]
    counts: dict[str, dict[str, Any] | None] = {
        "not measured": None,
        "no traffic": {"requests": 0, "by_hop": {}},
        "held": {"requests": 0, "by_hop": {}, "in_flight": 12.0},
        "none": {"requests": 400, "by_hop": {"ingress": 0}},
        "some": {"requests": 400, "by_hop": {"queue-proxy": 2}},
        "many": {"requests": 40, "by_hop": {"activator": 30, "container": 8}},
        "lower bound": {"requests": 400, "by_hop": {"activator": 12}, "at_least": ["activator"]},
        "only counted": {"requests": None, "by_hop": {"container": 7, "ingress": None}},
    }
    rows = {name: ServedModel(errors=told, errors_spark=spark) for name, told in counts.items()}
    return [(name, row_errors(row)) for name, row in rows.items()]


def _eta(age_s: float, *, now: datetime) -> StartEta:
    return start_eta(FLIGHT, now - timedelta(seconds=age_s), now=now)


def _line(state: str, age_s: float, *, now: datetime) -> ClusterLine:
    proof = now - timedelta(seconds=age_s)
    cluster = Cluster(name=f"{state}-{age_s:g}", state=state, knative="1.21", last_proof_at=proof)
    return cluster_line(cluster, now=now)
