"""What a page shows, as fragments with stamps, and what differs between two looks at it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Fragment:
    """One element's HTML and what it was made from: an equal stamp means equal HTML."""

    dom_id: str
    stamp: str
    html: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """All that a page shows. order: ids of its rows, None for a page without rows.

    proofs: when each cluster was last in step, ms since 1970, None = never.
    """

    fragments: Mapping[str, Fragment]
    order: tuple[str, ...] | None = None
    proofs: Mapping[str, int | None] = field(default_factory=dict)


def stamp_of(*facts: object) -> str:
    """A short stamp of the facts that a fragment shows."""
    return f"{zlib.crc32(repr(facts).encode()):08x}"


def by_id(fragments: Iterable[Fragment]) -> dict[str, Fragment]:
    return {fragment.dom_id: fragment for fragment in fragments}


def changes(old: Shown, new: Shown, *, now_ms: int) -> str:
    """The tail of a message that leads from `old` to `new`; "" when nothing differs."""
    said: dict[str, Any] = {}
    fresh = [f for f in new.fragments.values() if _stamp(old, f.dom_id) != f.stamp]
    if fresh:
        said["fragments"] = [{"id": f.dom_id, "html": f.html} for f in fresh]
    if old.order != new.order:
        said["order"] = new.order
    if old.proofs != new.proofs:
        said["proofs"] = dict(new.proofs)
    return _tail({"now": now_ms, **said}) if said else ""


def snapshot(new: Shown, have: Mapping[str, str], *, now_ms: int) -> str:
    """The tail of a message that brings a page that has these stamps up to date."""
    fresh = [f for f in new.fragments.values() if have.get(f.dom_id) != f.stamp]
    said = {
        "now": now_ms,
        "snapshot": True,
        "fragments": [{"id": f.dom_id, "html": f.html} for f in fresh],
        "proofs": dict(new.proofs),
    }
    return _tail(said if new.order is None else {**said, "order": new.order})


def numbered(n: int, tail: str) -> str:
    """A whole message: the consumer's own number before a tail that is shared by all."""
    return f'{{"n":{n},{tail}'


def _tail(said: Mapping[str, Any]) -> str:
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))[1:]


def _stamp(shown: Shown, dom_id: str) -> str | None:
    fragment = shown.fragments.get(dom_id)
    return fragment.stamp if fragment else None
