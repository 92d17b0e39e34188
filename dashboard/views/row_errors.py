"""What a fleet row says of 5xx: how many of the last minutes' requests, and who made most."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.charts.share import count_text, share_text
from dashboard.charts.spark import Spark, spark
from dashboard.hop_words import hop_word, short_hop_word
from fleet.models import ServedModel


class Kind(StrEnum):
    """What there is to say."""

    UNMEASURED = "unmeasured"
    QUIET = "quiet"
    WAITING = "waiting"
    CLEAN = "clean"
    ERRORS = "errors"


# A narrow cell breaks before the figures, not within them.
NO_BREAK = "\u00a0"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowErrors:
    """figure: the share, or a count where there is none, or what waits; "" = nothing to say.

    made_by: the hop that made most. tone: "warn", "bad" or "". details: all that is known.
    """

    kind: Kind
    figure: str = ""
    made_by: str = ""
    tone: str = ""
    details: str = ""
    spark: Spark | None = None


def row_errors(row: ServedModel) -> RowErrors:
    told: Mapping[str, Any] | None = row.errors
    if told is None:
        return RowErrors(kind=Kind.UNMEASURED, details=_("5xx are not measured here"))
    drawn = spark(row.errors_spark or ())
    lost = lost_of(told)
    if lost:
        return _with_errors(told, lost, drawn)
    return _without_errors(row, told, drawn)


def _without_errors(row: ServedModel, told: Mapping[str, Any], drawn: Spark | None) -> RowErrors:
    """Nothing was answered yet is not no traffic: what waits is told instead."""
    kind, figure = Kind.CLEAN, share_text(0)
    if told.get("requests") == 0:
        waiting = waiting_text(told, held=not row.ready)
        kind, figure = (Kind.WAITING, waiting) if waiting else (Kind.QUIET, "")
    return RowErrors(kind=kind, figure=figure, details=details(told, lost=0), spark=drawn)


def waiting_text(told: Mapping[str, Any], *, held: bool) -> str:
    """Requests that are not answered yet, "" without any. held: there is no replica to answer."""
    count = math.ceil(told.get("in_flight") or 0)
    if not count:
        return ""
    if held:
        return ngettext("%(n)d held", "%(n)d held", count) % {"n": count}
    return ngettext("%(n)d under way", "%(n)d under way", count) % {"n": count}


def lost_of(told: Mapping[str, Any]) -> int:
    """5xx that callers got, summed over the hops that can be told apart."""
    return sum(count for count in told.get("by_hop", {}).values() if count)


def _with_errors(told: Mapping[str, Any], lost: int, drawn: Spark | None) -> RowErrors:
    share = share_of(told, lost)
    bound = bool(told.get("at_least"))
    count = count_text(lost, at_least=bound)
    return RowErrors(
        kind=Kind.ERRORS,
        figure=count if share is None else share_text(share, at_least=bound),
        made_by=most_made_by(told, lost),
        tone=_tone(share, lost),
        details=details(told, lost=lost),
        spark=drawn,
    )


def share_of(told: Mapping[str, Any], lost: int) -> float | None:
    """Lost of all; None where requests are not counted, or might be more than counted: a share of
    too few would be too large."""
    requests: int | None = told.get("requests")
    if not requests or told.get("requests_at_least"):
        return None
    return min(1.0, lost / max(requests, lost))


def _tone(share: float | None, lost: int) -> str:
    """As bad as its state says."""
    degraded, failing = settings.DEGRADED_SHARE, settings.FAILING_SHARE
    if lost < settings.DEGRADED_ERRORS or (share is not None and share < degraded):
        return ""
    return "bad" if share is not None and share >= failing else "warn"


def most_made_by(told: Mapping[str, Any], lost: int) -> str:
    """Like "activator 12 of 14", or "activator 14" when it made all."""
    counts = {hop: count for hop, count in told.get("by_hop", {}).items() if count}
    hop = max(counts, key=lambda name: counts[name])
    at_least = told.get("at_least", ())
    said = {
        "hop": short_hop_word(hop),
        "n": count_text(counts[hop], at_least=hop in at_least),
        "all": count_text(lost, at_least=bool(at_least)),
    }
    numbers = said["n"] if counts[hop] == lost else _("%(n)s of %(all)s") % said
    return f"{said['hop']} {str(numbers).replace(' ', NO_BREAK)}"


def details(told: Mapping[str, Any], *, lost: int) -> str:
    """Requests, errors by hop, and clients that left."""
    return ". ".join(filter(None, (_counted(told, lost), _by_hop(told), _left(told))))


def _counted(told: Mapping[str, Any], lost: int) -> str:
    minutes = round(told.get("window_s", 300) / 60)
    requests = told.get("requests")
    said = {"n": requests, "lost": lost, "minutes": minutes}
    if requests is None:
        return _("%(lost)d 5xx in %(minutes)d minutes, requests are not counted") % said
    text = ngettext(
        "%(lost)d 5xx of %(n)d request in %(minutes)d minutes",
        "%(lost)d 5xx of %(n)d requests in %(minutes)d minutes",
        requests,
    )
    return text % said


def _by_hop(told: Mapping[str, Any]) -> str:
    at_least = told.get("at_least", ())
    named = (
        f"{hop_word(hop)} {count_text(count, at_least=hop in at_least)}"
        for hop, count in told.get("by_hop", {}).items()
        if count
    )
    return ", ".join(named)


def _left(told: Mapping[str, Any]) -> str:
    gone = told.get("client_gone")
    if not gone:
        return ""
    return ngettext("%(n)d caller left first", "%(n)d callers left first", gone) % {"n": gone}
