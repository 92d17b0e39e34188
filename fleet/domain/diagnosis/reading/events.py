"""Events, core/v1 and events.k8s.io/v1, whichever of the three ways their times are told.

Source: client-go tools/record and tools/events: repeats move count and lastTimestamp, or a series.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from fleet.domain.diagnosis.evidence import EventSeen
from fleet.domain.diagnosis.reading.plain import mapping, moment, name, text, whole, within

_FIELD = re.compile(r"\{([^{}]{1,253})\}")
_COMBINED = "(combined from similar events): "


def event(raw: Mapping[str, Any]) -> EventSeen:
    """One Event."""
    about = mapping(raw.get("involvedObject")) or mapping(raw.get("regarding"))
    series = mapping(raw.get("series"))
    field = _FIELD.search(name(about.get("fieldPath")))
    first, last = _times(raw, series)
    counts = (raw.get("count"), raw.get("deprecatedCount"), series.get("count"))
    return EventSeen(
        reason=name(raw.get("reason")),
        message=text(raw.get("message") or raw.get("note")).removeprefix(_COMBINED),
        type=name(raw.get("type")),
        kind=name(about.get("kind")),
        name=name(about.get("name")),
        namespace=name(about.get("namespace")),
        container=field[1] if field else "",
        source=name(within(raw, "source").get("component")) or name(raw.get("reportingComponent")),
        count=max(1, *(whole(each) for each in counts)),
        first_at=first,
        last_at=last,
    )


def _times(
    raw: Mapping[str, Any], series: Mapping[str, Any]
) -> tuple[datetime | None, datetime | None]:
    when = moment(raw.get("eventTime"))
    made = moment(within(raw, "metadata").get("creationTimestamp"))
    first = _first(raw.get("firstTimestamp"), raw.get("deprecatedFirstTimestamp")) or when or made
    last = _first(
        series.get("lastObservedTime"),
        raw.get("lastTimestamp"),
        raw.get("deprecatedLastTimestamp"),
    )
    return first, last or when or first


def _first(*values: Any) -> datetime | None:
    return next((found for each in values if (found := moment(each)) is not None), None)


def merged(events: Iterable[EventSeen]) -> tuple[EventSeen, ...]:
    """The same thing said twice is one event: the later one counts, with the longer span."""
    known: dict[tuple[str, str, str, str, str], EventSeen] = {}
    for each in events:
        key = (each.kind, each.name, each.container, each.reason, each.message)
        known[key] = _joined(known[key], each) if key in known else each
    return tuple(known.values())


def _joined(one: EventSeen, other: EventSeen) -> EventSeen:
    firsts = [each for each in (one.first_at, other.first_at) if each is not None]
    lasts = [each for each in (one.last_at, other.last_at) if each is not None]
    return EventSeen(
        reason=one.reason,
        message=one.message,
        type=one.type or other.type,
        kind=one.kind,
        name=one.name,
        namespace=one.namespace or other.namespace,
        container=one.container,
        source=one.source or other.source,
        count=max(one.count, other.count, 2),
        first_at=min(firsts, default=None),
        last_at=max(lasts, default=None),
    )
