"""Weeks made by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from fleet.domain.records.keys import ModelKey
from fleet.domain.reports.facts import ModelLine, WeekFacts
from fleet.domain.reports.sight import Sight
from fleet.domain.reports.tally import CountedStart, Tally
from fleet.domain.reports.week import Week

WEEK = Week(2026, 48)
MADE_AT = datetime(2026, 11, 30, 0, 15, tzinfo=UTC)
LONG_AGO = datetime(2026, 10, 1, tzinfo=UTC)


def start(total_s: float | None = 60.0, **fields: Any) -> CountedStart:
    given: dict[str, Any] = {
        "outcome": "ready",
        "trigger": "scale-from-zero",
        "start_mode": "cached-image",
        "failure_class": "",
        "phases_s": {"load-engine": total_s or 0.0},
    }
    given |= fields
    given["phases_s"] = tuple(given["phases_s"].items())
    return CountedStart(total_s=total_s, **given)


def failed(total_s: float = 600.0, **fields: Any) -> CountedStart:
    return start(total_s, **{"outcome": "failed", "failure_class": "crash", **fields})


def tally(*starts: CountedStart) -> Tally:
    counted = Tally()
    for one in starts:
        counted.count(one)
    return counted.sorted()


def line(
    name: str = "llama",
    this: Sequence[CountedStart] = (),
    before: Sequence[CountedStart] | None = (),
    **fields: Any,
) -> ModelLine:
    place = {
        "cluster": fields.pop("cluster", "a"),
        "kind": "InferenceService",
        "namespace": fields.pop("namespace", "chat"),
    }
    given: dict[str, Any] = {"uid": f"uid-{name}", "team": "search", "environment": "prod"}
    return ModelLine(
        key=ModelKey(**place, name=name),
        this_week=tally(*this),
        last_week=None if before is None else tally(*before),
        **given | fields,
    )


def sight(cluster: str = "a", **fields: Any) -> Sight:
    given: dict[str, Any] = {
        "watched_from": WEEK.since,
        "watched_s": 604800.0,
        "blind_s": 0.0,
        "thin_s": 0.0,
    }
    return Sight(cluster=cluster, **given | fields)


def facts(*lines: ModelLine, **fields: Any) -> WeekFacts:
    given: dict[str, Any] = {
        "week": WEEK,
        "counted_at": MADE_AT,
        "counted_until": WEEK.until,
        "first_data_at": LONG_AGO,
        "sights": (sight(),),
    }
    return WeekFacts(lines=lines, **given | fields)
