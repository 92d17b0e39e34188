"""Which seven days a report is about."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Self

from fleet.errors import BadInput

WEEK = re.compile(r"([0-9]{4})-W([0-9]{2})")
# Years outside cannot be turned into moments of every zone.
FIRST_YEAR, LAST_YEAR = 1970, 2200
LENGTH = timedelta(days=7)
# A report is made so long after its week: the last messages have come, most starts have ended.
SETTLES = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, order=True)
class Week:
    """An ISO 8601 week in UTC: from Monday 00:00 to before the next Monday 00:00."""

    year: int
    number: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads "2026-W48"; raises BadInput for all else, and for a week that its year lacks."""
        found = WEEK.fullmatch(text)
        if found is None:
            raise BadInput(f"week {text[:40]!r}: expected a year and an ISO week, like 2026-W48")
        year, number = int(found[1]), int(found[2])
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise BadInput(f"week {text!r}: expected a year from {FIRST_YEAR} to {LAST_YEAR}")
        last = date(year, 12, 28).isocalendar().week
        if not 1 <= number <= last:
            raise BadInput(f"week {text!r}: the weeks of {year} are W01 to W{last}")
        return cls(year, number)

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """The week that a moment lies in."""
        found = moment.astimezone(UTC).isocalendar()
        return cls(found.year, found.week)

    @property
    def since(self) -> datetime:
        monday = date.fromisocalendar(self.year, self.number, 1)
        return datetime(monday.year, monday.month, monday.day, tzinfo=UTC)

    @property
    def until(self) -> datetime:
        """The first moment that no longer belongs to it."""
        return self.since + LENGTH

    @property
    def last_day(self) -> date:
        return (self.until - timedelta(days=1)).date()

    @property
    def before(self) -> "Week":
        return Week.of(self.since - LENGTH)

    @property
    def after(self) -> "Week":
        return Week.of(self.until)

    def is_future(self, *, now: datetime) -> bool:
        """Whether it has not begun."""
        return now < self.since

    def is_over(self, *, now: datetime) -> bool:
        return now >= self.until

    def is_settled(self, *, now: datetime) -> bool:
        """Whether it is over long enough for its report to be made."""
        return now >= self.until + SETTLES

    def __str__(self) -> str:
        return f"{self.year:04d}-W{self.number:02d}"


def begun_week(text: str, *, now: datetime) -> Week:
    """The week of that name; raises BadInput also for one that has not begun."""
    week = Week.parse(text)
    if week.is_future(now=now):
        raise BadInput(f"week {week} has not begun: it begins on {week.since:%Y-%m-%d} UTC")
    return week
