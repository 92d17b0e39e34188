"""The little JSONPath that printer columns use: .a.b, ['a.b'], [*], [?(@.key==value)]."""

from __future__ import annotations

import re
from typing import Any

_STEP = re.compile(
    r"\.(?P<field>[A-Za-z0-9_-]+)"
    r"|\['(?P<quoted>[^']+)'\]"
    r"|\[\?\(@\.(?P<key>\w+)==(?P<value>'[^']*'|\w+)\)\]"
    r"|(?P<every>\[\*\])"
)


def values_at(path: str, obj: Any) -> list[Any]:
    """All values that the path finds in obj, [] when there are none."""
    found = [obj]
    for match in _STEP.finditer(path):
        found = [value for each in found for value in _step(match, each)]
    return found


def _step(match: re.Match[str], value: Any) -> list[Any]:
    field = match["field"] or match["quoted"]
    if field:
        return [value[field]] if isinstance(value, dict) and field in value else []
    if not isinstance(value, list):
        return []
    if match["every"]:
        return value
    wanted = _literal(match["value"])
    return [item for item in value if isinstance(item, dict) and item.get(match["key"]) == wanted]


def _literal(text: str) -> Any:
    if text.startswith("'"):
        return text[1:-1]
    return {"true": True, "false": False}.get(text, text)
