"""Windows of many models into their rows of hours: read and written as text, with sums that go on
from what was there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from django.db.models import TextField
from django.db.models.functions import Cast

from fleet.domain.requests.owners import Owner
from fleet.domain.requests.records import RequestWindow, Tally
from fleet.domain.requests.sums import in_turn
from fleet.history.request_hours import (
    HOUR,
    Span,
    as_text,
    by_hour,
    hour_of,
    pieces_in,
    pieces_of,
    places_in,
    sum_columns,
    sum_in,
    windows_in,
)
from fleet.history.statements import upsert_rows
from fleet.models import RequestHour

UIDS_AT_ONCE = 500
IDENTITY = ("cluster", "model_uid", "revision", "hour")
JSON_COLUMNS = ("errors", "told", "at_least")


class Place(NamedTuple):
    """Which row."""

    uid: str
    revision: str
    hour: datetime


class Kept(NamedTuple):
    """What a row held. text: its windows as JSON."""

    text: str
    total: Tally


def write_hours(cluster: str, fresh: Mapping[Owner, Sequence[RequestWindow]], span: Span) -> None:
    """Set the windows of the span anew; those beside it stay."""
    kept = dict(_kept(cluster, [owner.uid for owner in fresh], span))
    rows = [
        _columns(owner, Place(owner.uid, revision, hour), some, kept, span)
        for owner, windows in fresh.items()
        for (revision, hour), some in by_hour(windows).items()
    ]
    upsert_rows(RequestHour, rows, by=IDENTITY, sets=("windows", *sum_columns(Tally())))


def _kept(cluster: str, uids: Sequence[str], span: Span) -> Iterator[tuple[Place, Kept]]:
    for first in range(0, len(uids), UIDS_AT_ONCE):
        rows = RequestHour.objects.filter(
            cluster=cluster,
            model_uid__in=uids[first : first + UIDS_AT_ONCE],
            hour__gte=hour_of(span.since),
            hour__lt=span.until,
        )
        for row in rows.annotate(text=Cast("windows", TextField())).defer("windows"):
            text = vars(row)["text"] or "{}"
            yield Place(row.model_uid, row.revision, row.hour), Kept(text, sum_in(row))


def _columns(
    owner: Owner,
    place: Place,
    fresh: Sequence[RequestWindow],
    kept: Mapping[Place, Kept],
    span: Span,
) -> dict[str, Any]:
    before = kept.get(place)
    pieces = pieces_in(before.text) if before else {}
    anew = pieces.keys() & set(places_in(span, place.hour))
    beside = {at: piece for at, piece in pieces.items() if at not in anew}
    text = as_text(beside | pieces_of(fresh, place.hour))
    goes_on = before is not None and not anew and before.total.told
    total = _gone_on(before, fresh) if before and goes_on else _counted(text, place)
    sums = sum_columns(total)
    sums |= {name: msgspec.json.encode(sums[name]).decode() for name in JSON_COLUMNS}
    columns = {"model_uid": owner.uid, "revision": place.revision, "hour": place.hour}
    return asdict(owner.key) | columns | {"windows": text} | sums


def _gone_on(before: Kept, fresh: Sequence[RequestWindow]) -> Tally:
    return in_turn([before.total, *(window.tally for window in fresh)])


def _counted(text: str, place: Place) -> Tally:
    """From all windows of the hour."""
    hour = Span(place.hour, place.hour + HOUR)
    windows = windows_in(text, hour, revision=place.revision, hour=place.hour)
    return in_turn(window.tally for window in windows)
