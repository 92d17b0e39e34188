"""The report as the API and `manage.py report --format json` tell it: plain values, one order."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from fleet.domain.reports.figures import Figures, ModeFigures
from fleet.domain.reports.report import ModelWeek, Report, TeamWeek, changed
from fleet.domain.reports.sight import Sight

# How the worst models are told: docs/reports.md, "Worst".
MEASURE = "seconds from demand to ready, and seconds spent in starts that failed"


def report_shape(report: Report) -> dict[str, Any]:
    """Not known is None. Equal reports give equal shapes."""
    return {
        **head_shape(report),
        "this_week": _figures(report.this_week),
        "last_week": _figures(report.last_week),
        "change": _change(report.this_week, report.last_week),
        "worst": {"measure": MEASURE, "models": [str(model.key) for model in report.worst]},
        "got_worse": [str(model.key) for model in report.got_worse],
        "got_better": [str(model.key) for model in report.got_better],
        "new_models": [str(key) for key in report.new_models],
        "gone_models": [str(key) for key in report.gone_models],
        "clusters": [_sight(sight) for sight in report.sights],
        "teams": [_team(team) for team in report.teams],
        "models": [_model(model) for model in report.models],
    }


def head_shape(report: Report) -> dict[str, Any]:
    """Which report it is, and how far its figures can be believed."""
    choice, kept = report.choice, report.kept
    return {
        "week": str(report.week),
        "since": time_text(report.week.since),
        "until": time_text(report.week.until),
        "cluster": choice.cluster or None,
        "team": choice.team or None,
        "environment": choice.environment or None,
        "revision": kept.revision if kept else None,
        "created_at": time_text(kept.created_at) if kept else None,
        "why": (kept.why or None) if kept else None,
        "so_far": not report.over,
        "counted_at": time_text(report.counted_at),
        "counted_until": time_text(report.counted_until),
        "first_data_at": time_text(report.first_data_at),
        "lower_bounds": report.lower_bounds,
    }


def time_text(moment: datetime | None) -> str | None:
    """RFC 3339 UTC, None when not known."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _figures(figures: Figures | None) -> dict[str, Any] | None:
    if figures is None:
        return None
    return {
        **_counts(figures),
        "triggers": dict(figures.triggers),
        "failures": dict(figures.failures),
        "phases_s": dict(figures.phases_s),
        "start_modes": [_mode(mode) for mode in figures.modes],
    }


def _counts(figures: Figures) -> dict[str, Any]:
    return {
        "starts": figures.starts,
        "ready": figures.ready,
        "failed": figures.failed,
        "aborted": figures.aborted,
        "partial": figures.partial,
        "running": figures.running,
        "measured": figures.measured,
        "p50_s": figures.p50_s,
        "p95_s": figures.p95_s,
        "longest_s": figures.longest_s,
        "waited_s": figures.waited_s,
        "failed_s": figures.failed_s,
        "requests_lost": figures.requests_lost,
        "lost_known": figures.lost_known,
    }


def _mode(mode: ModeFigures) -> dict[str, Any]:
    return {
        "start_mode": mode.start_mode,
        "starts": mode.starts,
        "measured": mode.measured,
        "p50_s": mode.p50_s,
        "p95_s": mode.p95_s,
    }


def _change(this: Figures | None, before: Figures | None) -> Mapping[str, Any] | None:
    """This week less last week; None where one of the two is not known."""
    if this is None or before is None:
        return None
    return {
        "starts": this.starts - before.starts,
        "failed": this.failed - before.failed,
        "p50_s": changed(this.p50_s, before.p50_s),
        "p95_s": changed(this.p95_s, before.p95_s),
        "waited_s": changed(this.waited_s, before.waited_s),
    }


def _sight(sight: Sight) -> dict[str, Any]:
    return {
        "cluster": sight.cluster,
        "watched_from": time_text(sight.watched_from),
        "watched_s": sight.watched_s,
        "blind_s": sight.blind_s,
        "thin_s": sight.thin_s,
    }


def _team(team: TeamWeek) -> dict[str, Any]:
    return {
        "team": team.team or None,
        "environment": team.environment or None,
        "models": team.models,
        "this_week": _counts(team.this_week),
        "last_week": _counts(team.last_week) if team.last_week else None,
    }


def _model(model: ModelWeek) -> dict[str, Any]:
    return {
        "model": str(model.key),
        "team": model.team or None,
        "environment": model.environment or None,
        "change_s": model.change_s,
        "this_week": _figures(model.this_week),
        "last_week": _figures(model.last_week),
    }
