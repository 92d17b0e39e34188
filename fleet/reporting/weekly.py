"""The weekly report: read as it was kept, else counted now; made once when its week is over."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from fleet.domain.reports.figures import Figures
from fleet.domain.reports.report import Choice, Kept, Report, report_of, sights_of, total_of
from fleet.domain.reports.week import Week
from fleet.errors import BadInput
from fleet.history.counted import any_past_being_read, followed_from
from fleet.history.reports import keep_again, keep_first, kept_week, kept_weeks
from fleet.reporting.lately import counted_lately, counted_now

# Gaps in watching are kept for 30 days: older weeks cannot tell their hours blind any more.
CATCH_UP_WEEKS = 4


def read_report(
    week: Week, choice: Choice, *, now: datetime, revision: int | None = None
) -> Report:
    """The kept report (a revision, or the newest), else one counted now that nobody keeps.

    Raises BadInput for a revision that there is not.
    """
    found = kept_week(week, revision=revision)
    if found is not None:
        return report_of(found[0], choice, kept=found[1])
    if revision is not None:
        raise BadInput(f"week {week} has no report of revision {revision}")
    return report_of(counted_lately(week, now=now), choice)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekTotal:
    """One week in a list. total: None = nothing was watched, or nobody counted it yet.

    lower_bounds: starts may be missing from it.
    """

    week: Week
    kept: Kept | None
    total: Figures | None
    lower_bounds: bool = False


def read_totals(choice: Choice, *, now: datetime, before: Week, at_most: int) -> list[WeekTotal]:
    """Weeks before that one in which anything was followed, the newest first. The running week is
    counted now; weeks that are over are told as they were kept."""
    since = min(followed_from().values(), default=None)
    found: list[WeekTotal] = []
    week = before.before
    while since is not None and week.until > since and len(found) < at_most:
        found.append(_total(week, choice, now=now))
        week = week.before
    return found


def _total(week: Week, choice: Choice, *, now: datetime) -> WeekTotal:
    found = kept_week(week)
    if found is None and week.is_over(now=now):
        return WeekTotal(week=week, kept=None, total=None)
    facts, kept = found or (counted_lately(week, now=now), None)
    return WeekTotal(
        week=week,
        kept=kept,
        total=total_of(facts, choice),
        lower_bounds=any(sight.hides_starts for sight in sights_of(facts, choice)),
    )


def make_report(week: Week, *, now: datetime) -> bool:
    """Keep the first report of a week that is over; whether we did: False when there is one,
    nothing was watched, or a recorded past is still being read."""
    ready = week.is_settled(now=now) and not any_past_being_read(now=now)
    if not ready or week in kept_weeks([week]):
        return False
    facts = counted_now(week, now=now)
    return facts.any_data and keep_first(facts)


def make_again(week: Week, *, why: str, now: datetime) -> Kept:
    """Count a week once more and keep that beside what is kept; raises BadInput where there is
    nothing to count, or no reason."""
    if not week.is_settled(now=now):
        raise BadInput(f"week {week} is not over: its report is counted anew at each look")
    facts = counted_now(week, now=now)
    if not facts.any_data:
        raise BadInput(f"nothing was watched in week {week}")
    return keep_again(facts, why=why)


def make_due_reports(*, now: datetime) -> list[Week]:
    """Make those of the last weeks that are missing, the oldest first; which were made."""
    return [week for week in due_weeks(now=now) if make_report(week, now=now)]


def due_weeks(*, now: datetime) -> list[Week]:
    """Settled weeks without a report; none while a recorded past is still being read."""
    since = min(followed_from().values(), default=None)
    if since is None or any_past_being_read(now=now):
        return []
    weeks = [week for week in _last_weeks(now) if week.is_settled(now=now) and week.until > since]
    kept = kept_weeks(weeks)
    return sorted(week for week in weeks if week not in kept)


def _last_weeks(now: datetime) -> Iterator[Week]:
    """The newest first."""
    week = Week.of(now)
    for _ in range(CATCH_UP_WEEKS):
        week = week.before
        yield week
