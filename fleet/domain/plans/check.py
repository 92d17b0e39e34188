"""Still as planned? Same uid, old value and owners at each field, same revisions in traffic."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fleet.domain.plans.fields import Raw, owners_at, value_at
from fleet.domain.plans.plan import Change, Notice

MANAGER = "pilot-light"


def seen_of(changes: Iterable[Change], raws: Mapping[str, Raw]) -> dict[str, Any]:
    """What is kept with the plan to compare later: object -> uid, and owners of each field."""
    seen: dict[str, Any] = {}
    for change in changes:
        raw = raws[change.object]
        kept = seen.setdefault(
            change.object, {"uid": value_at(raw, "metadata.uid") or "", "owners": {}}
        )
        kept["owners"][change.field] = list(owners_at(raw, change.field))
    return seen


def done(change: Change, raw: Raw) -> bool:
    """The field already holds the new value: this step needs no repeating."""
    return _same(value_at(raw, change.field), change.after)


def differs(change: Change, raw: Raw, *, owners: Sequence[str] | None) -> Notice | None:
    """What is not as planned any more, None if nothing. owners: as seen, None = not compared."""
    uid = value_at(raw, "metadata.uid")
    if uid != change.uid:
        return _notice("another-object", change, found=str(uid or "")[:80])
    if value_at(raw, "metadata.deletionTimestamp") is not None:
        return _notice("being-deleted", change)
    value = value_at(raw, change.field)
    if done(change, raw):
        theirs = owners is not None and not _ours(change, raw)
        return _notice("value-changed", change, found=str(value)[:80]) if theirs else None
    if not _same(value, change.before):
        return _notice("value-changed", change, found=None if value is None else str(value)[:80])
    if owners is not None and _foreign(owners_at(raw, change.field), owners):
        return _notice("owner-changed", change, found=", ".join(owners_at(raw, change.field))[:200])
    return None


def traffic_differs(seen: Sequence[Sequence[Any]], now: Sequence[tuple[str, int]]) -> Notice | None:
    """Another set of revisions gets the requests; a moved percentage alone is no difference."""
    before, after = sorted(str(t[0]) for t in seen), sorted(name for name, _ in now)
    if before == after:
        return None
    return Notice(code="traffic-changed", params={"before": before, "after": after})


def _ours(change: Change, raw: Raw) -> bool:
    """Whether we wrote the new value. The same value by somebody else is theirs: undoing ours would
    take it away. A removed field has no owner."""
    return change.after is None or MANAGER in owners_at(raw, change.field)


def _foreign(now: Sequence[str], seen: Sequence[str]) -> bool:
    return set(now) - {MANAGER} != set(seen) - {MANAGER}


def _same(value: Any, wanted: int | str | None) -> bool:
    return type(value) is type(wanted) and bool(value == wanted)


def _notice(code: str, change: Change, **params: Any) -> Notice:
    return Notice(code=code, params={"object": change.object, "field": change.field, **params})
