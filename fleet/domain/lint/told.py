"""What the API tells of a model's starts, as `Measured`: for lint where there is no database."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from fleet.domain.compare.records import Compared
from fleet.domain.lint.measured import NOTHING, Lengths, Measured, measured_from
from fleet.domain.lint.reading.raw import Raw, listed, mapping, number, text, whole
from fleet.domain.lint.settings import Ref

STARTS_AT_MOST = 5000


def measured_by_model(answers: Iterable[object]) -> dict[str, Measured]:
    """By "Kind/namespace/name"; "" for what names no model.

    answers: bodies of the API (docs/api.md): Models, or pages of them, or pages of their cold
    starts, which tell more: phases, not totals alone.
    """
    items = [item for answer in answers for item in _items(answer)]
    found = {_name(text(item.get("key"))): _of_model(item) for item in items if _is_model(item)}
    starts: dict[str, list[Compared]] = {}
    for item in items:
        if not _is_model(item):
            starts.setdefault(_name(text(item.get("model"))), []).append(compared_of(item))
    return found | {name: measured_from(each) for name, each in starts.items()}


def measured_of(ref: Ref, measured: Mapping[str, Measured]) -> Measured:
    """Of one model; what names no model is of each."""
    return measured.get(str(ref)) or measured.get("") or NOTHING


def _items(answer: object) -> list[Raw]:
    """The entries of a list or of a page; anything else is one."""
    entries = answer if isinstance(answer, list) else mapping(answer).get("items", [answer])
    found = entries if isinstance(entries, list) else []
    return [each for each in found[:STARTS_AT_MOST] if isinstance(each, Mapping)]


def _is_model(item: Raw) -> bool:
    return "cold_start" in item


def _name(key: str) -> str:
    """A model's key without its cluster."""
    return key.partition("/")[2]


def _of_model(model: Raw) -> Measured:
    """Percentiles of 7 days and the last start, of any mode."""
    starts = mapping(model.get("cold_start"))
    p50, p95 = _seconds(starts.get("p50_s")), _seconds(starts.get("p95_s"))
    last = _seconds(mapping(starts.get("last")).get("total_s"))
    known = [seconds for seconds in (p50, p95, last) if seconds is not None]
    if not known:
        return NOTHING
    n = whole(starts.get("count_7d")) or 1
    return Measured(total=Lengths(n=n, longest_s=max(known), p50_s=p50, p95_s=p95))


def compared_of(start: Raw) -> Compared:
    """An API's ColdStart, reduced to what comparing needs."""
    phases = listed(start.get("phases"))
    log = mapping(start.get("log"))
    return Compared(
        id=whole(start.get("id")) or 0,
        model=text(start.get("model")),
        model_uid="",
        cluster=text(start.get("model")).partition("/")[0],
        started_at=_moment(start.get("started_at")),
        outcome=text(start.get("outcome")),
        trigger=text(start.get("trigger")),
        start_mode=text(start.get("start_mode")),
        total_s=_seconds(start.get("total_s")),
        phases_s={text(each.get("phase")): _seconds(each.get("seconds")) or 0.0 for each in phases},
        parts_s=dict(_part(each) for phase in phases for each in listed(phase.get("parts"))),
        log_facts=dict(mapping(log.get("facts"))),
        weights_from=text(start.get("weights_from")),
    )


def _part(raw: Raw) -> tuple[str, float]:
    return text(raw.get("part")), _seconds(raw.get("seconds")) or 0.0


def _seconds(value: Any) -> float | None:
    found = number(value)
    return found if found is not None and found >= 0 else None


def _moment(value: object) -> datetime:
    try:
        found = datetime.fromisoformat(text(value))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
