"""Incidents as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.utils.translation import gettext_lazy as _

from dashboard.tables.columns import Column, Table, column
from fleet.domain.requests.records import Hop
from fleet.models import Incident


def _lost_by(hop: Hop) -> Callable[[Incident], int | None]:
    """5xx of that hop; None = cannot be told apart there."""

    def value(row: Incident) -> int | None:
        found: int | None = row.by_hop.get(hop.value)
        return found

    return value


def _hops() -> Iterator[Column[Incident]]:
    for hop in Hop:
        yield column(f"lost_{hop.value.replace('-', '_')}", _lost_by(hop))


def _length_s(row: Incident) -> float | None:
    """None = it goes on."""
    return None if row.ended_at is None else (row.ended_at - row.started_at).total_seconds()


def _codes(row: Incident) -> str:
    return " ".join(f"{code}:{count}" for code, count in sorted(row.by_code.items()))


INCIDENTS: Table[Incident] = Table(
    name="incidents",
    columns=(
        column("started_at", title=_("Began"), css="i-when"),
        column("ended_at"),
        column("cluster"),
        column("kind"),
        column("namespace"),
        column("name", title=_("Model"), css="i-model"),
        column("length_s", _length_s, _("How long"), css="i-length"),
        column("requests_lost", title=_("Requests lost"), css="i-lost"),
        column("at_least"),
        column("requests"),
        *_hops(),
        column("codes", _codes, _("Answered by"), css="i-hops"),
        column("client_gone"),
        column("cause", title=_("Cause"), css="i-cause"),
        column("confidence"),
        column("revisions", lambda row: " ".join(row.revisions)),
        column("id", lambda row: row.pk),
    ),
)
