"""What a list of cold starts was asked for: filters, range, order and place, all in the address."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Self
from urllib.parse import urlencode

from django.http import QueryDict

from dashboard.api.cursors import LONGEST as LONGEST_CURSOR
from dashboard.ranges import TimeRange, read_range
from dashboard.views.asked import member_of, text_of
from fleet.domain.coldstart.start import Outcome, StartMode, Trigger
from fleet.domain.records.keys import ModelKey

# Offered; shorter ones may be asked for too.
CHOICES = ("24h", "7d", "30d", "90d")
DEFAULT = "7d"
# Four names of 253 characters with slashes between them.
LONGEST_KEY = 1100


class StartSort(StrEnum):
    """How starts are ordered."""

    NEWEST = "newest"
    SLOWEST = "slowest"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartsQuery:
    """Filters: "" or None = any. q: a text in names; model: a whole key. cursor: "" = the first
    page. before, after: revisions to hold against each other, when one model is asked for."""

    range: TimeRange
    q: str = ""
    model: str = ""
    cluster: str = ""
    namespace: str = ""
    team: str = ""
    environment: str = ""
    revision: str = ""
    node: str = ""
    outcome: Outcome | None = None
    trigger: Trigger | None = None
    mode: StartMode | None = None
    sort: StartSort = StartSort.NEWEST
    cursor: str = ""
    before: str = ""
    after: str = ""

    @classmethod
    def read(cls, asked: QueryDict, *, now: datetime) -> Self:
        """What the address says; what cannot be understood counts as not said."""
        texts = ("q", "cluster", "namespace", "team", "environment", "revision", "node")
        names = (*texts, "before", "after")
        return cls(
            range=read_range(asked, now=now, default=DEFAULT),
            **{name: text_of(asked, name) for name in names},
            model=text_of(asked, "model", at_most=LONGEST_KEY),
            outcome=member_of(Outcome, asked.get("outcome")),
            trigger=member_of(Trigger, asked.get("trigger")),
            mode=member_of(StartMode, asked.get("mode")),
            sort=member_of(StartSort, asked.get("sort")) or StartSort.NEWEST,
            cursor=text_of(asked, "cursor", at_most=LONGEST_CURSOR),
        )

    @property
    def key(self) -> ModelKey | None:
        """The one model that is asked for; None when none or no whole key is named."""
        names = self.model.split("/")
        return ModelKey(*names) if len(names) == 4 and all(names) else None

    @property
    def filtered(self) -> bool:
        """Whether anything but the range and the order is asked for."""
        return bool(self.said(sort=StartSort.NEWEST, cursor="", before="", after=""))

    @property
    def further(self) -> bool:
        """Whether one of the filters is used that fold away."""
        named = self.environment or self.trigger or self.revision or self.node
        return bool(named or not self.range.name)

    @property
    def first_newest(self) -> bool:
        """Whether it is the first page of the newest up to now, where new starts appear."""
        return self.sort is StartSort.NEWEST and not self.cursor and "until" not in self.range.said

    def said(self, **changes: Any) -> dict[str, str]:
        """All but the range as the address names it, with `changes`; defaults are left out."""
        asked = replace(self, **changes)
        given = {f.name: str(getattr(asked, f.name) or "") for f in fields(self)[1:]}
        if asked.sort is StartSort.NEWEST:
            given["sort"] = ""
        return {name: value for name, value in given.items() if value}

    @property
    def kept(self) -> dict[str, str]:
        """What stays when two other revisions are picked."""
        return {**self.said(cursor="", before="", after=""), **self.range.said}

    def address(self, **changes: Any) -> str:
        """The query string of this view with `changes`; a changed filter begins at page one."""
        changes.setdefault("cursor", "")
        return urlencode({**self.said(**changes), **self.range.said})
