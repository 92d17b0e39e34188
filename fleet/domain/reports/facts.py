"""All that is kept of a week: from it every reader's report is made, today and in a year."""

from dataclasses import dataclass, field
from datetime import datetime

from fleet.domain.records.keys import ModelKey
from fleet.domain.reports.sight import Sight
from fleet.domain.reports.tally import Tally
from fleet.domain.reports.week import Week


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLine:
    """One model's week. team, environment: "" = not told. created_at: None = not known any more.

    last_week: as the report of the week before counted it; None = its cluster was not followed
    then.
    """

    key: ModelKey
    uid: str
    team: str = ""
    environment: str = ""
    created_at: datetime | None = None
    gone_at: datetime | None = None
    this_week: Tally = field(default_factory=Tally)
    last_week: Tally | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekFacts:
    """counted_until: starts that began before it are counted, as they stood at `counted_at`.

    first_data_at: when anything was seen for the first time; None = never. lines: models that
    started in one of the two weeks, came or went, by key.
    """

    week: Week
    counted_at: datetime
    counted_until: datetime
    first_data_at: datetime | None
    lines: tuple[ModelLine, ...] = ()
    sights: tuple[Sight, ...] = ()

    @property
    def any_data(self) -> bool:
        """Whether anything was watched in this week."""
        return self.first_data_at is not None and self.first_data_at < self.counted_until

    @property
    def any_last_week(self) -> bool:
        """Whether anything was watched in the week before."""
        return self.first_data_at is not None and self.first_data_at < self.week.since
