"""What a list of incidents was asked for: filters, range and place, all in the address."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Self
from urllib.parse import urlencode

from django.http import QueryDict

from dashboard.api.cursors import LONGEST as LONGEST_CURSOR
from dashboard.ranges import TimeRange, read_range
from dashboard.views.asked import member_of, text_of
from fleet.domain.diagnosis.records import Cause
from fleet.domain.records.keys import ModelKey
from fleet.domain.requests.records import Hop

CHOICES = ("24h", "7d", "30d", "90d")
DEFAULT = "7d"
# Four names of 253 characters with slashes between them.
LONGEST_KEY = 1100


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentsQuery:
    """Filters: "" or None = any. q: a text in names; model: a whole key. cursor: "" = the first
    page."""

    range: TimeRange
    q: str = ""
    model: str = ""
    cluster: str = ""
    namespace: str = ""
    team: str = ""
    cause: Cause | None = None
    hop: Hop | None = None
    cursor: str = ""

    @classmethod
    def read(cls, asked: QueryDict, *, now: datetime) -> Self:
        """What the address says; what cannot be understood counts as not said."""
        return cls(
            range=read_range(asked, now=now, choices=CHOICES, default=DEFAULT),
            **{name: text_of(asked, name) for name in ("q", "cluster", "namespace", "team")},
            model=text_of(asked, "model", at_most=LONGEST_KEY),
            cause=member_of(Cause, asked.get("cause")),
            hop=member_of(Hop, asked.get("hop")),
            cursor=text_of(asked, "cursor", at_most=LONGEST_CURSOR),
        )

    @property
    def key(self) -> ModelKey | None:
        """The one model that is asked for; None when none or no whole key is named."""
        names = self.model.split("/")
        return ModelKey(*names) if len(names) == 4 and all(names) else None

    @property
    def filtered(self) -> bool:
        """Whether anything but the range is asked for."""
        return bool(self.said(cursor=""))

    @property
    def first_page(self) -> bool:
        """Whether it is the first page up to now, where new incidents appear."""
        return not self.cursor and "until" not in self.range.said

    def said(self, **changes: Any) -> dict[str, str]:
        """All but the range as the address names it, with `changes`."""
        asked = replace(self, **changes)
        given = {f.name: str(getattr(asked, f.name) or "") for f in fields(self)[1:]}
        return {name: value for name, value in given.items() if value}

    def address(self, **changes: Any) -> str:
        """The query string of this view with `changes`; a changed filter begins at page one."""
        changes.setdefault("cursor", "")
        return urlencode({**self.said(**changes), **self.range.said})
