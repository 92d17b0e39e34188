"""Requests as a table: a row for each window, or each hour, that had any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from dashboard.tables.columns import Column, Table, column
from fleet.domain.records.keys import ModelKey
from fleet.domain.requests.records import Hop, Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedTime:
    """What was counted of one revision in the `seconds` from `at` on."""

    key: ModelKey
    at: datetime
    seconds: int
    revision: str
    tally: Tally


def _of_key(name: str) -> Column[CountedTime]:
    return column(name, lambda row: getattr(row.key, name))


def _of_tally(name: str) -> Column[CountedTime]:
    return column(name, lambda row: getattr(row.tally, name))


def _made_by(hop: Hop) -> Callable[[CountedTime], int | None]:
    return lambda row: row.tally.by_hop()[hop]


def _by_hop() -> Iterator[Column[CountedTime]]:
    for hop in Hop:
        yield column(f"{hop.value.replace('-', '_')}_5xx", _made_by(hop))


def _codes(row: CountedTime) -> str:
    """Like "activator/504=12 container/500=2"."""
    errors = sorted(row.tally.errors.items())
    return " ".join(f"{hop.value}/{code}={count}" for (hop, code), count in errors)


REQUESTS: Table[CountedTime] = Table(
    name="requests",
    columns=(
        column("at"),
        column("seconds"),
        *(_of_key(name) for name in ("cluster", "kind", "namespace", "name")),
        column("revision"),
        _of_tally("requests"),
        _of_tally("requests_at_least"),
        column("lost_5xx", lambda row: row.tally.lost),
        *_by_hop(),
        column("codes", _codes),
        column("at_least", lambda row: " ".join(sorted(row.tally.at_least))),
        _of_tally("client_gone"),
        column("streams_broken", lambda row: row.tally.broken),
        column("streams_cut", lambda row: row.tally.cut),
        column("in_flight_most", lambda row: row.tally.in_flight),
        column("queued_most", lambda row: row.tally.queued),
        _of_tally("p95_s"),
    ),
)
