"""What a fleet page was asked to show: filters, sort and page, all in the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self
from urllib.parse import urlencode

from django.http import QueryDict

from dashboard.staleness import shown_state
from dashboard.views.asked import LONGEST_TEXT, member_of
from fleet.domain.ledger.delta import State
from fleet.domain.records.keys import Mode

PAGE_SIZE = 50
# How an address asks for models with errors.
WITH_5XX = "5xx"


class Sort(StrEnum):
    """How rows are ordered."""

    WORST = "worst"
    NAME = "name"
    SLOWEST = "slowest"
    PROBES = "probes"
    ERRORS = "errors"


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetQuery:
    """Filters: "" or None = any. errors: only models whose callers got 5xx in the last minutes.
    page counts from 1."""

    cluster: str = ""
    namespace: str = ""
    team: str = ""
    state: State | None = None
    mode: Mode | None = None
    text: str = ""
    errors: bool = False
    sort: Sort = Sort.WORST
    page: int = 1

    @classmethod
    def read(cls, asked: QueryDict) -> Self:
        """What the address says; what cannot be understood counts as not said."""
        return cls(
            cluster=asked.get("cluster", "")[:LONGEST_TEXT],
            namespace=asked.get("namespace", "")[:LONGEST_TEXT],
            team=asked.get("team", "")[:LONGEST_TEXT],
            state=member_of(State, asked.get("state")),
            mode=member_of(Mode, asked.get("mode")),
            text=asked.get("q", "").replace("\0", "").strip()[:LONGEST_TEXT],
            errors=asked.get("errors") == WITH_5XX,
            sort=member_of(Sort, asked.get("sort")) or Sort.WORST,
            page=_page(asked.get("page", "1")),
        )

    @property
    def errors_said(self) -> str:
        return WITH_5XX if self.errors else ""

    @property
    def filtered(self) -> bool:
        return bool(self.address(page=1, sort=Sort.WORST))

    def address(self, **changes: Any) -> str:
        """The query string of this view with `changes`; defaults are left out."""
        asked = replace(self, **changes)
        said = {
            "q": asked.text,
            "cluster": asked.cluster,
            "namespace": asked.namespace,
            "team": asked.team,
            "state": asked.state or "",
            "mode": asked.mode or "",
            "errors": asked.errors_said,
            "sort": "" if asked.sort is Sort.WORST else asked.sort,
            "page": "" if asked.page == 1 else str(asked.page),
        }
        return urlencode({name: value for name, value in said.items() if value})

    def takes(
        self, group: Mapping[str, Any], *, stale: frozenset[str], any_state: bool = False
    ) -> bool:
        """Whether models of this cluster, namespace, team, mode and state are asked for."""
        if not any_state and self.state is not None:
            state = shown_state(group["state"], group["cluster"], stale=stale)
            if state is not self.state:
                return False
        return all(
            not wanted or group[name] == wanted
            for name, wanted in (
                ("cluster", self.cluster),
                ("namespace", self.namespace),
                ("team", self.team),
                ("mode", self.mode),
            )
        )


def _page(text: str) -> int:
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 7 else 1
