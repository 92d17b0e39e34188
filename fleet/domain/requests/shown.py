"""What the fleet row says of requests: five minutes by hop, and half an hour of minutes."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from fleet.domain.records.keys import Mode
from fleet.domain.requests.records import WINDOW_S, Hop, RequestWindow, Tally
from fleet.domain.requests.sums import in_turn

ERRORS_S = 300
SPARK_MINUTES = 30
MINUTE = timedelta(minutes=1)
# Hops of each mode, from the caller to the model.
PATHS: Mapping[Mode, frozenset[Hop]] = {
    Mode.KNATIVE: frozenset({Hop.INGRESS, Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.CONTAINER}),
    Mode.STANDARD: frozenset({Hop.INGRESS, Hop.CONTAINER}),
    Mode.LLM: frozenset({Hop.INGRESS, Hop.PICKER, Hop.CONTAINER}),
}
# Where requests of a mode are counted even if there are none: then no series is no request.
COUNTED_AT: Mapping[Mode, frozenset[Hop]] = {
    Mode.KNATIVE: frozenset({Hop.ACTIVATOR, Hop.QUEUE_PROXY, Hop.INGRESS}),
    Mode.STANDARD: frozenset({Hop.INGRESS}),
    Mode.LLM: frozenset({Hop.INGRESS, Hop.PICKER}),
}


def is_measured(mode: Mode, told: frozenset[Hop], *, seen: bool) -> bool:
    """Whether requests of a model are counted here. told: hops that its cluster's metrics tell
    apart. seen: its windows came lately."""
    return seen or bool(COUNTED_AT[mode] & told)


def quiet(mode: Mode, told: frozenset[Hop]) -> Tally:
    """No request, where they are counted."""
    return Tally(requests=0, told=PATHS[mode] & told, client_gone=0)


def errors_json(
    windows: Sequence[Tally],
    *,
    none: Tally,
    whole: bool = True,
    window_s: float = ERRORS_S,
    in_flight: float | None = None,
) -> dict[str, Any]:
    """The API's `errors` of a model. none: what a time without any request tells. whole: False
    where a part of the time was not read, so that all counts are lower bounds; of requests that
    are one a share would be too large, and is None. in_flight: requests that are not answered yet,
    None = not known."""
    tally = in_turn(windows) if windows else none
    requests_at_least = tally.requests_at_least or not whole
    at_least = tally.at_least if whole else tally.at_least | tally.told
    return {
        "window_s": window_s,
        "requests": tally.requests,
        "share_5xx": None if requests_at_least else share(tally.lost, tally.requests),
        "by_hop": {hop.value: count for hop, count in tally.by_hop().items()},
        "client_gone": tally.client_gone,
        "lost": tally.lost,
        "at_least": sorted(hop.value for hop in at_least),
        "requests_at_least": requests_at_least,
        "in_flight": in_flight,
    }


def in_flight_at(windows: Iterable[RequestWindow], until: datetime) -> float | None:
    """Most requests that were under way in the window that ends at `until`, held ones included, of
    all revisions together; None = not known."""
    last = until - timedelta(seconds=WINDOW_S)
    known = [w.tally.in_flight for w in windows if w.at == last and w.tally.in_flight is not None]
    return sum(known) if known else None


def read_share(
    since: datetime, until: datetime, unread: Iterable[tuple[datetime, datetime]]
) -> float:
    """Which part of a time was read, 0 to 1. unread: spans that do not overlap."""
    dark_s = sum(
        max(0.0, (min(end, until) - max(begin, since)).total_seconds()) for begin, end in unread
    )
    return max(0.0, 1.0 - dark_s / (until - since).total_seconds())


def share(lost: int, requests: int | None) -> float | None:
    """5xx of all requests, never above 1; None without a request."""
    if not requests:
        return 1.0 if lost else None
    return round(min(1.0, lost / requests), 4)


class Glance(NamedTuple):
    """The least of a window: when it began, requests (None = not known), 5xx."""

    at: datetime
    requests: int | None
    lost: int


def spark_json(
    windows: Iterable[Glance],
    *,
    until: datetime,
    unread: Sequence[tuple[datetime, datetime]],
) -> list[list[int | None] | None]:
    """[requests, 5xx] of each of the last minutes, oldest first; None = the minute was not read.

    until: the end of the newest window. A minute that was read in part is known in part.
    """
    first = _end_of_minute(until) - SPARK_MINUTES * MINUTE
    bars: list[list[int | None] | None] = [None] * SPARK_MINUTES
    for at, requests, lost in windows:
        place = (at - first) // MINUTE
        if 0 <= place < SPARK_MINUTES:
            bars[place] = _higher(bars[place], requests, lost)
    for place, bar in enumerate(bars):
        at = first + place * MINUTE
        if bar is None and not _is_unread(at, min(at + MINUTE, until), unread):
            bars[place] = [0, 0]
    return bars


def _end_of_minute(moment: datetime) -> datetime:
    whole = moment.replace(second=0, microsecond=0)
    return whole if whole == moment else whole + timedelta(minutes=1)


def _higher(bar: list[int | None] | None, requests: int | None, lost: int) -> list[int | None]:
    """The bar with one window more."""
    before, gone = bar or (None, 0)
    known = requests if before is None else before + (requests or 0)
    return [known, (gone or 0) + lost]


def _is_unread(
    since: datetime, until: datetime, spans: Sequence[tuple[datetime, datetime]]
) -> bool:
    return any(begin < until and since < end for begin, end in spans)
