"""Windows <-> rows of hours."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from fleet.domain.requests.owners import Owner
from fleet.domain.requests.records import WINDOW_S, Hop, RequestWindow, Tally
from fleet.domain.requests.sums import in_turn
from fleet.models import RequestHour

logger = logging.getLogger(__name__)


class Span(NamedTuple):
    """since <= moment < until."""

    since: datetime
    until: datetime


class _Window(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One window as kept: short names, nothing that says nothing. place: of the hour's 120."""

    place: int = msgspec.field(name="i")
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


_decoder = msgspec.json.Decoder(list[_Window])


def hour_of(moment: datetime) -> datetime:
    """The beginning of its hour, UTC."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def by_hour(windows: Iterable[RequestWindow]) -> dict[tuple[str, datetime], list[RequestWindow]]:
    """By revision and hour."""
    found: dict[tuple[str, datetime], list[RequestWindow]] = defaultdict(list)
    for window in windows:
        found[window.revision, hour_of(window.at)].append(window)
    return found


def hour_row(owner: Owner, revision: str, hour: datetime, windows: Sequence[RequestWindow]) -> Any:
    """A row with the windows and their sums. All text in it is of rows or of closed sets."""
    total = in_turn(window.tally for window in windows)
    return RequestHour(
        **asdict(owner.key),
        model_uid=owner.uid,
        revision=revision,
        hour=hour,
        windows=[_kept(window, hour) for window in sorted(windows, key=lambda w: w.at)],
        requests=total.requests,
        requests_at_least=total.requests_at_least,
        errors=_errors_json(total.errors),
        lost=total.lost,
        client_gone=total.client_gone,
        told=_sorted(total.told),
        at_least=_sorted(total.at_least),
    )


def windows_in(text: str, span: Span, *, revision: str, hour: datetime) -> list[RequestWindow]:
    """The windows of a span in the JSON text of a row; none where another release wrote something
    else."""
    try:
        kept = _decoder.decode(text)
    except msgspec.MsgspecError as error:
        logger.warning("skipped kept windows revision=%s because=%s", revision, error)
        return []
    first = (span.since - hour).total_seconds() / WINDOW_S
    end = (span.until - hour).total_seconds() / WINDOW_S
    return [
        RequestWindow(
            revision=revision,
            at=hour + timedelta(seconds=window.place * WINDOW_S),
            tally=_tally(window),
        )
        for window in kept
        if first <= window.place < end
    ]


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


def _kept(window: RequestWindow, hour: datetime) -> Any:
    tally = window.tally
    return msgspec.to_builtins(
        _Window(
            place=int((window.at - hour).total_seconds()) // WINDOW_S,
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
