"""The fleet row's errors: five minutes by hop, half an hour of minutes, and the state they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
from django.db import transaction

from fleet.domain.records.keys import Mode
from fleet.domain.requests.records import Hop
from fleet.domain.requests.shown import (
    ERRORS_S,
    SPARK_MINUTES,
    errors_json,
    in_flight_at,
    is_measured,
    quiet,
    read_share,
    spark_json,
)
from fleet.domain.requests.states import Thresholds
from fleet.history.request_hours import Span
from fleet.history.requests import Recent, recent, unread
from fleet.history.shown_states import show_state
from fleet.history.statements import update_rows
from fleet.models import ServedModel

SPARK = timedelta(minutes=SPARK_MINUTES)
# A minute that has just begun is shown as far as it was read.
MINUTE = timedelta(minutes=1)
ERRORS = timedelta(seconds=ERRORS_S)
ROWS_AT_ONCE = 500
COLUMNS = ("pk", "model_uid", "mode", "errors", "errors_spark")
PLAIN = (
    *("errors_at", "version", "rank", "state", "state_code", "state_since"),
    *("told_state", "told_code"),
)
JSON_COLUMNS = ("errors_spark", "state_params", "told_params")
# All that is read of a row; what it shows of starts is the largest part of it.
READ = (
    *(*PLAIN, *JSON_COLUMNS, "errors", "ready", "model_uid"),
    *("cluster", "kind", "namespace", "name"),
)
NOTHING = Recent([], [])


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """Which errors are counted: of one cluster, up to `until`. told: hops that its metrics tell
    apart. measured: uids of models that series were found of now."""

    cluster: str
    until: datetime
    told: frozenset[Hop]
    measured: frozenset[str]


class Figures(NamedTuple):
    """What a row shows of requests."""

    errors: dict[str, Any] | None
    spark: list[list[int | None] | None]


def write_error_rows(
    counting: Counting, *, thresholds: Thresholds, now: datetime
) -> list[ServedModel]:
    """Bring the rows of one cluster up to date; gives those whose figures changed."""
    differing = _differing(counting)
    return _write(differing, thresholds=thresholds, now=now)


def forget_errors(cluster: str, *, thresholds: Thresholds, now: datetime) -> tuple[str, ...]:
    """Nothing new was read for too long: errors are not known. Keys of the rows that changed."""
    with transaction.atomic():
        rows = ServedModel.objects.present().filter(cluster=cluster, errors__isnull=False)
        nothing = {pk: Figures(None, []) for pk in rows.values_list("pk", flat=True)}
        return tuple(str(row.key) for row in _write(nothing, thresholds=thresholds, now=now))


def _differing(counting: Counting) -> dict[int, Figures]:
    span = Span(counting.until - SPARK - MINUTE, counting.until)
    newest = recent(counting.cluster, span, in_full=counting.until - ERRORS)
    dark = unread(counting.cluster, *span)
    found: dict[int, Figures] = {}
    present = ServedModel.objects.present().filter(cluster=counting.cluster)
    for pk, uid, mode, errors, spark in present.values_list(*COLUMNS):
        figures = _figures(Mode(mode), uid, newest.get(uid, NOTHING), counting, dark=dark)
        if figures != (errors, spark):
            found[pk] = figures
    return found


def _figures(
    mode: Mode,
    uid: str,
    newest: Recent,
    counting: Counting,
    *,
    dark: Sequence[tuple[datetime, datetime]],
) -> Figures:
    seen = bool(newest.glances) or uid in counting.measured
    read = read_share(counting.until - ERRORS, counting.until, dark)
    if not read or not is_measured(mode, counting.told, seen=seen):
        return Figures(None, [])
    tallies = [window.tally for window in newest.windows]
    return Figures(
        errors_json(
            tallies,
            none=quiet(mode, counting.told),
            whole=read == 1.0,
            in_flight=in_flight_at(newest.windows, counting.until),
        ),
        spark_json(newest.glances, until=counting.until, unread=dark),
    )


def _write(
    figures: Mapping[int, Figures], *, thresholds: Thresholds, now: datetime
) -> list[ServedModel]:
    """In the order in which followers lock rows."""
    written: list[ServedModel] = []
    wanted = sorted(figures)
    for first in range(0, len(wanted), ROWS_AT_ONCE):
        rows = ServedModel.objects.select_for_update().order_by("pk").only(*READ)
        some = list(rows.filter(pk__in=wanted[first : first + ROWS_AT_ONCE]))
        for row in some:
            row.errors, row.errors_spark = figures[row.pk]
            row.errors_at = now
            row.version += 1
            show_state(row, thresholds=thresholds, now=now)
        update_rows(ServedModel, {row.pk: _values(row) for row in some})
        written += some
    return written


def _values(row: ServedModel) -> dict[str, Any]:
    plain = {name: getattr(row, name) for name in PLAIN}
    texts = {name: msgspec.json.encode(getattr(row, name)).decode() for name in JSON_COLUMNS}
    errors = None if row.errors is None else msgspec.json.encode(row.errors).decode()
    return plain | texts | {"errors": errors}
