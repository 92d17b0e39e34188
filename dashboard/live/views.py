"""What groups of viewers look at."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.http import QueryDict
from django.utils import translation

from dashboard.access.rules import Grant
from dashboard.live.bell import Ring
from dashboard.live.fragments import Shown, by_id
from dashboard.views.cluster_cards import cluster_cards
from dashboard.views.fleet_page import fleet_page
from dashboard.views.fleet_parts import fleet_parts
from dashboard.views.fleet_query import FleetQuery
from dashboard.views.incident_row import incident_fragment, incident_row
from dashboard.views.incidents_page import incidents_page
from dashboard.views.incidents_query import IncidentsQuery
from dashboard.views.model_page import model_page
from dashboard.views.model_parts import model_parts
from dashboard.views.model_range import Said, range_as_said
from dashboard.views.row_fragments import row_fragments
from dashboard.views.start_row import row_fragment, start_rows
from dashboard.views.starts_page import starts_page
from dashboard.views.starts_query import StartsQuery
from dashboard.views.strips import proofs
from fleet.domain.records.keys import ModelKey


def _concerns(ring: Ring, grant: Grant) -> bool:
    """Whether any model that moved may lie in the grant's scope; ring.keys None = any may have."""
    if ring.keys is None or grant.clusters is None:
        return True
    return any(key.split("/", 1)[0] in grant.clusters for key in ring.keys)


@dataclass(frozen=True, slots=True)
class FleetView:
    """The fleet page as seen with these filters, grant and language."""

    query: FleetQuery
    grant: Grant
    language: str = "en"

    @property
    def key(self) -> Hashable:
        return self

    def touched_by(self, ring: Ring) -> bool:
        return _concerns(ring, self.grant)

    def look(self) -> Shown:
        now = datetime.now(UTC)
        with translation.override(self.language):
            page = fleet_page(self.query, self.grant, now=now)
            rows = row_fragments(page, self.grant, now=now)
            parts = fleet_parts(page, self.grant, now=now)
        return Shown(
            fragments=by_id([*parts, *rows]),
            order=tuple(row.dom_id for row in rows),
            proofs=proofs(self.grant),
        )


@dataclass(frozen=True, slots=True)
class ClustersView:
    """The clusters page as seen with this grant and language."""

    grant: Grant
    language: str = "en"

    @property
    def key(self) -> Hashable:
        return self

    def touched_by(self, ring: Ring) -> bool:
        """A cluster's own key rings when its state changes; figures of models wait for the look
        anyway."""
        return ring.keys is None or any("/" not in key for key in ring.keys)

    def look(self) -> Shown:
        now = datetime.now(UTC)
        with translation.override(self.language):
            facts = [card.facts for card in cluster_cards(self.grant, now=now)]
        return Shown(fragments=by_id(facts), proofs=proofs(self.grant))


@dataclass(frozen=True, slots=True)
class StartsView:
    """The list of cold starts as seen with the filters of an address, this grant and language.

    A range that ends now moves on with each look; further pages keep their rows' places.
    """

    address: str
    grant: Grant
    language: str = "en"

    @property
    def key(self) -> Hashable:
        return self

    def touched_by(self, ring: Ring) -> bool:
        return _concerns(ring, self.grant)

    def look(self) -> Shown:
        now = datetime.now(UTC)
        query = StartsQuery.read(QueryDict(self.address), now=now)
        with translation.override(self.language):
            page = starts_page(query, self.grant)
            rows = [row_fragment(row) for row in start_rows(page.starts, now=now)]
        return Shown(
            fragments=by_id(rows),
            order=tuple(row.dom_id for row in rows) if query.first_newest else None,
            proofs=proofs(self.grant),
        )


@dataclass(frozen=True, slots=True)
class IncidentsView:
    """The list of incidents as seen with the filters of an address, this grant and language.

    Those that go on come first, wherever the range begins; further pages keep their rows' places.
    """

    address: str
    grant: Grant
    language: str = "en"

    @property
    def key(self) -> Hashable:
        return self

    def touched_by(self, ring: Ring) -> bool:
        return _concerns(ring, self.grant)

    def look(self) -> Shown:
        now = datetime.now(UTC)
        query = IncidentsQuery.read(QueryDict(self.address), now=now)
        with translation.override(self.language):
            page = incidents_page(query, self.grant)
            rows = [incident_fragment(incident_row(i), now=now) for i in page.incidents]
        return Shown(
            fragments=by_id(rows),
            order=tuple(row.dom_id for row in rows) if query.first_page else None,
            proofs=proofs(self.grant),
        )


@dataclass(frozen=True, slots=True)
class ModelView:
    """One model's page as seen with this grant, range and language."""

    model: ModelKey
    grant: Grant
    said: Said = ()
    language: str = "en"

    @property
    def key(self) -> Hashable:
        return self

    def touched_by(self, ring: Ring) -> bool:
        if ring.keys is None or str(self.model) in ring.keys:
            return True
        return any(key.startswith("action:") for key in ring.keys)

    def look(self) -> Shown:
        now = datetime.now(UTC)
        with translation.override(self.language):
            window = range_as_said(self.said, self.model, now=now)
            page = model_page(self.model, self.grant, window=window, now=now)
            parts = [] if page is None else model_parts(page, now=now)
        return Shown(fragments=by_id(parts), proofs=proofs(self.grant))
