"""What stands around the fleet table, as fragments that page and socket share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language

from dashboard.access.rules import Grant
from dashboard.live.fragments import Fragment, stamp_of
from dashboard.live.kept import KeptFragments
from dashboard.views.fleet_page import FleetPage
from dashboard.views.fleet_query import FleetQuery
from dashboard.views.strips import Flights, cluster_lines, flights
from dashboard.words import STATE_LABELS, Words
from fleet.domain.ledger.delta import State

KEPT_PARTS = KeptFragments(most=500)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateCount:
    """One count above the table; `address` filters by it, or clears that filter."""

    state: State
    label: Words
    n: int
    address: str
    chosen: bool


def fleet_parts(page: FleetPage, grant: Grant, *, now: datetime) -> list[Fragment]:
    """Counts per state, starts in flight, clusters with data age, and the pager."""
    counts = state_counts(page)
    flying = flights(grant, now=now)
    lines = cluster_lines(grant, now=now)
    pages = pager(page)
    facets = page.facets
    count_facts = [(c.state, c.n, c.address) for c in counts], facets.total, facets.clusters
    line_facts = [(line.name, line.version, line.tone, line.trouble, line.past) for line in lines]
    return [
        part("counts", count_facts, {"counts": counts, "facets": facets}),
        part("flights", flight_facts(flying), {"flights": flying}),
        aging_part("cluster_lines", line_facts, {"lines": lines}),
        part("pager", pages, {"page": page, **pages}),
    ]


def part(name: str, facts: object, context: dict[str, Any]) -> Fragment:
    """The partial of that name as a fragment, kept for equal facts; its root element bears the
    name as id."""
    kept = KEPT_PARTS.get(_dom_id(name), _stamp(facts))
    if kept is None:
        kept = aging_part(name, facts, context)
        KEPT_PARTS.put(kept)
    return kept


def aging_part(name: str, facts: object, context: dict[str, Any]) -> Fragment:
    """As `part`, and made anew each time: it tells an age, which is not among the facts."""
    stamp = _stamp(facts)
    html = render_to_string(f"partials/{name}.html", {**context, "stamp": stamp})
    return Fragment(_dom_id(name), stamp, html.strip())


def _dom_id(name: str) -> str:
    return name.replace("_", "-")


def _stamp(facts: object) -> str:
    return stamp_of(facts, get_language())


def flight_facts(flying: Flights) -> object:
    """What a start in flight shows beside the time that passes."""
    shown = [
        (str(f.key), f.bar.started_ms, str(f.bar.doing), f.eta.typical_s, f.eta.slow_s, f.eta.why)
        for f in flying.shown
    ]
    return shown, flying.total


def state_counts(page: FleetPage) -> list[StateCount]:
    """How many models are in which state, the worst first."""
    chosen = page.query.state
    return [
        StateCount(
            state=state,
            label=STATE_LABELS[state],
            n=n,
            address=fleet_address(page.query, state=None if chosen is state else state, page=1),
            chosen=chosen is state,
        )
        for state, n in page.facets.counts
    ]


def pager(page: FleetPage) -> dict[str, Any]:
    """Where the pages before and after are; "" where there is none."""
    at = min(page.query.page, page.pages)
    return {
        "at": at,
        "pages": page.pages,
        "shown": page.facets.shown,
        "previous": fleet_address(page.query, page=at - 1) if at > 1 else "",
        "following": fleet_address(page.query, page=at + 1) if at < page.pages else "",
    }


def fleet_address(query: FleetQuery, **changes: Any) -> str:
    """The fleet page with this query and `changes`."""
    said = query.address(**changes)
    return f"{reverse('fleet')}?{said}" if said else reverse("fleet")
