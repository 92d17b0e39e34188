"""Windows <-> rows of hours."""

import logging
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

import msgspec

from fleet.domain.requests.owners import Owner
from fleet.domain.requests.records import WINDOW_S, Hop, RequestWindow, Tally
from fleet.domain.requests.shown import Glance
from fleet.domain.requests.sums import in_turn
from fleet.models import RequestHour

logger = logging.getLogger(__name__)

HOUR = timedelta(hours=1)
PLACES = 3600 // WINDOW_S
OFFSETS = [timedelta(seconds=place * WINDOW_S) for place in range(PLACES)]


class Span(NamedTuple):
    """since <= moment < until."""

    since: datetime
    until: datetime


class _Window(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One window as kept: short names, nothing that says nothing."""

    requests: int | None = msgspec.field(name="n", default=None)
    errors: dict[str, int] = msgspec.field(name="e", default_factory=dict)
    told: tuple[Hop, ...] = msgspec.field(name="t", default=())
    at_least: tuple[Hop, ...] = msgspec.field(name="l", default=())
    requests_at_least: bool = msgspec.field(name="r", default=False)
    client_gone: int | None = msgspec.field(name="g", default=None)
    broken: int | None = msgspec.field(name="b", default=None)
    cut: int | None = msgspec.field(name="c", default=None)
    in_flight: float | None = msgspec.field(name="f", default=None)
    queued: float | None = msgspec.field(name="q", default=None)
    p95_s: float | None = msgspec.field(name="p", default=None)


class _Glance(msgspec.Struct):
    """The least of a window."""

    requests: int | None = msgspec.field(name="n", default=None)
    errors: dict[str, int] = msgspec.field(name="e", default_factory=dict)


# By place: which of the hour's 120 windows.
Pieces = dict[int, msgspec.Raw]
_windows = msgspec.json.Decoder(dict[int, _Window])
_glances = msgspec.json.Decoder(dict[int, _Glance])
_pieces = msgspec.json.Decoder(Pieces)
_encoder = msgspec.json.Encoder()
T = TypeVar("T")


def hour_of(moment: datetime) -> datetime:
    """The beginning of its hour, UTC."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def by_hour(windows: Iterable[RequestWindow]) -> dict[tuple[str, datetime], list[RequestWindow]]:
    """By revision and hour."""
    found: dict[tuple[str, datetime], list[RequestWindow]] = defaultdict(list)
    for window in windows:
        found[window.revision, hour_of(window.at)].append(window)
    return found


def hour_row(
    owner: Owner, revision: str, hour: datetime, windows: Sequence[RequestWindow]
) -> RequestHour:
    """A row with the windows and their sums. All text in it is of rows or of closed sets."""
    return RequestHour(
        **asdict(owner.key),
        model_uid=owner.uid,
        revision=revision,
        hour=hour,
        windows=msgspec.json.decode(as_text(pieces_of(windows, hour))),
        **sum_columns(in_turn(window.tally for window in windows)),
    )


def sum_columns(total: Tally) -> dict[str, Any]:
    """The columns that tell an hour's sums."""
    return {
        "requests": total.requests,
        "requests_at_least": total.requests_at_least,
        "errors": _errors_json(total.errors),
        "lost": total.lost,
        "client_gone": total.client_gone,
        "told": _sorted(total.told),
        "at_least": _sorted(total.at_least),
    }


def pieces_of(windows: Iterable[RequestWindow], hour: datetime) -> Pieces:
    """Windows of one hour, each as it is kept."""
    return {_place(w.at, hour): msgspec.Raw(_encoder.encode(_kept(w.tally))) for w in windows}


def pieces_in(text: str) -> Pieces:
    """The windows in the JSON text of a row, unread; none where another release wrote something
    else."""
    return _decoded(_pieces, text)


def as_text(pieces: Pieces) -> str:
    """The JSON text of a row's windows."""
    return _encoder.encode(dict(sorted(pieces.items()))).decode()


def places_in(span: Span, hour: datetime) -> range:
    """Places of an hour that begin in the span."""
    return range(
        max(0, math.ceil((span.since - hour).total_seconds() / WINDOW_S)),
        min(PLACES, math.ceil((span.until - hour).total_seconds() / WINDOW_S)),
    )


def windows_in(text: str, span: Span, *, revision: str, hour: datetime) -> list[RequestWindow]:
    """The windows of a span in the JSON text of a row."""
    places = places_in(span, hour)
    return [
        RequestWindow(revision=revision, at=_at(place, hour), tally=_tally(window))
        for place, window in _decoded(_windows, text).items()
        if place in places
    ]


def glances_in(text: str, span: Span, *, hour: datetime) -> list[Glance]:
    """The same, told in few words."""
    places = places_in(span, hour)
    return [
        Glance(
            hour + OFFSETS[place],
            window.requests,
            sum(window.errors.values()) if window.errors else 0,
        )
        for place, window in _decoded(_glances, text).items()
        if place in places
    ]


def _decoded(decoder: "msgspec.json.Decoder[dict[int, T]]", text: str) -> dict[int, T]:
    try:
        return decoder.decode(text)
    except msgspec.MsgspecError as error:
        logger.warning("skipped kept windows because=%s", error)
        return {}


def _place(moment: datetime, hour: datetime) -> int:
    return int((moment - hour).total_seconds()) // WINDOW_S


def _at(place: int, hour: datetime) -> datetime:
    return hour + OFFSETS[place]


def sum_in(row: RequestHour) -> Tally:
    """The sums of a row."""
    return Tally(
        requests=row.requests,
        errors=_errors(row.errors),
        told=frozenset(map(Hop, row.told)),
        at_least=frozenset(map(Hop, row.at_least)),
        requests_at_least=row.requests_at_least,
        client_gone=row.client_gone,
    )


def _kept(tally: Tally) -> _Window:
    return _Window(
        requests=tally.requests,
        errors=_errors_json(tally.errors),
        told=tuple(sorted(tally.told)),
        at_least=tuple(sorted(tally.at_least)),
        requests_at_least=tally.requests_at_least,
        client_gone=tally.client_gone,
        broken=tally.broken,
        cut=tally.cut,
        in_flight=tally.in_flight,
        queued=tally.queued,
        p95_s=tally.p95_s,
    )


def _tally(window: _Window) -> Tally:
    return Tally(
        requests=window.requests,
        errors=_errors(window.errors),
        told=frozenset(window.told),
        at_least=frozenset(window.at_least),
        requests_at_least=window.requests_at_least,
        client_gone=window.client_gone,
        broken=window.broken,
        cut=window.cut,
        in_flight=window.in_flight,
        queued=window.queued,
        p95_s=window.p95_s,
    )


def _errors_json(errors: Mapping[tuple[Hop, int], int]) -> dict[str, int]:
    return {f"{hop.value}/{code}": count for (hop, code), count in sorted(errors.items())}


def _errors(kept: Mapping[str, int]) -> dict[tuple[Hop, int], int]:
    places = ((place.partition("/"), count) for place, count in kept.items())
    return {(Hop(hop), int(code)): count for (hop, _, code), count in places}


def _sorted(hops: Iterable[Hop]) -> list[str]:
    return sorted(hop.value for hop in hops)
