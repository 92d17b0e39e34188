"""What the address of a model's page asks for: its time, a start mode, two revisions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.http import QueryDict

from dashboard.ranges import RangeLink, TimeRange, range_links, read_range
from dashboard.views.asked import member_of, text_of
from dashboard.views.model_range import CHOICES, usual_range
from fleet.domain.coldstart.start import StartMode
from fleet.domain.records.keys import ModelKey


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelQuery:
    """usual: the range of an address that names none. mode: "" = the commonest. before, after:
    names of revisions, "" = the page chooses."""

    window: TimeRange
    usual: str
    mode: str = ""
    before: str = ""
    after: str = ""

    @property
    def rest(self) -> dict[str, str]:
        """What the address says beside the range."""
        asked = {"mode": self.mode, "before": self.before, "after": self.after}
        return {name: value for name, value in asked.items() if value}

    @property
    def kept(self) -> dict[str, str]:
        """What stays when two other revisions are picked."""
        return {**self.window.said, **({"mode": self.mode} if self.mode else {})}

    @property
    def ranges(self) -> list[RangeLink]:
        """The choices above the page; the rest of its address is kept."""
        return range_links(self.window, choices=CHOICES, default=self.usual, rest=self.rest)

    def address(self, **changes: str) -> str:
        """The query string of this page with `changes`; "" takes a choice back."""
        said = {**self.window.said, **self.rest, **changes}
        return urlencode({name: value for name, value in said.items() if value})


def model_query(asked: QueryDict, key: ModelKey, *, now: datetime) -> ModelQuery:
    usual = usual_range(key, now=now)
    return ModelQuery(
        window=read_range(asked, now=now, choices=CHOICES, default=usual),
        usual=usual,
        mode=member_of(StartMode, asked.get("mode")) or "",
        before=text_of(asked, "before"),
        after=text_of(asked, "after"),
    )
