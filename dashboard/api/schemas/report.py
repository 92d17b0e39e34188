"""Weekly reports."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field


class ReportRow(BaseModel):
    """A report that was made: its numbers stay. Filters of the list are those of its `url`."""

    week: str = Field(description="ISO week in UTC, like 2026-W48.")
    team: str | None
    environment: str | None
    cluster: str | None
    revision: int
    created_at: datetime
    why: str | None = Field(description="Why it was made once more; null for the first.")
    url: str


class ReportPage(BaseModel):
    """Newest first."""

    items: list[ReportRow]
    next: str | None


class WeekCounts(BaseModel):
    """p50_s: from 5, p95_s: from 20 ready starts; null = too few. waited_s: from demand to Ready,
    and in starts that failed (failed_s)."""

    starts: int
    ready: int
    failed: int
    aborted: int
    partial: int
    running: int
    measured: int = Field(description="Ready starts whose length is known.")
    p50_s: float | None
    p95_s: float | None
    longest_s: float | None
    waited_s: float
    failed_s: float
    requests_lost: int | None = Field(description="5xx while a start was under way; null = unknown")
    lost_known: int = Field(description="Starts of which `requests_lost` is known.")


class ModeCounts(BaseModel):
    """Starts of one start mode."""

    start_mode: str
    starts: int
    measured: int
    p50_s: float | None
    p95_s: float | None


class WeekFigures(WeekCounts):
    """With counts by word, and seconds by phase of ready and failed starts."""

    triggers: dict[str, int]
    failures: dict[str, int]
    phases_s: dict[str, float]
    start_modes: list[ModeCounts]


class WeekChange(BaseModel):
    """This week less last week; null where one of the two is not known."""

    starts: int
    failed: int
    p50_s: float | None
    p95_s: float | None
    waited_s: float | None


class WorstModels(BaseModel):
    """At most five models, the worst first. measure: what they are ordered by."""

    measure: str
    models: list[str]


class ClusterSight(BaseModel):
    """How much of the week a cluster was watched. Nulls: gaps of that time are no longer kept."""

    cluster: str
    watched_from: datetime | None
    watched_s: float
    blind_s: float | None = Field(description="Pods were not seen: starts may be missing.")
    thin_s: float | None = Field(description="Something else was not seen.")


class TeamWeek(BaseModel):
    """null = not told by labels."""

    team: str | None
    environment: str | None
    models: int
    this_week: WeekCounts
    last_week: WeekCounts | None


class ModelWeek(BaseModel):
    """change_s: seconds waited more than last week; null = its cluster was not followed then."""

    model: str
    team: str | None
    environment: str | None
    change_s: float | None
    this_week: WeekFigures
    last_week: WeekFigures | None


class Report(BaseModel):
    """One week, of the caller's part of the fleet. this_week null = nothing was watched then."""

    week: str
    since: datetime
    until: datetime
    cluster: str | None
    team: str | None
    environment: str | None
    revision: int | None = Field(description="null = counted now, not kept.")
    created_at: datetime | None
    why: str | None
    so_far: bool = Field(description="The week still runs.")
    counted_at: datetime
    counted_until: datetime
    first_data_at: datetime | None
    lower_bounds: bool = Field(description="Counts and sums of seconds are at least these.")
    this_week: WeekFigures | None
    last_week: WeekFigures | None
    change: WeekChange | None
    worst: WorstModels
    got_worse: list[str]
    got_better: list[str]
    new_models: list[str]
    gone_models: list[str]
    clusters: list[ClusterSight]
    teams: list[TeamWeek]
    models: list[ModelWeek]
