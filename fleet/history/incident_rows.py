"""An incident's row <-> what the domain counts on."""

from datetime import datetime
from typing import Any

from fleet.domain.requests.incidents import IncidentSpan, Unread, by_hop
from fleet.domain.requests.records import Hop, Tally
from fleet.models import Incident

# Spans that were not read, kept with one incident.
MOST_UNREAD = 50


def span_of(row: Incident) -> IncidentSpan:
    """The row as the domain counts on it."""
    kept = row.around
    errors = {_place(name): count for name, count in kept.get("errors", {}).items()}
    return IncidentSpan(
        started_at=row.started_at,
        last_error_at=row.last_error_at,
        tally=Tally(
            requests=row.requests,
            errors=errors,
            told=frozenset(Hop(name) for name in kept.get("told", ())),
            at_least=frozenset(Hop(name) for name in kept.get("at_least", ())),
            requests_at_least=bool(kept.get("requests_at_least")),
            client_gone=row.client_gone,
        ),
        revisions=frozenset(row.revisions),
        unread=tuple(
            Unread(since=datetime.fromisoformat(since), until=datetime.fromisoformat(until))
            for since, until in kept.get("unread", ())
        ),
    )


def _place(name: str) -> tuple[Hop, int]:
    hop, _, code = name.partition("/")
    return Hop(hop), int(code)


def set_columns(row: Incident, span: IncidentSpan) -> None:
    """What was counted; what else the row holds stays, save what happened about it."""
    row.started_at = span.started_at
    row.last_error_at = span.last_error_at
    row.requests = span.tally.requests
    row.requests_lost = span.tally.lost
    row.at_least = span.at_least
    row.client_gone = span.tally.client_gone
    row.by_hop = dict(by_hop(span.tally))
    row.by_code = {str(code): count for code, count in sorted(span.tally.by_code().items())}
    row.revisions = sorted(span.revisions)
    row.around = _counted(span)


def _counted(span: IncidentSpan) -> dict[str, Any]:
    """What the next step counts on: errors by hop and code, which hops were told, holes."""
    errors = sorted(span.tally.errors.items(), key=lambda each: (each[0][0].value, each[0][1]))
    return {
        "errors": {f"{hop.value}/{code}": count for (hop, code), count in errors},
        "told": sorted(span.tally.told),
        "at_least": sorted(span.tally.at_least),
        "requests_at_least": span.tally.requests_at_least,
        "unread": [
            [hole.since.isoformat(), hole.until.isoformat()] for hole in span.unread[-MOST_UNREAD:]
        ],
    }
