"""Weeks that are not kept, counted a moment ago: a page that many look at counts once a minute."""

from datetime import datetime, timedelta

from fleet.domain.reports.facts import WeekFacts
from fleet.domain.reports.week import Week
from fleet.history.reports import kept_week
from fleet.history.week_facts import count_week

FRESH = timedelta(seconds=60)
MOST = 4
_lately: dict[Week, WeekFacts] = {}


def counted_now(week: Week, *, now: datetime) -> WeekFacts:
    """As the rows tell it at this moment, beside what is kept of the week before."""
    before = kept_week(week.before)
    return count_week(week, now=now, last_week=before[0] if before else None)


def counted_lately(week: Week, *, now: datetime) -> WeekFacts:
    """At most a minute old; `counted_at` tells when."""
    facts = _lately.get(week)
    if facts is None or not timedelta(0) <= now - facts.counted_at < FRESH:
        facts = counted_now(week, now=now)
        if len(_lately) >= MOST:
            _lately.clear()
        _lately[week] = facts
    return facts


def forget() -> None:
    """Count anew at the next look."""
    _lately.clear()
