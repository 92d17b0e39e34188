"""Values out of JSON of which nothing is known: the wrong type reads as absent, sizes are bounded.

Shapes: https://kubernetes.io/docs/reference/kubernetes-api/, cut down or mangled.
"""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

TEXT_AT_MOST = 4_000
NAME_AT_MOST = 300
ENTRIES_AT_MOST = 200
_NOTHING: Mapping[str, Any] = {}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else _NOTHING


def within(value: Any, *path: str) -> Mapping[str, Any]:
    """The object at a path, empty if there is none."""
    for key in path:
        value = mapping(value).get(key)
    return mapping(value)


def entries(value: Any, *, at_most: int = ENTRIES_AT_MOST) -> Iterator[Mapping[str, Any]]:
    """The objects of a list, of a Kubernetes `List`, or the object itself; at most so many."""
    if isinstance(value, Mapping):
        items = value.get("items")
        value = items if isinstance(items, list) else [value] if value else []
    if isinstance(value, list | tuple):
        yield from (each for each in value[:at_most] if isinstance(each, Mapping))


def text(value: Any, *, at_most: int = TEXT_AT_MOST) -> str:
    """A text without control characters, cut; numbers and booleans as JSON writes them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)[:at_most]
    if not isinstance(value, str):
        return ""
    cut = value[:at_most]
    return cut if cut.isprintable() else _CONTROL.sub(" ", cut)


def name(value: Any) -> str:
    """A name: a short text."""
    return text(value, at_most=NAME_AT_MOST)


def number(value: Any) -> float | None:
    """A finite number, also one written as a text; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value if not isinstance(value, str) else value[:40])
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def whole(value: Any, *, default: int = 0) -> int:
    """A whole number within 32 bits, the default if it is none."""
    found = number(value)
    return default if found is None else int(max(min(found, 2**31), -(2**31)))


def moment(value: Any) -> datetime | None:
    """RFC 3339, aware; None if it is none."""
    if not isinstance(value, str) or len(value) < 10:
        return None
    try:
        found = datetime.fromisoformat(value[:40])
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def texts(value: Any, *, at_most: int = ENTRIES_AT_MOST) -> tuple[str, ...]:
    """The texts of a list; of a single text, that one."""
    if isinstance(value, str):
        return (text(value),)
    if not isinstance(value, list | tuple):
        return ()
    return tuple(text(each) for each in value[:at_most] if isinstance(each, str | int | float))


def pairs(value: Any) -> dict[str, str]:
    """Labels, annotations, selectors: texts by name."""
    found = mapping(value)
    return {name(key): text(found[key]) for key in list(found)[:ENTRIES_AT_MOST]}
