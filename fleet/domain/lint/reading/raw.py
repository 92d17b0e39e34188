"""Values out of raw objects of any shape, bounded."""

import math
from collections.abc import Mapping
from typing import Any

from fleet.domain.records import durations

Raw = Mapping[str, Any]
TEXT_AT_MOST = 512
ITEMS_AT_MOST = 128
_NUMBER_AT_MOST = 1e12
NOTHING: Raw = {}


def mapping(value: object) -> Raw:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else NOTHING


def under(value: object, *keys: str) -> Raw:
    """The mapping that lies below the keys."""
    for key in keys:
        value = mapping(value).get(key)
    return mapping(value)


def listed(value: object) -> list[Raw]:
    """The mappings of a list."""
    items = value[:ITEMS_AT_MOST] if isinstance(value, list) else []
    return [item for item in items if isinstance(item, Mapping)]


def words(value: object) -> list[str]:
    """The texts of a list."""
    items = value[:ITEMS_AT_MOST] if isinstance(value, list) else []
    return [str(item)[: 8 * TEXT_AT_MOST] for item in items if isinstance(item, str | int | float)]


def text(value: object) -> str:
    """A text, cut; "" for anything else."""
    return value[:TEXT_AT_MOST] if isinstance(value, str) else ""


def texts(value: object) -> dict[str, str]:
    """The entries of a mapping whose values are texts, as annotations are; numbers and truths,
    which YAML makes of what was not quoted, as they are written."""
    found: dict[str, str] = {}
    for key, item in list(mapping(value).items())[: 4 * ITEMS_AT_MOST]:
        if isinstance(item, bool):
            found[str(key)] = str(item).lower()
        elif isinstance(item, str | int | float):
            found[str(key)] = str(item)[: 8 * TEXT_AT_MOST]
    return found


def number(value: object) -> float | None:
    """A number or its text; None for anything else, and for what no setting can be."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = float(value if not isinstance(value, str) else value[:64])
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) and abs(found) < _NUMBER_AT_MOST else None


def whole(value: object) -> int | None:
    """A whole number or its text."""
    found = number(value)
    return int(found) if found is not None and found.is_integer() else None


def duration_s(value: object) -> float | None:
    """Seconds of a Go duration such as 1h30m, or of "0"; None for anything else."""
    written = text(value).strip()
    return 0.0 if written == "0" else durations.duration_s(written)


def truth(value: object) -> bool:
    """true, in any spelling that annotations are read with."""
    return value is True or text(value).lower() == "true"
