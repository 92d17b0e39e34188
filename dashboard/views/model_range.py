"""The time range of a model's page: as its address says, else by how long the model is known."""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.http import QueryDict

from dashboard.ranges import LONGEST_TEXT, NAMES, TimeRange, read_range
from fleet.domain.records.keys import ModelKey
from fleet.models import ColdStart

CHOICES = ("1h", "6h", "24h", "7d", "30d", "90d")
# A model that was first seen to start longer ago than this opens on that range.
USUAL = (("7d", timedelta(hours=24)), ("24h", timedelta(hours=6)))
SHORTEST = "6h"
# The range as an address names it.
Said = tuple[tuple[str, str], ...]


def usual_range(key: ModelKey, *, now: datetime) -> str:
    """A page opens on what holds something: 6 h of a model that is new, 7 days of one that is
    not."""
    first = ColdStart.objects.of(key).order_by("started_at").values_list("started_at", flat=True)
    known = now - (first.first() or now)
    return next((name for name, longer in USUAL if known > longer), SHORTEST)


def model_range(asked: QueryDict, key: ModelKey, *, now: datetime) -> TimeRange:
    return read_range(asked, now=now, choices=CHOICES, default=usual_range(key, now=now))


def said_in(asked: QueryDict) -> Said:
    """What an address says of the range, cut to what a range can need."""
    found = ((name, asked.get(name, "")[:LONGEST_TEXT]) for name in NAMES)
    return tuple((name, text) for name, text in found if text)


def range_as_said(said: Said, key: ModelKey, *, now: datetime) -> TimeRange:
    return model_range(QueryDict(urlencode(said)), key, now=now)
