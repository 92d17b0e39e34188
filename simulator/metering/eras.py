"""What Knative's two programs in a call's path count, by how the call ended. Pure.

Source: knative/serving pkg/activator/handler, pkg/queue, pkg/http/handler; each row was seen on
real programs but those of the oldest era, which are read from its code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from simulator.world.passages import Fate, Passage


class Era(StrEnum):
    """How Knative names its metrics."""

    OPENCENSUS = "opencensus"
    TRANSITION = "transition"
    OPENTELEMETRY = "opentelemetry"


# An error_type that stands in for a status. Source: otelhttp, semconv error.type.
REFUSED = "net.OpError"
CLOSED = "errors.errorString"
Witness = str | int | None


@dataclass(frozen=True, slots=True)
class Row:
    """Statuses that are counted, an error type instead, or None where nothing is.

    client_queue: queue-proxy's call to the server. invocation: its histogram of the server.
    server_queue: what it answered. client_activator, server_activator: the same at the activator.
    """

    client_queue: Witness
    invocation: Witness
    server_queue: Witness
    client_activator: Witness
    server_activator: Witness


_NOTHING = Row(None, None, None, None, None)
_ROWS: dict[Fate, Row] = {
    Fate.NO_REVISION: Row(None, None, None, None, 404),
    Fate.HELD_TOO_LONG: Row(None, None, None, None, 504),
    Fate.LEFT_HELD: Row(None, None, None, None, 500),
    Fate.UNREACHABLE: Row(None, None, None, REFUSED, 502),
    Fate.QUEUE_FULL: Row(None, None, 503, 503, 503),
    Fate.REFUSED: Row(REFUSED, 502, 502, 502, 502),
    Fate.TOO_SLOW: Row(CLOSED, 200, 504, 504, 504),
    Fate.LEFT: Row(CLOSED, 200, 200, CLOSED, 200),
    Fate.BROKEN: Row(200, 500, None, 200, None),
    Fate.CUT: Row(200, 500, 200, 200, 200),
}
# Up to 1.18: a canceled call to the server is a 502, a panic is a 500, and streams are not cut.
_OLD_ROWS: dict[Fate, Row] = {
    **_ROWS,
    Fate.TOO_SLOW: Row(None, 502, 504, None, 504),
    Fate.LEFT: Row(None, 502, 502, None, 502),
    Fate.BROKEN: Row(None, 500, 500, None, 500),
    Fate.CUT: Row(None, 200, 200, None, 200),
}


def row_of(passage: Passage, era: Era) -> Row:
    """Without the activator's part for a call that came past it."""
    if passage.fate is Fate.ANSWERED:
        row = Row(*(passage.status,) * 5)
    else:
        rows = _OLD_ROWS if era is Era.OPENCENSUS else _ROWS
        row = rows.get(passage.fate, _NOTHING)
    if passage.proxied:
        return row
    return Row(row.client_queue, row.invocation, row.server_queue, None, None)


def era_of(version: tuple[int, int]) -> Era:
    """By the minor version, each as its first release came out."""
    if version <= (1, 18):
        return Era.OPENCENSUS
    return Era.TRANSITION if version <= (1, 20) else Era.OPENTELEMETRY


def class_of(status: int) -> str:
    return f"{status // 100}xx"


Count = Callable[[Passage], None]
