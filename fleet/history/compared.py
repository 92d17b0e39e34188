"""Stored starts -> what comparing needs: few columns, phases reduced to seconds."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from django.db.models import TextField
from django.db.models.functions import Cast

from fleet.domain.compare.records import Compared
from fleet.domain.records.keys import ModelKey
from fleet.models import ColdStart
from fleet.models.cold_start import ColdStartQuerySet

# Comparisons of one model look at this many of its newest starts, lists of a fleet at that many.
OF_A_MODEL = 500
OF_A_FLEET = 5_000

_COLUMNS = (
    "id",
    "cluster",
    "kind",
    "namespace",
    "name",
    "model_uid",
    "started_at",
    "outcome",
    "trigger",
    "start_mode",
    "total_s",
    "revision",
    "revision_uid",
    "node",
    "node_pool",
    "image_digest",
    "image_pull",
    "engine_version",
    "weights_from",
    "gpus",
)
_KEY = ("kind", "namespace", "name")


class Reading(NamedTuple):
    """Starts, newest first. cut: there are older ones that were left out."""

    starts: tuple[Compared, ...]
    cut: bool


class _Part(msgspec.Struct):
    part: str
    seconds: float


class _Phase(msgspec.Struct):
    phase: str
    seconds: float
    parts: list[_Part] = []


class _Log(msgspec.Struct):
    state: str = ""
    facts: dict[str, Any] = {}


_phases = msgspec.json.Decoder(list[_Phase])
_logs = msgspec.json.Decoder(_Log | None)


def of_model(
    key: ModelKey,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    at_most: int = OF_A_MODEL,
) -> Reading:
    """The newest starts of one model, by its name. since is included, until is not. One query."""
    rows = ColdStart.objects.of(key)
    rows = rows if since is None else rows.started_since(since)
    rows = rows if until is None else rows.filter(started_at__lt=until)
    return with_phases(rows, at_most=at_most)


def with_phases(rows: ColdStartQuerySet, *, at_most: int = OF_A_MODEL) -> Reading:
    """The newest of `rows`, with phases and what the log told. One query."""
    found = rows.newest_first().annotate(
        phases_text=Cast("phases", TextField()), log_text=Cast("log", TextField())
    )
    columns = (*_COLUMNS, "phases_text", "log_text")
    return _reading(found.values(*columns)[: at_most + 1], at_most=at_most)


def without_phases(rows: ColdStartQuerySet, *, at_most: int = OF_A_FLEET) -> Reading:
    """As `with_phases`, with totals only: quicker where many are read. One query."""
    return _reading(rows.newest_first().values(*_COLUMNS)[: at_most + 1], at_most=at_most)


def _reading(rows: Iterable[dict[str, Any]], *, at_most: int) -> Reading:
    starts = tuple(_compared(row) for row in rows)
    return Reading(starts[:at_most], len(starts) > at_most)


def _compared(row: dict[str, Any]) -> Compared:
    """The row is this function's to change."""
    key = ModelKey(row["cluster"], *(row.pop(part) for part in _KEY))
    phases_s, parts_s = _seconds(row.pop("phases_text", None))
    facts = _log_facts(row.pop("log_text", None))
    return Compared(model=str(key), phases_s=phases_s, parts_s=parts_s, log_facts=facts, **row)


def _log_facts(log_text: str | None) -> dict[str, Any]:
    log = _logs.decode(log_text) if log_text else None
    return log.facts if log else {}


def _seconds(phases_text: str | None) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds by phase, and by part: of a part that is told twice, the longer."""
    phases_s: dict[str, float] = {}
    parts_s: dict[str, float] = {}
    for span in _phases.decode(phases_text) if phases_text else ():
        phases_s[span.phase] = phases_s.get(span.phase, 0.0) + span.seconds
        for part in span.parts:
            parts_s[part.part] = max(parts_s.get(part.part, 0.0), part.seconds)
    return phases_s, parts_s
