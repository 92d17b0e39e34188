"""The fleet row's errors: five minutes by hop, half an hour of minutes, and the state they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction

from fleet.domain.records.keys import Mode
from fleet.domain.requests.records import Hop, RequestWindow
from fleet.domain.requests.shown import (
    ERRORS_S,
    SPARK_MINUTES,
    errors_json,
    is_measured,
    quiet,
    read_share,
    spark_json,
)
from fleet.domain.requests.states import Thresholds
from fleet.history.requests import recent_windows, unread
from fleet.history.shown_states import show_state
from fleet.models import ServedModel

SPARK = timedelta(minutes=SPARK_MINUTES)
# A minute that has just begun is shown as far as it was read.
MINUTE = timedelta(minutes=1)
ROWS_AT_ONCE = 500
COLUMNS = ("pk", "model_uid", "mode", "errors", "errors_spark")
WRITTEN = (
    *("errors", "errors_spark", "errors_at", "version", "rank"),
    *("state", "state_code", "state_params", "state_since"),
    *("told_state", "told_code", "told_params"),
)


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
    since = counting.until - SPARK - MINUTE
    windows = recent_windows(counting.cluster, since=since, until=counting.until)
    dark = unread(counting.cluster, since, counting.until)
    found: dict[int, Figures] = {}
    present = ServedModel.objects.present().filter(cluster=counting.cluster)
    for pk, uid, mode, errors, spark in present.values_list(*COLUMNS):
        figures = _figures(Mode(mode), uid, windows.get(uid, ()), counting, dark=dark)
        if figures != (errors, spark):
            found[pk] = figures
    return found


def _figures(
    mode: Mode,
    uid: str,
    windows: Sequence[RequestWindow],
    counting: Counting,
    *,
    dark: Sequence[tuple[datetime, datetime]],
) -> Figures:
    seen = bool(windows) or uid in counting.measured
    since = counting.until - timedelta(seconds=ERRORS_S)
    read = read_share(since, counting.until, dark)
    if not read or not is_measured(mode, counting.told, seen=seen):
        return Figures(None, [])
    last = [window.tally for window in windows if window.at >= since]
    return Figures(
        errors_json(last, none=quiet(mode, counting.told), whole=read == 1.0),
        spark_json(windows, until=counting.until, unread=dark),
    )


def _write(
    figures: Mapping[int, Figures], *, thresholds: Thresholds, now: datetime
) -> list[ServedModel]:
    """In the order in which followers lock rows."""
    written: list[ServedModel] = []
    wanted = sorted(figures)
    for first in range(0, len(wanted), ROWS_AT_ONCE):
        some = ServedModel.objects.select_for_update().order_by("pk")
        for row in some.filter(pk__in=wanted[first : first + ROWS_AT_ONCE]):
            row.errors, row.errors_spark = figures[row.pk]
            row.errors_at = now
            row.version += 1
            show_state(row, thresholds=thresholds, now=now)
            changes = {name: getattr(row, name) for name in WRITTEN}
            ServedModel.objects.filter(pk=row.pk).update(**changes)
            written.append(row)
    return written
