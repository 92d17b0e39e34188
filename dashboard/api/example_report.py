"""An example of a weekly report, made by the code that makes them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fleet.domain.records.keys import ModelKey
from fleet.domain.reports.facts import ModelLine, WeekFacts
from fleet.domain.reports.report import Choice, Kept, report_of
from fleet.domain.reports.shape import report_shape
from fleet.domain.reports.sight import Sight
from fleet.domain.reports.tally import Tally
from fleet.domain.reports.week import Week

WEEK = Week(2026, 48)
MADE_AT = datetime(2026, 11, 30, 0, 15, tzinfo=UTC)
THIS_WEEK = Tally(
    outcomes={"failed": 1, "ready": 5},
    triggers={"rollout": 2, "scale-from-zero": 4},
    failures={"image-pull": 1},
    modes={"cached-image": 5, "cold": 1},
    totals_ms={"cached-image": [71000, 79000, 84000, 90500, 171000]},
    failed_ms=600000,
    phases_ms={"decide": 6000, "load-engine": 290500, "pull-image": 600000, "schedule": 199000},
)
LAST_WEEK = Tally(
    outcomes={"ready": 5},
    triggers={"scale-from-zero": 5},
    modes={"cached-image": 5},
    totals_ms={"cached-image": [70000, 77000, 80000, 86000, 95000]},
    phases_ms={"decide": 5000, "load-engine": 280000, "schedule": 123000},
)
FACTS = WeekFacts(
    week=WEEK,
    counted_at=MADE_AT,
    counted_until=WEEK.until,
    first_data_at=datetime(2026, 10, 1, tzinfo=UTC),
    lines=(
        ModelLine(
            key=ModelKey("demo-a", "InferenceService", "chat", "llama-3-8b"),
            uid="c1c7c1a2-4f0e-4f59-9f43-0d1c3a5b7e21",
            team="search",
            environment="prod",
            this_week=THIS_WEEK,
            last_week=LAST_WEEK,
        ),
    ),
    sights=(
        Sight(
            cluster="demo-a", watched_from=WEEK.since, watched_s=604800.0, blind_s=0.0, thin_s=40.0
        ),
    ),
)
REPORT: dict[str, Any] = report_shape(
    report_of(FACTS, Choice(), kept=Kept(revision=1, created_at=MADE_AT, why=""))
)
REPORT_ROW: dict[str, Any] = {
    "week": "2026-W48",
    "team": "search",
    "environment": "prod",
    "cluster": None,
    "revision": 1,
    "created_at": "2026-11-30T00:15:00Z",
    "why": None,
    "url": "https://pilotlight.example.com/reports/2026-W48/?team=search&environment=prod&revision=1",
}
