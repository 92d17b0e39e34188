"""A report as one table: the whole, each start mode, team and cluster, then each model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from dashboard.tables.columns import Cell, Column, Table, column
from fleet.domain.coldstart.start import Phase
from fleet.domain.compare.records import COUNTED
from fleet.domain.records.keys import ModelKey
from fleet.domain.reports.figures import Figures, ModeFigures
from fleet.domain.reports.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """row: all, start-mode, team, cluster or model. Figures are None where they are not known, or
    where such a row has none."""

    row: str
    week: str
    start_mode: str = ""
    team: str = ""
    environment: str = ""
    cluster: str = ""
    key: ModelKey | None = None
    this: Figures | ModeFigures | None = None
    last: Figures | ModeFigures | None = None
    sight: Mapping[str, float | None] = field(default_factory=dict)


def rows_of(report: Report) -> Iterator[Row]:
    """In the order of the page."""
    week, this, last = str(report.week), report.this_week, report.last_week
    yield Row(row="all", week=week, this=this, last=last)
    before = {mode.start_mode: mode for mode in last.modes} if last else {}
    for mode in this.modes if this else ():
        of_mode = before.get(mode.start_mode)
        yield Row(row="start-mode", week=week, start_mode=mode.start_mode, this=mode, last=of_mode)
    for team in report.teams if this else ():
        yield Row(
            row="team",
            week=week,
            team=team.team,
            environment=team.environment,
            this=team.this_week,
            last=team.last_week,
        )
    for sight in report.sights:
        seen = {name: getattr(sight, name) for name in ("watched_s", "blind_s", "thin_s")}
        yield Row(row="cluster", week=week, cluster=sight.cluster, sight=seen)
    for model in report.models:
        yield Row(
            row="model",
            week=week,
            team=model.team,
            environment=model.environment,
            cluster=model.key.cluster,
            key=model.key,
            this=model.this_week,
            last=model.last_week,
        )


def _of_key(name: str) -> Column[Row]:
    return column(name, lambda row: getattr(row.key, name, None))


def _this(name: str) -> Column[Row]:
    return column(name, lambda row: getattr(row.this, name, None))


def _last(name: str) -> Column[Row]:
    return column(f"last_week_{name}", lambda row: getattr(row.last, name, None))


def _sight(name: str) -> Column[Row]:
    return column(name, lambda row: row.sight.get(name))


def _phase(phase: Phase) -> Column[Row]:
    return column(f"{phase.value.replace('-', '_')}_s", _seconds(phase))


def _seconds(phase: Phase) -> Callable[[Row], Cell]:
    def value(row: Row) -> Cell:
        return row.this.phases_s.get(phase.value) if isinstance(row.this, Figures) else None

    return value


COUNTS = ("starts", "ready", "failed", "aborted", "partial", "running", "measured")
LENGTHS = ("p50_s", "p95_s", "longest_s", "waited_s", "failed_s")
LOST = ("requests_lost", "lost_known")
BESIDE = ("starts", "failed", "p50_s", "p95_s", "waited_s")

REPORT: Table[Row] = Table(
    name="report",
    columns=(
        column("row"),
        column("week"),
        column("start_mode"),
        column("team"),
        column("environment"),
        column("cluster"),
        *(_of_key(name) for name in ("kind", "namespace", "name")),
        *(_this(name) for name in (*COUNTS, *LENGTHS, *LOST)),
        *(_last(name) for name in BESIDE),
        *(_phase(phase) for phase in COUNTED),
        *(_sight(name) for name in ("watched_s", "blind_s", "thin_s")),
    ),
)
