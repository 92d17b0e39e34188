"""Requests lost, joined to the start in whose time they fell."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from fleet.domain.records.keys import Mode
from fleet.domain.requests.lost import AFTERMATH, WINDOW, Attempt, lost_to_starts, was_read
from fleet.domain.requests.records import Hop, RequestWindow, Tally
from fleet.domain.requests.shown import is_measured, quiet
from fleet.history.requests import unread, windows_of
from fleet.models import ColdStart, ServedModel
from fleet.models.cold_start import ColdStartQuerySet

# A start that runs for longer keeps what was counted until then.
LONGEST = timedelta(hours=6)
# Starts may become known some time after their end.
KNOWN_LATE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What was read of one cluster: from `since` just now, up to `until` in all. told: hops that
    its metrics tell apart."""

    cluster: str
    since: datetime
    until: datetime
    told: frozenset[Hop]


def write_losses(sight: Sight) -> tuple[str, ...]:
    """Set `requests_lost` of the starts that what was read may concern; keys of their models where
    it changed."""
    concerned = {row.pk: row for row in _concerned(sight)}
    if not concerned:
        return ()
    by_model: dict[str, list[ColdStart]] = defaultdict(list)
    for row in _rivals(sight, list(concerned.values())):
        by_model[row.model_uid].append(row)
    first = min(row.started_at for row in concerned.values()) - WINDOW
    windows = windows_of(sight.cluster, sorted(by_model), since=first, until=sight.until)
    dark = unread(sight.cluster, first, sight.until)
    modes = _modes(sight.cluster, by_model)
    changed: dict[int, ColdStart] = {}
    for uid, starts in by_model.items():
        found = _losses(starts, windows.get(uid, ()), modes.get(uid), sight=sight, dark=dark)
        for row in starts:
            if row.pk in concerned and found[row.pk] != row.requests_lost:
                row.requests_lost = found[row.pk]
                changed[row.pk] = row
    _write(changed)
    return tuple(sorted({str(row.key) for row in changed.values()}))


def _recent(sight: Sight, ended_since: datetime) -> ColdStartQuerySet:
    ended = Q(ended_at=None, ready_at=None) | Q(ended_at__gte=ended_since)
    return ColdStart.objects.filter(
        ended | Q(ready_at__gte=ended_since), cluster=sight.cluster, started_at__lt=sight.until
    ).defer("phases", "log")


def _concerned(sight: Sight) -> ColdStartQuerySet:
    return _recent(sight, sight.since - KNOWN_LATE).started_since(sight.until - LONGEST)


def _rivals(sight: Sight, concerned: Sequence[ColdStart]) -> ColdStartQuerySet:
    """All starts of these models that a window of theirs may belong to."""
    first = min(row.started_at for row in concerned) - WINDOW - AFTERMATH
    return _recent(sight, first).filter(model_uid__in={row.model_uid for row in concerned})


def _losses(
    starts: Sequence[ColdStart],
    windows: Sequence[RequestWindow],
    mode: Mode | None,
    *,
    sight: Sight,
    dark: Sequence[tuple[datetime, datetime]],
) -> dict[int, dict[str, int | None] | None]:
    """By id; None = not measured, or not read in whole and nothing found in the rest."""
    if mode is None or not is_measured(mode, sight.told, seen=bool(windows)):
        return {row.pk: None for row in starts}
    attempts = {row.pk: _attempt(row) for row in starts}
    tallies = lost_to_starts(attempts.values(), windows, none=quiet(mode, sight.told))
    return {
        id_: _json(tally)
        if tally.lost or was_read(attempts[id_], dark, until=sight.until)
        else None
        for id_, tally in tallies.items()
    }


def _attempt(row: ColdStart) -> Attempt:
    return Attempt(
        id=row.pk,
        revision=row.revision,
        started_at=row.started_at,
        ended_at=row.ready_at or row.ended_at,
    )


def _json(tally: Tally) -> dict[str, int | None]:
    return {hop.value: count for hop, count in tally.by_hop().items()}


def _modes(cluster: str, uids: Mapping[str, object]) -> dict[str, Mode]:
    rows = ServedModel.objects.filter(cluster=cluster, model_uid__in=list(uids))
    return {uid: Mode(mode) for uid, mode in rows.values_list("model_uid", "mode")}


def _write(changed: Mapping[int, ColdStart]) -> None:
    """In the starts, and in the fleet rows that show one of them as their last."""
    for pk, row in changed.items():
        ColdStart.objects.filter(pk=pk).update(requests_lost=row.requests_lost)
    uids = {row.model_uid for row in changed.values()}
    for shown in ServedModel.objects.select_for_update().filter(model_uid__in=uids).order_by("pk"):
        last: dict[str, Any] = shown.last_start or {}
        start = changed.get(last.get("id", 0))
        if start is not None and start.cluster == shown.cluster:
            shown.last_start = last | {"requests_lost": start.requests_lost}
            shown.version += 1
            shown.save(update_fields=["last_start", "version"])
